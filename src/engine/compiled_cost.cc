#include "engine/compiled_cost.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <optional>

#include "engine/memory/load_waits.h"

namespace perfcast::engine {
namespace {

constexpr auto misprediction = static_cast<std::size_t>(Cause::misprediction);

// Which region a machine block belongs to: its own, or that of the IR it came from; none for library code nobody watched
// and what the code generator made up.
class RegionIndex {
 public:
  explicit RegionIndex(const std::vector<CodeRegion>& regions) {
    for (std::size_t r = 0; r < regions.size(); r++) {
      for (const Block* block : regions[r].blocks) {
        by_place_[block] = static_cast<int>(r);
        by_block_[{regions[r].function->name, block->name}] = static_cast<int>(r);
      }
      by_function_.try_emplace(regions[r].function->name, static_cast<int>(r));
    }
  }
  int of(const Function& function, const Block& block) const {
    if (auto own = by_place_.find(&block); own != by_place_.end()) return own->second;
    if (block.from)
      if (auto it = by_block_.find({function.name, *block.from}); it != by_block_.end()) return it->second;
    auto it = by_function_.find(function.name);
    return it == by_function_.end() ? -1 : it->second;
  }

 private:
  std::map<const Block*, int> by_place_;
  std::map<std::pair<std::string, std::string>, int> by_block_;
  std::map<std::string, int> by_function_;
};

// What memory adds to the region, by the block's part of the core's time and by the level that serves.
MemoryAdded memory_added(const BlockTime& block, const RegionCost& region, double ns_per_cycle) {
  MemoryAdded result;
  double all = region.joined_ns - region.core_ns;
  if (region.core_ns <= 0 || all <= 0) return result;
  double plain_ns = (block.cycles - block.by_cause[misprediction]) * ns_per_cycle;
  double added = all / region.core_ns * plain_ns, levels = 0;
  for (double ns : region.memory.level_ns) levels += ns;
  double moving = region.joined_ns - region.core_ns - region.waiting_ns - region.memory.dependent_ns;
  double waiting = levels > 0 ? std::clamp(1 - moving / all, 0.0, 1.0) : 1;
  result.dependent_ns = added * waiting;
  if (levels <= 0) return result;
  for (double ns : region.memory.level_ns) result.level_ns.push_back(added * (1 - waiting) * ns / levels);
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

// Joins each region's core and memory, and says how long the program takes with it.
double join_regions(CompiledCost& cost, const Machine& machine, const ProgramReuse& program, bool waits_in_core) {
  double added = 0;
  cost.unknown_lines = cost.lines = 0;
  for (std::size_t r = 0; r < cost.regions.size(); r++) {
    RegionCost& region = cost.region_costs[r];
    region.memory = region_memory(cost.regions[r].accesses, *machine.memory, {cost.regions[r].instructions, program, cost.regions[r].floating, waits_in_core});
    region.joined_ns = join_core_and_memory(region.core_ns + region.waiting_ns, region.memory);
    added += region.joined_ns - region.core_ns;
    cost.unknown_lines += region.memory.unknown_lines, cost.lines += region.memory.lines;
  }
  return cost.core.cycles * cost.ns_per_cycle + added;
}

// The program as it can be simulated; made when it is asked for first. Nothing where it cannot.
using Simulated = std::function<const PreparedProgram*()>;

// How much longer the core takes when its loads wait as the histograms say. `without` is the core when none waits, once known.
void simulate_waits(CompiledCost& cost, const Simulated& simulated, LoadWaits& waits, std::optional<CoreTime>& without) {
  constexpr double matters = 0.01;
  double serial = 0;
  for (const CompiledBlock& b : cost.blocks) serial += waits.serial_ns(b.core.function, b.core.block);
  for (RegionCost& region : cost.region_costs) region.waiting_ns = 0;
  if (serial < matters * cost.core.cycles * cost.ns_per_cycle) return;
  const PreparedProgram* program = simulated();
  if (!program) return;
  if (!without) without = simulate_program(*program);
  SimulationOptions options;
  options.extra_load_cycles = [&](const LoadPlace& at) { return waits.draw(at.function, at.block, at.instruction, at.before) / cost.ns_per_cycle; };
  const CoreTime with = simulate_program(*program, options);
  std::map<std::pair<int, int>, double> cycles;
  for (const BlockTime& b : with.blocks) cycles[{b.function, b.block}] += b.cycles;
  for (const BlockTime& b : without->blocks) cycles[{b.function, b.block}] -= b.cycles;
  for (const CompiledBlock& b : cost.blocks)
    if (b.region >= 0) cost.region_costs[static_cast<std::size_t>(b.region)].waiting_ns += cost.ns_per_cycle * cycles[{b.core.function, b.core.block}];
  for (RegionCost& region : cost.region_costs) region.waiting_ns = std::max(0.0, region.waiting_ns);
}

void join_memory(CompiledCost& cost, const Profile& profile, const Machine& machine, const Simulated& simulated, std::optional<CoreTime> without) {
  cost.region_costs.resize(cost.regions.size());
  ReuseTime times;
  for (CodeRegion& region : cost.regions) {
    region.instructions = 0;
    for (const Access& access : region.accesses) times.add(access);
  }
  for (const CompiledBlock& b : cost.blocks) {
    if (b.region < 0) continue;
    auto r = static_cast<std::size_t>(b.region);
    cost.region_costs[r].core_ns += (b.core.cycles - b.core.by_cause[misprediction]) * cost.ns_per_cycle;
    cost.regions[r].instructions += b.core.executions * static_cast<double>(b.block->code.size());
  }
  for (RegionCost& region : cost.region_costs) region.joined_ns = region.core_ns;
  if (!machine.memory) return;
  // How long lines stay in a busy cache depends on how long the program takes, which depends on that.
  ProgramReuse program{footprint_bytes(profile, machine), &times, cost.core.cycles * cost.ns_per_cycle};
  for (int k = 0; k < 4; k++) program.run_ns = join_regions(cost, machine, program, false);
  for (int k = 0; k < 2; k++) {
    LoadWaits waits(profile, *machine.memory, program);
    simulate_waits(cost, simulated, waits, without);
    double before = program.run_ns;
    program.run_ns = join_regions(cost, machine, program, true);
    if (!machine.memory->retention_ns || std::abs(program.run_ns / before - 1) < 0.1) break;
  }
  for (CompiledBlock& b : cost.blocks)
    if (b.region >= 0) b.memory = memory_added(b.core, cost.region_costs[static_cast<std::size_t>(b.region)], cost.ns_per_cycle);
}

CompiledCost joined(const Profile& profile, const Machine& machine, CoreTime core, const Simulated& simulated, std::optional<CoreTime> without) {
  CompiledCost cost;
  cost.core = std::move(core);
  cost.ns_per_cycle = 1 / machine.core->clock_ghz.value;
  if (profile.ir) cost.regions = code_regions(*profile.ir);
  std::ranges::move(machine_regions(*profile.machine, profile.forms), std::back_inserter(cost.regions));
  place_blocks(cost, *profile.machine);
  join_memory(cost, profile, machine, simulated, std::move(without));
  cost.outside = outside_time(profile, machine, calls_beyond(*profile.machine));
  return cost;
}

}  // namespace

double CompiledCost::seconds() const {
  double ns = core.cycles * ns_per_cycle + outside.faults_ns + outside.start_ns + outside.library_ns + outside.system_ns;
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
  TRY(const PreparedProgram program, PreparedProgram::make(profile, machine));
  CoreTime core = simulate_program(program, options);
  std::optional<CoreTime> without;
  if (options.usual()) without = core;
  return joined(profile, machine, std::move(core), [&] { return &program; }, std::move(without));
}

CompiledCost compiled_cost(const Profile& profile, const Machine& machine, CoreTime core) {
  std::optional<Result<PreparedProgram>> program;
  auto simulated = [&]() -> const PreparedProgram* {
    if (!program) program.emplace(PreparedProgram::make(profile, machine));
    return *program ? &**program : nullptr;
  };
  return joined(profile, machine, std::move(core), simulated, {});
}

bool memory_watched(const Profile& profile) {
  auto watched = [](const std::optional<Graph>& graph) {
    return graph && std::ranges::any_of(graph->functions, [](const Function& function) {
      return std::ranges::any_of(function.blocks, [](const Block& block) { return !block.accesses.empty(); });
    });
  };
  return profile.made_by.more.contains("memory bursts") || watched(profile.ir) || watched(profile.machine);
}

}  // namespace perfcast::engine
