// Design-based characterization: no code yet, only steps and what each is expected to need (Papaefstathiou et al. 1994,
// section 3.3.1). A design is a profile written by hand whose blocks are of kind "step"; their usage names
//   seconds   a time somebody is sure of
//   flops     weighted floating-point operations, at the machine's rate
//   bytes     moved from or to memory, at the speed of the machine's last level
//   ARDL ...  source operations, at their costs
#include <fmt/format.h>

#include "engine/source_costs.h"
#include "methods/predict/accuracy.h"
#include "methods/predict/block_sum.h"
#include "methods/predict/models.h"

namespace perfcast::predict {
using engine::Costs, engine::cost_sets, engine::is_design;
namespace {

// Nanoseconds per byte of one sequential stream from the last level of memory.
std::optional<double> memory_ns_per_byte(const Machine& machine) {
  if (!machine.memory || machine.memory->levels.empty()) return {};
  const auto& last = machine.memory->levels.back();
  auto one_stream = last.read_ns.find("1");
  if (one_stream == last.read_ns.end()) return {};
  return one_stream->second.value / machine.memory->line_bytes;
}

std::optional<double> seconds_per_unit(const std::string& resource, const Machine& machine, const Costs& costs) {
  if (resource == "seconds") return 1;
  if (resource == "flops") return machine.mflops ? std::optional(1e-6 / machine.mflops->value) : std::nullopt;
  if (resource == "bytes") {
    auto ns = memory_ns_per_byte(machine);
    return ns ? std::optional(1e-9 * *ns) : std::nullopt;
  }
  auto cost = costs.of(resource);
  return cost ? std::optional(1e-9 * cost->value) : std::nullopt;
}

}  // namespace

Answer answer_dbc(const Profile& profile, const Machine& machine, const PredictOptions& options) {
  if (!is_design(profile)) return std::unexpected("needs a design: steps with estimated usage instead of code");
  ModelPrediction prediction;
  prediction.model = Model::dbc;
  prediction.machine = machine.name;
  prediction.confidence = options.confidence;
  const Costs costs(cost_sets(machine, profile.run, prediction.remarks), machine);
  BlockSum sum(profile.regions);
  std::vector<Share> shares;
  for (const auto& function : profile.source->functions)
    for (const auto& block : function.blocks) {
      shares.clear();
      for (const auto& [resource, units] : block.usage) {
        auto seconds = seconds_per_unit(resource, machine, costs);
        if (seconds) shares.push_back({resource, units, units * *seconds, 0});
        else prediction.gaps.push_back({fmt::format("step {}: {} has no cost", block.name, resource), block.at, block.count.value});
      }
      sum.add(function, block, shares);
    }
  if (sum.seconds() <= 0) return std::unexpected("nothing in the design has a cost on " + machine.name);
  sum.store(prediction);
  prediction.estimated_share = 1;
  prediction.interval = interval_of(prediction.seconds, 0, dbc_estimates, options.confidence);
  return prediction;
}

}  // namespace perfcast::predict
