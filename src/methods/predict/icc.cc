// Instruction-code characterization, the default: the counted machine code walked through the out-of-order window of
// the machine, region by region joined with the time memory takes beyond the first cache; mispredictions, library
// routines, page faults and the start of the process are added. Every part is printed.
#include <algorithm>
#include <cmath>
#include <map>

#include "engine/program_time.h"
#include "methods/predict/accuracy.h"
#include "methods/predict/block_sum.h"
#include "methods/predict/models.h"
#include "methods/predict/regions.h"

namespace perfcast::predict {
namespace {

using engine::BlockTime, engine::Cause, engine::CoreTime, engine::RegionMemory;
constexpr auto misprediction = static_cast<std::size_t>(Cause::misprediction);

// Which region of the IR a machine block belongs to; none for library code and what the code generator made up.
class RegionIndex {
 public:
  explicit RegionIndex(const std::vector<CodeRegion>& regions) {
    for (std::size_t r = 0; r < regions.size(); r++) {
      for (const Block* block : regions[r].blocks) by_block_[{regions[r].function->name, block->name}] = static_cast<int>(r);
      by_function_.try_emplace(regions[r].function->name, static_cast<int>(r));
    }
  }
  int of(const Function& function, const Block& block) const {
    if (block.from)
      if (auto it = by_block_.find({function.name, *block.from}); it != by_block_.end()) return it->second;
    auto it = by_function_.find(function.name);
    return it == by_function_.end() ? -1 : it->second;
  }

 private:
  std::map<std::pair<std::string, std::string>, int> by_block_;
  std::map<std::string, int> by_function_;
};

// One region: what the core takes without mispredictions, and with memory.
struct RegionTime {
  double core_ns = 0, joined_ns = 0;
  RegionMemory memory;
};

// The shares of one block, per execution, in seconds.
std::vector<Share> shares_of(const BlockTime& block, const RegionTime* region, const MemoryModel* memory, double ns_per_cycle) {
  double per_execution = 1e-9 * ns_per_cycle / block.executions, plain = block.cycles - block.by_cause[misprediction];
  std::vector<Share> shares;
  for (std::size_t c = 0; c < engine::causes; c++)
    if (block.by_cause[c] > 0) {
      double seconds = block.by_cause[c] * per_execution;
      shares.push_back({engine::name_of(static_cast<Cause>(c)), 1, seconds, 0.03 * seconds});
    }
  if (!region || region->core_ns <= 0 || region->joined_ns <= region->core_ns) return shares;
  // What memory adds to the region, by the block's part of the core's time and by the level that serves.
  double added = (region->joined_ns - region->core_ns) / region->core_ns * plain * per_execution;
  const RegionMemory& m = region->memory;
  double exposed = std::min(added, added * m.dependent_ns / (region->joined_ns - region->core_ns));
  if (exposed > 0) shares.push_back({"memory: dependent loads", 1, exposed, 0.1 * exposed});
  double levels = 0;
  for (double ns : m.level_ns) levels += ns;
  for (std::size_t i = 0; i < m.level_ns.size() && levels > 0; i++)
    if (double seconds = (added - exposed) * m.level_ns[i] / levels; seconds > 0)
      shares.push_back({"memory: " + memory->levels[i].name, 1, seconds, 0.1 * seconds});
  return shares;
}

}  // namespace

Answer answer_icc(const Profile& profile, const Machine& machine, const PredictOptions& options) {
  if (!profile.machine) return std::unexpected("the profile has no machine code");
  if (!machine.core) return std::unexpected(machine.name + " has no core");
  if (!profile.run.isa.empty() && !machine.isa.empty() && profile.run.isa != machine.isa)
    return std::unexpected("the profile holds " + profile.run.isa + " code and " + machine.name + " runs " + machine.isa +
                           "; analyze with --target " + machine.isa + "-linux-gnu");
  auto core = engine::simulate_program(profile, machine);
  if (!core) return std::unexpected(core.error().message());

  std::vector<CodeRegion> regions;
  if (profile.ir) regions = code_regions(*profile.ir);
  RegionIndex index(regions);
  const double ns_per_cycle = 1 / machine.core->clock_ghz.value;
  auto place = [&](const BlockTime& b) -> std::pair<const Function&, const Block&> {
    const Function& function = profile.machine->functions[static_cast<std::size_t>(b.function)];
    return {function, function.blocks[static_cast<std::size_t>(b.block)]};
  };
  std::vector<RegionTime> times(regions.size());
  std::vector<double> instructions(regions.size(), 0.0);
  for (const BlockTime& b : core->blocks) {
    auto [function, block] = place(b);
    if (int r = index.of(function, block); r >= 0) {
      times[static_cast<std::size_t>(r)].core_ns += (b.cycles - b.by_cause[misprediction]) * ns_per_cycle;
      instructions[static_cast<std::size_t>(r)] += b.executions * static_cast<double>(block.code.size());
    }
  }
  double unknown_lines = 0, lines = 0, footprint = footprint_bytes(profile, machine);
  for (std::size_t r = 0; r < regions.size(); r++) {
    RegionTime& time = times[r];
    if (machine.memory)
      time.memory = engine::region_memory(regions[r].accesses, *machine.memory, {instructions[r], footprint, regions[r].floating});
    time.joined_ns = engine::join_core_and_memory(time.core_ns, time.memory);
    unknown_lines += time.memory.unknown_lines, lines += time.memory.lines;
  }

  BlockSum sum(profile.regions);
  bool library_traced = false;
  for (const BlockTime& b : core->blocks) {
    auto [function, block] = place(b);
    library_traced = library_traced || function.library;
    int r = index.of(function, block);
    if (b.executions > 0)
      sum.add(function, block, shares_of(b, r < 0 ? nullptr : &times[static_cast<std::size_t>(r)], machine.memory ? &*machine.memory : nullptr, ns_per_cycle));
  }
  OutsideTime outside = outside_time(profile, machine);
  if (!library_traced) sum.add_outside({"library", 1, 1e-9 * outside.library_ns, 2e-10 * outside.library_ns});
  sum.add_outside({"page faults", profile.run.page_faults, 1e-9 * outside.faults_ns, 1e-10 * outside.faults_ns});
  sum.add_outside({"start", 1, 1e-9 * outside.start_ns, 1e-10 * outside.start_ns});

  ModelPrediction prediction;
  prediction.model = Model::icc;
  prediction.machine = machine.name;
  prediction.confidence = options.confidence;
  sum.store(prediction);
  double memory_seconds = 0;
  for (const Part& part : prediction.parts)
    if (part.name.starts_with("memory: ")) memory_seconds += part.seconds;
  ModelError error = icc_compiled;
  if (prediction.seconds > 0) error.spread = std::hypot(error.spread, icc_memory_spread * memory_seconds / prediction.seconds);
  prediction.interval = interval_of(prediction.seconds, prediction.sd.value_or(0), error, options.confidence);
  if (!library_traced) prediction.gaps = outside.gaps;
  if (prediction.seconds > 0)
    prediction.estimated_share = core->by_llvm * core->seconds / prediction.seconds +
                                 (library_traced ? 0 : 1e-9 * outside.guessed_ns / prediction.seconds);
  if (!machine.memory) prediction.remarks.push_back(machine.name + " has no memory levels: every load is taken to hit the first cache");
  else if (profile.ir && lines > 0 && unknown_lines > 0.1 * lines)
    prediction.remarks.push_back("the reuse of " + std::to_string(static_cast<int>(100 * unknown_lines / lines)) +
                                 " % of the lines from beyond the first cache was not seen; they are taken to come from what holds the whole program");
  return prediction;
}

}  // namespace perfcast::predict
