#include "methods/tree/change.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "engine/instruction_class.h"

namespace perfcast::tree {
namespace {

void scale(std::optional<Measurement>& m, double factor) {
  if (m) m->value *= factor;
}
void scale(MeasurementTable& table, double factor) {
  for (auto& [key, m] : table) m.value *= factor;
}
// A number of slots or entries: whole, and never less than before when it grows.
void widen(std::optional<Measurement>& m, double factor) {
  if (m) m->value = std::max(1.0, std::round(m->value * factor));
}
void widen(Measurement& m, double factor) { m.value = std::max(1.0, std::round(m.value * factor)); }

void scale_latency(MemoryLevel& level, double factor) {
  scale(level.latency_ns, factor);
  scale(level.random_write_ns, factor);  // stores that wait for one another
}
void scale_bandwidth(MemoryLevel& level, double factor) {
  for (MeasurementTable* table : {&level.read_ns, &level.write_ns, &level.copy_ns, &level.stride_ns, &level.stride_write_ns})
    scale(*table, factor);
  for (auto* m : {&level.update_ns, &level.partial_write_ns, &level.random_read_ns, &level.random_update_ns}) scale(*m, factor);
}

bool change_level(const std::string& what, const std::string& name, double factor, Changed& changed) {
  if (!changed.machine.memory) return false;
  auto& levels = changed.machine.memory->levels;
  auto level = std::find_if(levels.begin(), levels.end(), [&](const MemoryLevel& l) { return l.name == name; });
  if (level == levels.end()) return false;
  if (what == "size") {
    if (!level->capacity_bytes) return false;
    scale(level->capacity_bytes, factor);
    return true;
  }
  if (what != "bandwidth") scale_latency(*level, 1 / factor);
  if (what != "latency") scale_bandwidth(*level, 1 / factor);
  return true;
}

bool change_clock(double factor, Changed& changed) {
  changed.machine.core->clock_ghz.value *= factor;
  if (changed.machine.memory) {
    auto& levels = changed.machine.memory->levels;
    for (std::size_t i = 0; i < std::min<std::size_t>(2, levels.size()) && i + 1 < levels.size(); i++)
      scale_latency(levels[i], 1 / factor), scale_bandwidth(levels[i], 1 / factor);
  }
  changed.assumption = "the first two levels of memory run with the clock";
  return true;
}

bool change_front_end(double factor, CoreModel& core) {
  widen(core.front_end.rename_width, factor), widen(core.front_end.uops_per_cycle, factor);
  scale(core.front_end.taken_branches_per_cycle, factor), widen(core.window.retire_width, factor);
  return true;
}

bool change_window(double factor, Changed& changed) {
  CoreModel& core = *changed.machine.core;
  widen(core.window.reorder_buffer, factor);
  for (auto* m : {&core.window.load_queue, &core.window.store_buffer, &core.window.integer_registers, &core.window.vector_registers})
    widen(*m, factor);
  for (auto& scheduler : core.schedulers) widen(scheduler.entries, factor);
  if (changed.machine.memory)
    scale(changed.machine.memory->window_instructions, factor), scale(changed.machine.memory->window_instructions_fp, factor);
  return true;
}

// Every list of ports also names the copies.
bool change_ports(double factor, CoreModel& core, std::string& assumption) {
  constexpr int most_ports = 32;
  const int most_copies = core.ports.empty() ? 0 : most_ports / static_cast<int>(core.ports.size());
  if (factor < 1 || most_copies < 2) return false;
  const int whole = static_cast<int>(whole_factor("ports", factor)), copies = std::min(whole, most_copies);
  std::vector<std::string> ports = core.ports;
  for (int k = 1; k < copies; k++)
    for (const auto& port : ports) core.ports.push_back(port + "'" + std::to_string(k));
  auto more = [&](std::string& names) {
    std::string copy;
    for (std::size_t begin = 0; begin < names.size();) {
      std::size_t end = std::min(names.find(' ', begin), names.size());
      if (end > begin)
        for (int k = 1; k < copies; k++) copy += " " + names.substr(begin, end - begin) + "'" + std::to_string(k);
      begin = end + 1;
    }
    names += copy;
  };
  auto more_needs = [&](std::vector<PortNeed>& needs) { for (auto& need : needs) more(need.ports); };
  for (auto* rules : {&core.instructions, &core.classes})
    for (auto& rule : *rules)
      for (auto* needs : {&rule.ports, &rule.load_ports, &rule.store_address_ports, &rule.store_data_ports})
        if (*needs) more_needs(**needs);
  for (auto& rule : core.memory.loads) more_needs(rule.ports);
  for (auto& rule : core.memory.stores) more_needs(rule.address_ports), more_needs(rule.data_ports);
  for (auto& scheduler : core.schedulers) more(scheduler.ports);
  for (auto& [name, names] : core.llvm_ports) more(names);
  for (auto& bypass : core.bypasses) more(bypass.ports);
  more(core.branches.taken_ports);
  assumption = "loads and stores get the copies too";
  if (copies < whole) assumption += "; no more than " + std::to_string(copies) + " of each can be simulated";
  else if (copies != factor) assumption += "; ports come whole, " + std::to_string(copies) + " instead of " + number_text(factor);
  return true;
}

bool change_latency(double factor, CoreModel& core, std::string& assumption) {
  auto shorter = [&](double cycles) { return cycles > 1 ? std::max(1.0, cycles / factor) : cycles; };
  for (auto* rules : {&core.instructions, &core.classes})
    for (auto& rule : *rules) {
      if (rule.latency) rule.latency->value = shorter(rule.latency->value);
      for (double& cycles : rule.latency_by_definition) cycles = shorter(cycles);
    }
  assumption = "scalar and vector instructions alike; those that only the compiler's tables know keep their latency; none falls below a cycle";
  return true;
}

bool change_load_latency(double factor, CoreModel& core) {
  auto shorter = [&](Measurement& m) { m.value = std::max(1.0, m.value / factor); };
  for (auto& rule : core.memory.loads) shorter(rule.latency);
  for (auto& rule : core.memory.forwarding)
    if (rule.latency.value > 1) shorter(rule.latency);
  for (auto* rules : {&core.instructions, &core.classes})
    for (auto& rule : *rules)
      if (rule.load_latency) shorter(*rule.load_latency);
  return true;
}

Profile& own_profile(const Profile& original, Changed& changed) {
  if (!changed.profile) changed.profile = original;
  return *changed.profile;
}

// The counted branches stay; fewer of them are predicted wrongly.
bool change_predictor(double factor, const Profile& original, Changed& changed) {
  for (auto& function : own_profile(original, changed).machine->functions)
    for (auto& block : function.blocks)
      for (auto* mispredicted : {&block.mispredicted, &block.mispredicted_calls})
        if (*mispredicted) **mispredicted *= 1 / factor;
  return true;
}

// Loops with packed arithmetic run fewer iterations of the same code: what they load and store stays the same.
bool change_vector_width(double factor, const Profile& original, Changed& changed) {
  Profile& profile = own_profile(original, changed);
  bool any = false;
  for (auto& function : profile.machine->functions) {
    std::vector<bool> packed(function.loops.size(), false);
    for (const auto& block : function.blocks)
      for (const auto& instruction : block.code)
        if (block.loop && engine::class_of(profile.forms[static_cast<std::size_t>(instruction.form)]) == engine::InstructionClass::vector)
          packed[static_cast<std::size_t>(*block.loop)] = true;
    for (auto& block : function.blocks) {
      if (!block.loop || !packed[static_cast<std::size_t>(*block.loop)] || block.count.value <= 0) continue;
      any = true;
      double entries = std::max(0.0, function.loops[static_cast<std::size_t>(*block.loop)].entries.value);
      double kept = std::max(std::min(1.0, entries / block.count.value), 1 / factor);  // at least one iteration per entry
      block.count.value *= kept;
      for (auto& edge : block.next)
        if (function.blocks[static_cast<std::size_t>(edge.to)].loop == block.loop) edge.count.value *= kept;
    }
  }
  changed.assumption = "loops with packed arithmetic take fewer iterations of the same instructions; other code stays";
  return any;
}

using CoreChange = bool (*)(double factor, const Profile& original, Changed& changed);
const std::pair<const char*, CoreChange> core_changes[] = {
    {"clock", [](double factor, const Profile&, Changed& c) { return change_clock(factor, c); }},
    {"front-end", [](double factor, const Profile&, Changed& c) { return change_front_end(factor, *c.machine.core); }},
    {"window", [](double factor, const Profile&, Changed& c) { return change_window(factor, c); }},
    {"ports", [](double factor, const Profile&, Changed& c) { return change_ports(factor, *c.machine.core, c.assumption); }},
    {"latency", [](double factor, const Profile&, Changed& c) { return change_latency(factor, *c.machine.core, c.assumption); }},
    {"load-latency", [](double factor, const Profile&, Changed& c) { return change_load_latency(factor, *c.machine.core); }},
    {"misprediction", [](double factor, const Profile&, Changed& c) { return scale(c.machine.core->branches.misprediction, 1 / factor), true; }},
    {"predictor", change_predictor},
    {"vector-width", change_vector_width},
};

const std::pair<const char*, std::optional<Measurement> SystemCosts::*> system_costs[] = {
    {"page-faults", &SystemCosts::page_fault_ns}, {"start", &SystemCosts::process_start_ns}, {"neighbours", &SystemCosts::core_sharing}};

}  // namespace

bool is_change(const std::string& change) {
  const std::string kind = change.substr(0, change.find(':'));
  if (kind != change) return kind == "level" || kind == "latency" || kind == "bandwidth" || kind == "size";
  auto among = [&](const auto& changes) { return std::ranges::any_of(changes, [&](const auto& known) { return change == known.first; }); };
  return among(core_changes) || among(system_costs) || change == "rate" || change == "transport" || change == "processors" ||
         change == "loss" || change == "ceiling";
}

double whole_factor(const std::string& change, double factor) { return change == "ports" && factor >= 1 ? std::round(factor) : factor; }

bool apply_change(const std::string& change, double factor, const Profile& original, Changed& changed) {
  auto colon = change.find(':');
  if (colon != std::string::npos) return change_level(change.substr(0, colon), change.substr(colon + 1), factor, changed);
  Machine& machine = changed.machine;
  for (const auto& [name, cost] : system_costs) {
    if (change != name) continue;
    if (!machine.system || !((*machine.system).*cost)) return false;
    scale((*machine.system).*cost, 1 / factor);
    return true;
  }
  if (!machine.core || !original.machine) return false;
  for (const auto& [name, apply] : core_changes)
    if (change == name) {
      changed.core = true;
      return apply(factor, original, changed);
    }
  return false;
}

}  // namespace perfcast::tree
