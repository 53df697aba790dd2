// Intermediate-code characterization: the IR of each region through a core that is known only by what operations cost
// in a stream and in a chain. Two bounds hold an out-of-order core: the busiest resource (TP) and the longest chain
// from one iteration to the next (CP). It runs somewhat slower than either alone, T = (TP^p + CP^p)^(1/p), and is
// joined with memory, mispredictions and what lies outside the program as icc is.
#include <algorithm>
#include <cmath>

#include "engine/operation_cost.h"
#include "engine/pipeline.h"
#include "engine/regions.h"
#include "methods/predict/accuracy.h"
#include "methods/predict/block_sum.h"
#include "methods/predict/models.h"
#include "methods/predict/outside.h"
#include "methods/predict/recorded_run.h"
#include "record/foresight.h"

namespace perfcast::predict {
namespace {

constexpr double overlap = 1.6;  // p: a region bound equally by both takes 1.54 times as long as by one

struct Bounds {
  double throughput = 0, chain = 0;  // cycles in the whole run
  double cycles() const { return std::pow(std::pow(throughput, overlap) + std::pow(chain, overlap), 1 / overlap); }
};

Bounds bounds_of(const engine::CodeRegion& region, const CoreModel& core, engine::OperationCosts& costs) {
  Bounds bounds;
  std::map<std::string, double> pipes;
  double slots = 0;
  for (const Block* block : region.blocks)
    for (const auto& [operation, times] : block->usage) {
      if (operation == "flops" || operation.starts_with("bytes")) continue;
      const auto& cost = costs.of(operation);
      pipes[cost.pipe] += block->count.value * times * cost.throughput;
      if (!cost.pipe.empty()) slots += block->count.value * times * cost.slots;
    }
  bounds.throughput = slots / std::max(1.0, core.front_end.rename_width.value);
  for (const auto& [pipe, cycles] : pipes) bounds.throughput = std::max(bounds.throughput, cycles);
  if (region.loop) {
    const Loop& loop = region.function->loops[static_cast<std::size_t>(*region.loop)];
    for (const auto& [operation, times] : loop.recurrence)
      bounds.chain += loop.iterations.value * times * costs.of(operation).latency;
  }
  return bounds;
}

}  // namespace

Answer answer_intcc(const Profile& profile, const Machine& machine, const PredictOptions& options) {
  if (!profile.ir) return std::unexpected("the profile has no IR level");
  if (!machine.core) return std::unexpected(machine.name + " has no core");
  const CoreModel& core = *machine.core;
  engine::OperationCosts costs(core, machine.isa);
  BlockSum sum(profile.regions);
  double cycle = 1e-9 / core.clock_ghz.value, footprint = engine::footprint_bytes(profile, machine);
  double penalty = (core.branches.misprediction ? core.branches.misprediction->value : engine::assumed_misprediction) + 5;
  for (const engine::CodeRegion& region : engine::code_regions(*profile.ir)) {
    double core_seconds = bounds_of(region, core, costs).cycles() * cycle;
    engine::RegionMemory memory;
    if (machine.memory) memory = engine::region_memory(region.accesses, *machine.memory, {region.instructions, {footprint, nullptr, 0}, region.floating, false});
    double joined = 1e-9 * engine::join_core_and_memory(1e9 * core_seconds, memory);
    double total = 0;
    for (const Block* block : region.blocks) total += block->count.value * std::max<double>(1, static_cast<double>(block->usage.size()));
    for (const Block* block : region.blocks) {
      // A region's time is shared among its blocks by the operations they execute.
      double share = std::max<double>(1, static_cast<double>(block->usage.size())) / total;
      std::vector<Share> shares = {{"core", 1, share * core_seconds, 0.05 * share * core_seconds},
                                   {"memory", 1, share * (joined - core_seconds), 0.1 * share * (joined - core_seconds)},
                                   {"mispredictions", 1, share * mispredicted_on(core.branches, region.mispredicted) * penalty * cycle, 0}};
      sum.add(*region.function, *block, shares);
    }
  }
  engine::OutsideTime outside = engine::outside_time(profile, machine, profile.library_calls);
  add_outside_time(sum, profile, outside);

  ModelPrediction prediction;
  prediction.model = Model::intcc;
  prediction.machine = machine.name;
  prediction.confidence = options.confidence;
  sum.store(prediction);
  prediction.interval = interval_of(prediction.seconds, prediction.sd.value_or(0), intcc_compiled, options.confidence);
  prediction.gaps = outside.gaps;
  if (prediction.seconds > 0) prediction.estimated_share = 1e-9 * outside.guessed_ns / prediction.seconds;
  hold_against_run(profile, machine, prediction);
  return prediction;
}

}  // namespace perfcast::predict
