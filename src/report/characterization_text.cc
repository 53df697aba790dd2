#include "report/characterization_text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "record/operations.h"

namespace perfcast::report {
namespace {

std::string nanoseconds(double value) { return fmt::format("{:.3f}", value); }

std::string interval_of(const Measurement& m, double confidence) {
  if (m.not_detected) return m.limit ? "< " + nanoseconds(*m.limit) : "";
  if (!m.sd || m.repetitions < 2) return "";
  auto interval = student_interval(m.value, *m.sd, m.repetitions, confidence);
  return "± " + nanoseconds(m.value - interval.low);
}

std::string remarks_of(const Measurement& m) {
  std::vector<std::string> words;
  if (m.not_detected) words.push_back("not detected");
  if (m.disturbed) words.push_back("disturbed");
  if (!m.note.empty()) words.push_back(m.note);
  return join(words, "; ");
}

struct Doubts {
  int unseen = 0, disturbed = 0;
};
Doubts doubts_of(const OperationCosts& costs) {
  Doubts doubts;
  for (const auto& [name, cost] : costs.costs) doubts.unseen += cost.not_detected, doubts.disturbed += cost.disturbed;
  return doubts;
}

// Every cost.
std::string costs_text(const OperationCosts& costs, double confidence) {
  Table table({"operation", "ns", fmt::format("{:.0f} %", 100 * confidence), "meaning", ""});
  auto add = [&](const std::string& name, const Measurement& m, const std::string& meaning) {
    table.add({name, m.not_detected ? "0" : nanoseconds(m.value), interval_of(m, confidence), meaning, remarks_of(m)});
  };
  for (const auto& operation : source_operations())
    if (auto it = costs.costs.find(operation.name); it != costs.costs.end()) add(it->first, it->second, operation.meaning);
  for (const auto& [name, cost] : costs.costs)
    if (!find_operation(name)) add(name, cost, "");
  const Doubts doubts = doubts_of(costs);
  return fmt::format("\n{}, {} {}: {} operations, {} not detected, {} disturbed\n{}", costs.language, costs.compiler,
                     costs.flags, costs.costs.size(), doubts.unseen, doubts.disturbed, table.text());
}

// A line for each compiler and its flags.
std::string compilers_text(const std::vector<OperationCosts>& source) {
  Table table({"costs of", "compiler", "flags", "operations", "not detected", "disturbed"});
  for (const auto& costs : source) {
    const Doubts doubts = doubts_of(costs);
    table.add({costs.language, costs.compiler, costs.flags, std::to_string(costs.costs.size()), std::to_string(doubts.unseen),
               std::to_string(doubts.disturbed)});
  }
  return table.empty() ? "" : "\n" + table.text();
}

std::string system_text(const Machine& machine) {
  Table table({"quantity", "value", ""});
  auto add = [&](const char* name, const std::optional<Measurement>& m, const char* unit) {
    if (m) table.add({name, number_text(m->value), unit});
  };
  if (machine.core) {
    add("core clock", machine.core->clock_ghz, "GHz");
    add("instructions renamed", machine.core->front_end.rename_width, "per cycle");
    add("reorder buffer", machine.core->window.reorder_buffer, "slots");
    add("mispredicted branch", machine.core->branches.misprediction, "cycles");
  }
  add("flops, weighted", machine.mflops, "million per second");
  if (machine.system) {
    add("clock resolution", machine.system->clock_resolution_ns, "ns");
    add("reading the clock", machine.system->clock_overhead_ns, "ns");
    add("page fault", machine.system->page_fault_ns, "ns");
    add("system call", machine.system->system_call_ns, "ns");
    add("reading a file", machine.system->read_byte_ns, "ns per byte, from memory");
    add("writing a file", machine.system->write_byte_ns, "ns per byte, into memory");
    add("starting a process", machine.system->process_start_ns, "ns");
    add("others on the core", machine.system->core_sharing, "slower by this share, usually");
  }
  if (machine.memory)
    for (const auto& level : machine.memory->levels)
      if (level.latency_ns)
        table.add({level.name + " latency", number_text(level.latency_ns->value),
                   level.capacity_bytes ? "ns, up to " + size_text(level.capacity_bytes->value) : "ns"});
  return table.empty() ? "" : "\n" + table.text();
}

}  // namespace

std::string characterization_text(const Machine& machine, double confidence, bool every_cost) {
  std::string text = machine.name + ": " + machine.description + "\n" + system_text(machine);
  if (every_cost)
    for (const auto& costs : machine.source) text += costs_text(costs, confidence);
  else text += compilers_text(machine.source);
  if (!machine.gaps.empty()) {
    text += "\nmissing:\n";
    for (const auto& gap : machine.gaps) text += "  " + gap.what + "\n";
  }
  return text;
}

}  // namespace perfcast::report
