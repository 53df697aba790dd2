// Instruction-code characterization, the default: the counted machine code walked through the out-of-order window of
// the machine, region by region joined with the time memory takes beyond the first cache; mispredictions, library
// routines, page faults and the start of the process are added. Every part is printed.
#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "engine/neighbours.h"
#include "methods/predict/accuracy.h"
#include "methods/predict/block_sum.h"
#include "methods/predict/models.h"
#include "methods/predict/outside.h"
#include "methods/predict/recorded_run.h"

namespace perfcast::predict {
namespace {

using engine::Cause, engine::CompiledBlock;

// The shares of one block, per execution, in seconds.
std::vector<Share> shares_of(const CompiledBlock& block, const MemoryModel* memory, double ns_per_cycle) {
  double each = 1e-9 / block.core.executions;
  std::vector<Share> shares;
  for (std::size_t c = 0; c < engine::causes; c++)
    if (block.core.by_cause[c] > 0) {
      double seconds = block.core.by_cause[c] * ns_per_cycle * each;
      shares.push_back({engine::name_of(static_cast<Cause>(c)), 1, seconds, 0.03 * seconds});
    }
  if (double seconds = block.memory.dependent_ns * each; seconds > 0)
    shares.push_back({"memory: dependent loads", 1, seconds, 0.1 * seconds});
  for (std::size_t i = 0; i < block.memory.level_ns.size(); i++)
    if (double seconds = block.memory.level_ns[i] * each; seconds > 0)
      shares.push_back({"memory: " + memory->levels[i].name, 1, seconds, 0.1 * seconds});
  return shares;
}

// What neighbours on the same core take.
Share neighbours(const engine::CompiledCost& cost, const Machine& machine, const Measurement& sharing) {
  const double seconds = 1e-9 * engine::neighbours_ns(cost, machine);
  return {"neighbours", 1, seconds, seconds * sharing.sd.value_or(0) / sharing.value};
}

// How far the costs of memory may be off because they were not measured on this machine, relative; 0 when they were.
double doubt_of(const MemoryModel& memory) {
  double worst = 0;
  for (const MemoryLevel& level : memory.levels)
    if (auto one = level.read_ns.find("1"); one != level.read_ns.end() && one->second.how != How::measured && one->second.value > 0)
      worst = std::max(worst, one->second.sd.value_or(0) / one->second.value);
  return worst;
}

}  // namespace

Answer answer_icc(const Profile& profile, const Machine& machine, const PredictOptions& options) {
  if (!profile.machine) return std::unexpected("the profile has no machine code");
  if (!machine.core) return std::unexpected(machine.name + " has no core");
  if (!profile.run.isa.empty() && !machine.isa.empty() && profile.run.isa != machine.isa)
    return std::unexpected("the profile holds " + profile.run.isa + " code and " + machine.name + " runs " + machine.isa +
                           "; analyze with --target " + machine.isa + "-linux-gnu");
  auto cost = engine::compiled_cost(profile, machine);
  if (!cost) return std::unexpected(cost.error().message());

  BlockSum sum(profile.regions);
  for (const CompiledBlock& b : cost->blocks)
    if (b.core.executions > 0)
      sum.add(*b.function, *b.block, shares_of(b, machine.memory ? &*machine.memory : nullptr, cost->ns_per_cycle));
  const engine::OutsideTime& outside = cost->outside;
  add_outside_time(sum, profile, outside);

  const Measurement sharing = engine::usual_sharing(machine);
  if (!options.alone && sharing.value > 0) sum.add_outside(neighbours(*cost, machine, sharing));

  ModelPrediction prediction;
  prediction.model = Model::icc;
  prediction.machine = machine.name;
  prediction.confidence = options.confidence;
  sum.store(prediction);
  double memory_seconds = 0;
  for (const Part& part : prediction.parts)
    if (part.name.starts_with("memory: ")) memory_seconds += part.seconds;
  const bool memory_known = machine.memory && engine::memory_watched(profile);
  ModelError error = memory_known ? icc_compiled : icc_memory_unknown;
  const double memory_spread = root_of_squares({icc_memory_spread, machine.memory ? doubt_of(*machine.memory) : 0});
  if (prediction.seconds > 0) error.spread = root_of_squares({error.spread, memory_spread * memory_seconds / prediction.seconds});
  prediction.interval = interval_of(prediction.seconds, prediction.sd.value_or(0), error, options.confidence);
  prediction.gaps = outside.gaps;
  if (prediction.seconds > 0)
    prediction.estimated_share = (cost->core.by_llvm * cost->core.seconds + 1e-9 * outside.guessed_ns) / prediction.seconds;
  if (machine.memory && doubt_of(*machine.memory) > 0)
    prediction.remarks.push_back("what memory costs on " + machine.name + " was in part not measured there (perfcast machines show says what)");
  if (options.alone && sharing.value > 0.02)
    prediction.remarks.push_back("others on the same core, usual on " + machine.name + ", are left out");
  if (!machine.memory) prediction.remarks.push_back(machine.name + " has no memory levels: every load is taken to hit the first cache");
  else if (!memory_known) prediction.remarks.push_back("how the program uses memory was not watched: every load is taken to hit the first cache");
  else if (cost->lines > 0 && cost->unknown_lines > 0.1 * cost->lines)
    prediction.remarks.push_back("the reuse of " + std::to_string(static_cast<int>(100 * cost->unknown_lines / cost->lines)) +
                                 " % of the lines from beyond the first cache was not seen; they are taken to come from what holds the whole program");
  hold_against_run(profile, machine, prediction);
  return prediction;
}

}  // namespace perfcast::predict
