// What a machine file must hold beyond the shape of its JSON. Rules and ports are checked where they are compiled
// (engine/core_tables.h).
#include "record/check.h"

namespace perfcast {
namespace {

// Queues are allocated as large as the file says; no core has a millionth of this.
constexpr double largest_queue = 1e6;
constexpr double longest_cycles = 1e9;

void in_range(const std::optional<Measurement>& number, double low, double high, const std::string& place, const char* what) {
  if (number) need(number->value >= low && number->value <= high, place, what);
}
void above_zero(const std::optional<Measurement>& number, const std::string& place) {
  if (number) need(number->value > 0, place, "must be above 0");
}

void check_window(const CoreModel& core) {
  const char* what = "not a size or width of a core";
  in_range(core.front_end.rename_width, 1, 1000, "/core/front_end/rename_width", what);
  in_range(core.front_end.uops_per_cycle, 0, 1000, "/core/front_end/uops_per_cycle", what);
  in_range(core.front_end.taken_branches_per_cycle, 0, 1000, "/core/front_end/taken_branches_per_cycle", what);
  const Window& w = core.window;
  in_range(w.reorder_buffer, 1, largest_queue, "/core/window/reorder_buffer", what);
  in_range(w.retire_width, 0, largest_queue, "/core/window/retire_width", what);
  in_range(w.release_cycles, 0, longest_cycles, "/core/window/release_cycles", "not a number of cycles");
  in_range(w.load_queue, 0, largest_queue, "/core/window/load_queue", what);
  in_range(w.store_buffer, 0, largest_queue, "/core/window/store_buffer", what);
  in_range(w.integer_registers, 0, largest_queue, "/core/window/integer_registers", what);
  in_range(w.vector_registers, 0, largest_queue, "/core/window/vector_registers", what);
  for (const Scheduler& scheduler : core.schedulers) in_range(scheduler.entries, 0, largest_queue, "/core/schedulers/" + scheduler.name, what);
}

void check_needs(const std::vector<PortNeed>& needs, const std::string& place) {
  for (const PortNeed& n : needs)
    need(n.occupancy >= 0 && n.occupancy <= longest_cycles && n.count >= 0 && n.count <= 1000, place, "not what an instruction needs of a port");
}

void check_cycles(const std::optional<Measurement>& number, const std::string& place) {
  in_range(number, -longest_cycles, longest_cycles, place, "not a number of cycles");
}

void check_rules(const std::vector<InstructionRule>& rules, const std::string& place) {
  for (std::size_t i = 0; i < rules.size(); i++) {
    const InstructionRule& rule = rules[i];
    const std::string here = place + "/" + std::to_string(i);
    check_cycles(rule.latency, here + "/latency"), check_cycles(rule.load_latency, here + "/load_latency");
    check_cycles(rule.least_latency, here + "/least_latency"), check_cycles(rule.least_throughput, here + "/least_throughput");
    for (double cycles : rule.latency_by_definition) need(cycles >= -longest_cycles && cycles <= longest_cycles, here, "not a number of cycles");
    if (rule.kept_latency) need(*rule.kept_latency >= 0 && *rule.kept_latency <= longest_cycles, here, "not a number of cycles");
    if (rule.address_latency) need(*rule.address_latency >= -longest_cycles && *rule.address_latency <= longest_cycles, here, "not a number of cycles");
    for (const auto* ports : {&rule.ports, &rule.load_ports, &rule.store_address_ports, &rule.store_data_ports})
      if (*ports) check_needs(**ports, here);
    need(rule.slots.value_or(0) >= 0 && rule.slots.value_or(0) <= 1000, here + "/slots", "not a number of slots");
  }
}

void check_core_memory(const MemoryRules& memory) {
  need(memory.line_bytes > 0 && memory.line_bytes <= 1 << 20, "/core/memory/line_bytes", "not a size of a line");
  need(memory.stores_per_line >= 1 && memory.stores_per_line <= 1 << 20, "/core/memory/stores_per_line", "must be at least 1");
  for (const BankRule& bank : memory.banks)
    need(bank.period_bytes > 0 && bank.per_cycle > 0, "/core/memory/banks", "a bank has a period and serves at least one access");
  for (const LoadRule& rule : memory.loads) check_cycles(rule.latency, "/core/memory/loads"), check_needs(rule.ports, "/core/memory/loads");
  for (const StoreRule& rule : memory.stores) check_needs(rule.address_ports, "/core/memory/stores"), check_needs(rule.data_ports, "/core/memory/stores");
  for (const ForwardingRule& rule : memory.forwarding) check_cycles(rule.latency, "/core/memory/forwarding"), check_cycles(rule.least_latency, "/core/memory/forwarding");
  check_cycles(memory.failed_forwarding, "/core/memory/failed_forwarding"), check_cycles(memory.narrow_forwarding, "/core/memory/narrow_forwarding");
  in_range(memory.load_repeats, 0, 16, "/core/memory/load_repeats", "not a number of repetitions");
  check_cycles(memory.waiting_load, "/core/memory/waiting_load");
  in_range(memory.cautious_loads, 0, 255, "/core/memory/cautious_loads", "not a number of executions");
  check_cycles(memory.alias_cycles, "/core/memory/alias_cycles"), in_range(memory.alias_repeats, 0, 16, "/core/memory/alias_repeats", "not a number of repetitions");
  in_range(memory.store_cycles, 0, largest_queue, "/core/memory/store_cycles", "not a number of cycles");
  in_range(memory.crossing_load_cycles, 0, 1000, "/core/memory/crossing_load_cycles", "not a number of cycles");
  check_cycles(memory.crossing_load_later, "/core/memory/crossing_load_later");
  in_range(memory.crossing_store_cycles, 0, 1000, "/core/memory/crossing_store_cycles", "not a number of cycles");
}

void check_core(const CoreModel& core) {
  above_zero(core.clock_ghz, "/core/clock_ghz");
  check_window(core);
  check_rules(core.instructions, "/core/instructions"), check_rules(core.classes, "/core/classes");
  check_cycles(core.wide_division, "/core/wide_division");
  for (const BypassRule& bypass : core.bypasses)
    need(bypass.cycles >= -longest_cycles && bypass.cycles <= longest_cycles, "/core/bypasses", "not a number of cycles");
  in_range(core.rename.stack_sync, 0, 16, "/core/rename/stack_sync", "not a number of slots");
  in_range(core.rename.extra_within, 0, 1000, "/core/rename/extra_within", "not a number of slots");
  for (const ExtraSlots& extra : core.rename.extra_slots) need(extra.slots >= -1000 && extra.slots <= 1000, "/core/rename/extra_slots", "not a number of slots");
  in_range(core.front_end.replayed_taken_branches, 0, 1000, "/core/front_end/replayed_taken_branches", "not a number of branches");
  in_range(core.front_end.replayed_taken_per_cycle, 1, 1000, "/core/front_end/replayed_taken_per_cycle", "not a number of branches");
  in_range(core.front_end.near_branches, 0, 1 << 20, "/core/front_end/near_branches", "not a number of branches");
  in_range(core.front_end.near_branch_bytes, 1, 1 << 20, "/core/front_end/near_branch_bytes", "not a size of a block of code");
  in_range(core.front_end.boundary_bytes, 1, 1 << 20, "/core/front_end/boundary_bytes", "not a size of a block of code");
  in_range(core.front_end.decode_bytes, 1, 1 << 20, "/core/front_end/decode_bytes", "not a number of bytes");
  in_range(core.front_end.far_branch, 0, largest_queue, "/core/front_end/far_branch", "not a number of cycles");
  check_core_memory(core.memory);
  in_range(core.branches.misprediction, 0, largest_queue, "/core/branches/misprediction", "not a number of cycles");
  in_range(core.branches.call_return, 0, largest_queue, "/core/branches/call_return", "not a number of cycles");
}

void check_memory(const MemoryModel& memory) {
  need(memory.line_bytes > 0 && memory.page_bytes >= memory.line_bytes, "/memory", "lines and pages have a size, pages the larger");
  for (std::size_t i = 0; i < memory.levels.size(); i++) {
    const std::string place = "/memory/levels/" + std::to_string(i);
    above_zero(memory.levels[i].capacity_bytes, place + "/capacity_bytes");
    above_zero(memory.levels[i].parallel_misses, place + "/parallel_misses");
    in_range(memory.levels[i].latency_ns, 0, 1e60, place + "/latency_ns", "a latency is not negative");
  }
  above_zero(memory.translation.first_entries, "/memory/translation/first_entries");
  above_zero(memory.translation.second_entries, "/memory/translation/second_entries");
  above_zero(memory.window_instructions, "/memory/window_instructions"), above_zero(memory.window_instructions_fp, "/memory/window_instructions_fp");
}

}  // namespace

void check_record(const Machine& machine) {
  above_zero(machine.mflops, "/mflops");
  if (machine.core) check_core(*machine.core);
  if (machine.memory) check_memory(*machine.memory);
}

}  // namespace perfcast
