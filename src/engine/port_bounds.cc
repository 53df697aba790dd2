#include "engine/port_bounds.h"

#include <bit>
#include <map>

#include "engine/resolve.h"
#include "engine/simulate.h"

namespace perfcast::engine {
namespace {

std::string names_of(std::uint32_t mask, const CoreModel& core) {
  std::string names;
  for (std::size_t k = 0; k < core.ports.size(); k++)
    if (mask >> k & 1) names += (names.empty() ? "" : " ") + core.ports[k];
  return names;
}

}  // namespace

CoreModel luckiest(CoreModel core) {
  core.luckiest = true;
  core.rename.eliminated_share.reset();  // some moves are kept for want of room to follow them
  core.memory.load_repeats.reset(), core.memory.waiting_load.reset(), core.memory.constants_end_renaming = false;
  core.wide_division.reset(), core.memory.cautious_loads.reset(), core.memory.alias_cycles.reset(), core.memory.crossing_load_later.reset();
  core.front_end.near_branches.reset(), core.front_end.boundary_bytes.reset();
  // The second read of a load across lines fits beside the address of a store where both are formed on the same ports.
  if (const CoreTables tables(core); tables.load_ports & tables.store_address_ports) core.memory.crossing_load_cycles.reset();
  return core;
}

Result<PortBound> port_bound(std::span<const Instruction> code, const std::vector<InstructionForm>& forms,
                             const CoreModel& core, std::span<const double> times) {
  CHECK_OK(check_core(core));
  const CoreTables tables(luckiest(core));
  auto resolved = resolve_all(tables, forms, {code.begin(), code.end()});
  std::map<std::uint32_t, double> demand;
  double slots = 0;
  bool first = false;  // of a fused pair; of three in a row that would fuse the first two do
  for (std::size_t k = 0; k < resolved.size(); k++) {
    double often = k < times.size() ? times[k] : 1;
    const bool second = first;
    first = !second && k + 1 < resolved.size() && fuse(resolved[k], resolved[k + 1]);
    slots += often * (second ? 0 : first ? 1 : resolved[k].slots);
    for (const auto& op : resolved[k].micro_ops)
      if (!(first && op.part == Part::compute)) demand[op.ports] += often * op.occupancy;
  }
  PortBound bound{slots / core.front_end.rename_width.value, "rename"};
  // The tightest set is a union of demanded sets; unions are built up one by one.
  std::map<std::uint32_t, bool> unions{{0u, true}};
  for (const auto& [mask, cycles] : demand) {
    std::vector<std::uint32_t> more;
    more.reserve(unions.size());
    for (const auto& [known, yes] : unions) more.push_back(known | mask);
    constexpr std::size_t most = 1 << 14;
    for (auto one : more)
      if (unions.size() < most) unions[one] = true;
  }
  for (const auto& [set, yes] : unions) {
    if (!set) continue;
    double inside = 0;
    for (const auto& [mask, cycles] : demand)
      if ((mask & ~set) == 0) inside += cycles;
    if (double cycles = inside / std::popcount(set); cycles > bound.cycles) bound = {cycles, names_of(set, core)};
  }
  return bound;
}

// The same pipeline with nothing scarce: what is left is dependences.
Result<double> dependence_bound(std::span<const Instruction> body, const std::vector<InstructionForm>& forms,
                                const CoreModel& core) {
  CHECK_OK(check_core(core));
  const CoreTables tables(luckiest(core));
  auto code = resolve_all(tables, forms, {body.begin(), body.end()});
  CoreModel wide = luckiest(core);
  wide.front_end.rename_width.value = 1e6, wide.front_end.uops_per_cycle = {}, wide.front_end.taken_branches_per_cycle = {};
  wide.window = {}, wide.window.reorder_buffer.value = 1e5;
  wide.schedulers.clear(), wide.bind_ports_at_rename = false, wide.branches.call_return = {};
  wide.memory.store_cycles = {}, wide.memory.crossing_load_cycles = {}, wide.memory.crossing_store_cycles = {}, wide.memory.banks.clear();
  CoreTables unlimited(wide);
  for (auto& instruction : code)
    for (auto& op : instruction.micro_ops) op.ports = 0;
  Pipeline pipeline(unlimited, register_units(code));
  constexpr int iterations = 60, warm = 20;
  double begin = 0;
  for (int i = 0; i < iterations; i++) {
    if (i == warm) begin = pipeline.cycles();
    for (std::size_t k = 0; k < code.size(); k++)
      pipeline.step(code[k], {}, k + 1 < code.size() ? &code[k + 1] : nullptr);
  }
  return (pipeline.cycles() - begin) / (iterations - warm);
}

}  // namespace perfcast::engine
