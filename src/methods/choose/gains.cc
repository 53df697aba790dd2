#include "methods/choose/gains.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "methods/choose/choose.h"

namespace perfcast::choose {
namespace {

using Seconds = std::map<std::string, double>;  // by resource

Seconds by_resource(const ModelPrediction& answer) {
  Seconds seconds;
  for (const Part& part : answer.parts) seconds[resource_of(part.name)] += part.seconds;
  return seconds;
}

// The resource whose time changed most, and by how much it fell.
std::pair<std::string, double> largest_change(const Seconds& before, const Seconds& after) {
  Seconds change = before;
  for (const auto& [resource, seconds] : after) change[resource] -= seconds;
  std::pair<std::string, double> most{"", 0};
  for (const auto& [resource, saved] : change)
    if (std::abs(saved) > std::abs(most.second)) most = {resource, saved};
  return most;
}

double best_gain(const ComparedProgram& program) {
  double best = 0;
  for (const auto& [machine, gain] : program.gain) best = std::max(best, gain);
  return best;
}

}  // namespace

std::vector<ComparedProgram> compare_programs(std::span<const Prediction> programs, std::span<const std::string> machines) {
  std::vector<ComparedProgram> result;
  for (const Prediction& prediction : programs) {
    ComparedProgram program;
    program.program = prediction.program;
    const ModelPrediction* reference = machines.empty() ? nullptr : answer_for(prediction, machines.front());
    for (const std::string& machine : machines) {
      const ModelPrediction* answer = answer_for(prediction, machine);
      if (!answer || answer->seconds <= 0) continue;
      const Seconds here = by_resource(*answer);
      program.model[machine] = word_of(answer->model), program.seconds[machine] = answer->seconds, program.interval[machine] = answer->interval;
      for (const auto& [resource, seconds] : here) program.shares[machine][resource] = seconds / answer->seconds;
      if (!reference || reference == answer || reference->seconds <= 0) continue;
      program.gain[machine] = reference->seconds / answer->seconds;
      if (reference->model != answer->model) continue;  // their resources are not the same
      auto [resource, saved] = largest_change(by_resource(*reference), here);
      if (!resource.empty()) program.mostly[machine] = resource, program.mostly_seconds[machine] = saved;
    }
    result.push_back(std::move(program));
  }
  std::ranges::sort(result, {}, [](const ComparedProgram& p) { return std::pair(-best_gain(p), p.program); });
  return result;
}

}  // namespace perfcast::choose
