#include "engine/compiled_cost.h"

#include <algorithm>
#include <map>

namespace perfcast::engine {
namespace {

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

// What memory adds to the region, by the block's part of the core's time and by the level that serves.
MemoryAdded memory_added(const BlockTime& block, const RegionCost& region, double ns_per_cycle) {
  MemoryAdded result;
  double all = region.joined_ns - region.core_ns;
  if (region.core_ns <= 0 || all <= 0) return result;
  double plain_ns = (block.cycles - block.by_cause[misprediction]) * ns_per_cycle;
  double added = all / region.core_ns * plain_ns;
  result.dependent_ns = std::min(added, added * region.memory.dependent_ns / all);
  double levels = 0;
  for (double ns : region.memory.level_ns) levels += ns;
  if (levels <= 0) return result;
  for (double ns : region.memory.level_ns) result.level_ns.push_back((added - result.dependent_ns) * ns / levels);
  return result;
}

void place_blocks(CompiledCost& cost, const Graph& machine_code) {
  RegionIndex index(cost.regions);
  cost.blocks.reserve(cost.core.blocks.size());
  for (const BlockTime& b : cost.core.blocks) {
    CompiledBlock block;
    block.function = &machine_code.functions[static_cast<std::size_t>(b.function)];
    block.block = &block.function->blocks[static_cast<std::size_t>(b.block)];
    block.region = index.of(*block.function, *block.block);
    block.core = b;
    cost.blocks.push_back(std::move(block));
  }
}

void join_memory(CompiledCost& cost, const Profile& profile, const Machine& machine) {
  cost.region_costs.resize(cost.regions.size());
  std::vector<double> instructions(cost.regions.size(), 0.0);
  for (const CompiledBlock& b : cost.blocks) {
    if (b.region < 0) continue;
    auto r = static_cast<std::size_t>(b.region);
    cost.region_costs[r].core_ns += (b.core.cycles - b.core.by_cause[misprediction]) * cost.ns_per_cycle;
    instructions[r] += b.core.executions * static_cast<double>(b.block->code.size());
  }
  double footprint = footprint_bytes(profile, machine);
  for (std::size_t r = 0; r < cost.regions.size(); r++) {
    RegionCost& region = cost.region_costs[r];
    if (machine.memory)
      region.memory = region_memory(cost.regions[r].accesses, *machine.memory, {instructions[r], footprint, cost.regions[r].floating});
    region.joined_ns = join_core_and_memory(region.core_ns, region.memory);
    cost.unknown_lines += region.memory.unknown_lines, cost.lines += region.memory.lines;
  }
  for (CompiledBlock& b : cost.blocks)
    if (b.region >= 0) b.memory = memory_added(b.core, cost.region_costs[static_cast<std::size_t>(b.region)], cost.ns_per_cycle);
}

}  // namespace

double CompiledCost::seconds() const {
  double ns = core.cycles * ns_per_cycle + outside.faults_ns + outside.start_ns + outside.library_ns;
  for (const CompiledBlock& block : blocks) {
    ns += block.memory.dependent_ns;
    for (double level : block.memory.level_ns) ns += level;
  }
  return 1e-9 * ns;
}

Result<CompiledCost> compiled_cost(const Profile& profile, const Machine& machine, const SimulationOptions& options) {
  if (!profile.run.isa.empty() && !machine.isa.empty() && profile.run.isa != machine.isa)
    return unfit("the profile holds " + profile.run.isa + " code and " + machine.name + " runs " + machine.isa, profile.program,
                 "analyze with --target " + machine.isa + "-linux-gnu");
  TRY(CoreTime core, simulate_program(profile, machine, options));
  return compiled_cost(profile, machine, std::move(core));
}

CompiledCost compiled_cost(const Profile& profile, const Machine& machine, CoreTime core) {
  CompiledCost cost;
  cost.core = std::move(core);
  cost.ns_per_cycle = 1 / machine.core->clock_ghz.value;
  if (profile.ir) cost.regions = code_regions(*profile.ir);
  place_blocks(cost, *profile.machine);
  join_memory(cost, profile, machine);
  cost.outside = outside_time(profile, machine, calls_beyond(*profile.machine));
  return cost;
}

}  // namespace perfcast::engine
