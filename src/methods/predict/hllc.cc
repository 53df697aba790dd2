// High-level-language characterization: Saavedra's linear model (1988, section 6.1). The time is the sum over source
// operations of executions x cost, nothing else; the costs are those of the program's language, from the compiler and
// flags nearest to its own.
//
// Limits: costs measured one by one are added, so work that a core overlaps is counted twice and waiting that only
// chains cause is not seen. The interval says so (accuracy.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/source_costs.h"
#include "methods/predict/accuracy.h"
#include "methods/predict/block_sum.h"
#include "methods/predict/models.h"

namespace perfcast::predict {
using engine::Costs, engine::cost_sets, engine::is_design, engine::is_estimated;
namespace {

// What could not be costed, by operation, and how much of the time rests on estimates.
struct Unsure {
  std::map<std::string, double> without_cost;
  double operations = 0, estimated_seconds = 0;

  double share_without_cost() const {
    double sum = 0;
    for (const auto& [operation, executions] : without_cost) sum += executions;
    return operations > 0 ? sum / operations : 0;
  }
};

void add_blocks(const Graph& graph, const Costs& costs, BlockSum& sum, Unsure& unsure) {
  std::map<std::string, std::optional<Measurement>> known;
  std::vector<Share> shares;
  for (const auto& function : graph.functions)
    for (const auto& block : function.blocks) {
      shares.clear();
      if (block.count.value <= 0) continue;
      for (const auto& [operation, times] : block.usage) {
        auto [it, is_new] = known.try_emplace(operation);
        if (is_new) it->second = costs.of(operation);
        double executions = block.count.value * times;
        unsure.operations += executions;
        if (!it->second) {
          unsure.without_cost[operation] += executions;
          continue;
        }
        const Measurement& cost = *it->second;
        shares.push_back({operation, times, 1e-9 * times * cost.value, 1e-9 * times * cost.sd.value_or(0)});
        if (is_estimated(cost)) unsure.estimated_seconds += 1e-9 * executions * cost.value;
      }
      sum.add(function, block, shares);
    }
}

void tell_gaps(const Unsure& unsure, ModelPrediction& prediction) {
  std::vector<std::pair<std::string, double>> missing(unsure.without_cost.begin(), unsure.without_cost.end());
  std::sort(missing.begin(), missing.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  for (const auto& [operation, executions] : missing)
    prediction.gaps.push_back({fmt::format("{} has no cost: {:.2g} % of the operations", operation,
                                           100 * executions / unsure.operations), {}, executions});
  if (missing.size() > 1)
    prediction.remarks.push_back(fmt::format("{:.2g} % of the operations have no cost here and are left out",
                                             100 * unsure.share_without_cost()));
}

ModelError error_on(const Machine& machine, const Profile& profile, const OperationCosts& costs) {
  // Historical machines are described without an instruction set; they run one operation after the other.
  if (machine.isa.empty()) return hllc_in_order;
  int program = optimisation_level(profile.run.cflags), measured = optimisation_level(costs.flags);
  if (program > 0 && measured == 0) return hllc_optimised;
  return program == 0 ? hllc_overlapping : hllc_both_optimised;
}

}  // namespace

Answer answer_hllc(const Profile& profile, const Machine& machine, const PredictOptions& options) {
  if (!profile.source) return std::unexpected("the profile has no source operations");
  if (is_design(profile)) return std::unexpected("a design has no source operations yet");
  ModelPrediction prediction;
  prediction.model = Model::hllc;
  prediction.machine = machine.name;
  prediction.confidence = options.confidence;
  const auto sets = cost_sets(machine, profile.run, prediction.remarks);
  if (sets.empty())
    return std::unexpected(fmt::format("{} has no costs of {} operations", machine.name,
                                       profile.run.language.empty() ? "c" : profile.run.language));

  BlockSum sum(profile.regions);
  Unsure unsure;
  add_blocks(*profile.source, Costs(sets, machine), sum, unsure);
  constexpr double too_much = 0.5;
  const double left_out = unsure.share_without_cost();
  if (left_out > too_much)
    return std::unexpected(fmt::format("{:.0f} % of the operations have no cost on {}", 100 * left_out, machine.name));
  if (machine.system && machine.system->process_start_ns) {
    const Measurement& start = *machine.system->process_start_ns;
    sum.add_outside({"process start", 1, 1e-9 * start.value, 1e-9 * start.sd.value_or(0)});
  }
  sum.store(prediction);
  tell_gaps(unsure, prediction);
  prediction.estimated_share = prediction.seconds > 0 ? unsure.estimated_seconds / prediction.seconds : 0;
  ModelError error = error_on(machine, profile, *sets[0]);
  prediction.interval = interval_of(prediction.seconds, *prediction.sd, error, options.confidence);
  prediction.interval[1] /= 1 - left_out;  // what was left out takes time too
  if (!machine.isa.empty() && optimisation_level(sets[0]->flags) != optimisation_level(profile.run.cflags))
    prediction.remarks.push_back(fmt::format("the program was compiled with \"{}\", the costs are those of \"{}\"",
                                             profile.run.cflags, sets[0]->flags));
  return prediction;
}

}  // namespace perfcast::predict
