#include "methods/gate/gate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace perfcast::gate {
namespace {

// A function's time by its name; a program of one function has no such view.
std::map<std::string, double> functions_of(const ModelPrediction& prediction) {
  std::map<std::string, double> times;
  double known = 0;
  if (auto view = prediction.views.find("function"); view != prediction.views.end())
    for (const Part& part : view->second) times[part.name] += part.seconds, known += part.seconds;
  // Rounding of a sum is no function.
  if (double rest = prediction.seconds - known; rest > 1e-9 * prediction.seconds) times["(outside functions)"] = rest;
  return times;
}

CostChange status_of(double base, double now) {
  constexpr double same = 1e-6;
  if (base == 0) return CostChange::added;
  if (now == 0) return CostChange::removed;
  double change = now / base - 1;
  return change > same ? CostChange::slower : change < -same ? CostChange::faster : CostChange::same;
}

}  // namespace

Profile counted_part(Profile profile) {
  for (auto* level : {&profile.source, &profile.ir, &profile.machine})
    if (*level)
      for (Function& function : (*level)->functions)
        for (Block& block : function.blocks) block.accesses.clear(), block.mispredicted.reset(), block.mispredicted_calls.reset();
  profile.run.page_faults = 0, profile.run.seconds = 0;
  return profile;
}

ModelPrediction without_start(ModelPrediction prediction) {
  std::erase_if(prediction.parts, [&](const Part& part) {
    if (part.name != "start") return false;
    prediction.seconds -= part.seconds;
    return true;
  });
  return prediction;
}

Result<Gate> compare(const ModelPrediction& base, const ModelPrediction& candidate, const GateOptions& options) {
  if (base.model != candidate.model || base.machine != candidate.machine)
    return unfit("the two versions were not costed alike: " + std::string(word_of(base.model)) + " on " + base.machine + " and " +
                 word_of(candidate.model) + " on " + candidate.machine);
  if (base.seconds <= 0) return unfit("the base takes no time at all, so nothing can be compared with it");
  Gate gate;
  gate.machine = base.machine, gate.model = word_of(base.model), gate.limit = options.limit, gate.sampled = options.sampled;
  gate.base_seconds = base.seconds, gate.seconds = candidate.seconds;
  gate.change = candidate.seconds / base.seconds - 1;
  gate.passed = gate.change <= options.limit;
  auto before = functions_of(base), after = functions_of(candidate);
  for (const auto& [name, seconds] : after) before.try_emplace(name, 0);
  for (const auto& [name, old_seconds] : before) {
    auto it = after.find(name);
    FunctionCost cost{name, old_seconds, it == after.end() ? 0 : it->second, {}, 0, CostChange::same};
    cost.share = (cost.seconds - cost.base_seconds) / base.seconds;
    cost.status = status_of(cost.base_seconds, cost.seconds);
    if (cost.base_seconds > 0) cost.change = cost.seconds / cost.base_seconds - 1;
    if (std::abs(cost.share) >= options.least_share) gate.functions.push_back(std::move(cost));
  }
  std::ranges::sort(gate.functions, [](const FunctionCost& a, const FunctionCost& b) {
    return std::tuple(-std::abs(a.share), a.name) < std::tuple(-std::abs(b.share), b.name);
  });
  return gate;
}

}  // namespace perfcast::gate
