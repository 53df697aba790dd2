#include "engine/core_tables.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <sstream>
#include <string_view>

namespace perfcast::engine {
namespace {

// Of the usual cycles from a store to its load, what is left at the best moment where nobody measured it: a Cascade Lake forwards
// integers in 3 cycles instead of 4.5, a Granite Rapids in 5 instead of 6.4.
constexpr double least_forwarding = 2.0 / 3;

template <class Rules, class Pick>
std::vector<CompiledMatch> compile(const Rules& rules, int& number, Pick pick) {
  std::vector<CompiledMatch> compiled;
  compiled.reserve(rules.size());
  for (const auto& rule : rules) compiled.emplace_back(pick(rule), number++);
  return compiled;
}
constexpr std::identity itself;

// Repetition of what is itself repeated, "(a*)*", takes exponential time on some texts.
bool repeats_repetition(const std::string& pattern) {
  std::vector<bool> groups{false};  // whether each open group holds a repetition
  for (std::size_t i = 0; i < pattern.size(); i++) {
    const char c = pattern[i];
    if (c == '\\') {
      i++;
    } else if (c == '[') {
      const std::size_t close = pattern.find(']', i + 2);
      if (close == pattern.npos) return false;  // not well formed anyway
      i = close;
    } else if (c == '(') {
      groups.push_back(false);
    } else if (c == ')' && groups.size() > 1) {
      const bool inner = groups.back(), repeated = i + 1 < pattern.size() && std::string_view("*+{").contains(pattern[i + 1]);
      groups.pop_back();
      if (inner && repeated) return true;
      if (inner) groups.back() = true;
    } else if (c == '*' || c == '+' || c == '{') {
      groups.back() = true;
    }
  }
  return false;
}

bool well_formed(const std::string& pattern) {
  constexpr std::size_t longest = 500;
  if (pattern.size() > longest || repeats_repetition(pattern)) return false;
  try {
    static_cast<void>(std::regex(pattern));
    return true;
  } catch (const std::regex_error&) {
    return false;
  }
}

// Visits every Match and every set of ports in the model.
template <class OnMatch, class OnPorts>
void visit(const CoreModel& core, OnMatch on_match, OnPorts on_ports) {
  auto needs = [&](const std::vector<PortNeed>& list) { for (const auto& need : list) on_ports(need.ports); };
  auto rules = [&](const std::vector<InstructionRule>& list) {
    for (const auto& rule : list) {
      on_match(rule.match);
      for (const auto* ports : {&rule.ports, &rule.load_ports, &rule.store_address_ports, &rule.store_data_ports})
        if (*ports) needs(**ports);
    }
  };
  rules(core.instructions), rules(core.classes);
  for (const auto& scheduler : core.schedulers) on_ports(scheduler.ports);
  for (const auto& [name, ports] : core.llvm_ports) on_ports(ports);
  for (const auto& bypass : core.bypasses) on_ports(bypass.ports);
  on_ports(core.branches.taken_ports);
  for (const auto* list : {&core.rename.zero_idioms, &core.rename.eliminated_moves, &core.rename.sometimes_eliminated, &core.rename.false_dependences,
                           &core.rename.no_slot})
    for (const auto& match : *list) on_match(match);
  for (const auto& rule : core.rename.folded) on_match(rule.match);
  for (const auto& rule : core.rename.extra_slots) on_match(rule.match);
  for (const auto& rule : core.rename.fused) on_match(rule.first), on_match(rule.second);
  for (const auto& rule : core.memory.loads) on_match(rule.match), needs(rule.ports);
  for (const auto& rule : core.memory.stores) on_match(rule.match), needs(rule.address_ports), needs(rule.data_ports);
  for (const auto& rule : core.memory.forwarding) on_match(rule.load), on_match(rule.store);
}

std::string trouble_in(const CoreModel& core) {
  std::string trouble;
  auto on_match = [&](const Match& match) {
    for (const auto& pattern : {match.opcode, match.text})
      if (trouble.empty() && !well_formed(pattern)) trouble = "the pattern \"" + pattern + "\" is not well formed";
  };
  auto on_ports = [&](const std::string& names) {
    std::istringstream words(names);
    for (std::string word; words >> word;)
      if (trouble.empty() && std::ranges::find(core.ports, word) == core.ports.end())
        trouble = "there is no port \"" + word + "\"";
  };
  visit(core, on_match, on_ports);
  if (core.ports.size() > 32) trouble = "more than 32 ports";
  if (core.rename.fused.size() > 32 || core.memory.forwarding.size() > 32) trouble = "more than 32 rules in a list";
  if (!(core.front_end.rename_width.value >= 1)) trouble = "the rename width must be at least 1";
  if (!(core.window.reorder_buffer.value >= 1)) trouble = "the reorder buffer must hold at least 1";
  if (!(core.clock_ghz.value > 0)) trouble = "the clock must be above 0";
  return trouble;
}

}  // namespace

Status check_core(const CoreModel& core) {
  if (auto trouble = trouble_in(core); !trouble.empty())
    return unfit(trouble, "/core of the machine file", "characterize the machine again or mend the file");
  return {};
}

CoreTables::CoreTables(const CoreModel& core) : core_(core) {
  for (const auto& scheduler : core_.schedulers)
    schedulers.push_back({port_mask(scheduler.ports), static_cast<int>(std::lround(scheduler.entries.value))});
  int number = 0;
  for (const auto& rule : core_.instructions)
    rules.push_back({CompiledMatch(rule.match, number++), &rule, Origin::pattern});
  for (const auto& rule : core_.classes)
    rules.push_back({CompiledMatch(rule.match, number++), &rule, Origin::class_rule});
  const auto& rename = core_.rename;
  zero_idioms = compile(rename.zero_idioms, number, itself), eliminated = compile(rename.eliminated_moves, number, itself);
  if (core_.luckiest) std::ranges::move(compile(rename.sometimes_eliminated, number, itself), std::back_inserter(eliminated));
  false_dependences = compile(rename.false_dependences, number, itself), no_slot = compile(rename.no_slot, number, itself);
  folded = compile(rename.folded, number, [](auto& r) -> auto& { return r.match; });
  extra_slots = compile(rename.extra_slots, number, [](auto& r) -> auto& { return r.match; });
  fusion_first = compile(rename.fused, number, [](auto& r) -> auto& { return r.first; });
  fusion_second = compile(rename.fused, number, [](auto& r) -> auto& { return r.second; });
  forward_load = compile(core_.memory.forwarding, number, [](auto& r) -> auto& { return r.load; });
  forward_store = compile(core_.memory.forwarding, number, [](auto& r) -> auto& { return r.store; });
  loads = compile(core_.memory.loads, number, [](auto& r) -> auto& { return r.match; });
  stores = compile(core_.memory.stores, number, [](auto& r) -> auto& { return r.match; });
  for (const auto& rule : core_.memory.forwarding) {
    const double least = rule.least_latency ? rule.least_latency->value : least_forwarding * rule.latency.value;
    forwarding_cycles.push_back(core_.luckiest ? std::min(least, rule.latency.value) : rule.latency.value);
  }
  for (const auto& rule : core_.memory.loads)
    for (const auto& need : rule.ports) load_ports |= port_mask(need.ports);
  for (const auto& rule : core_.memory.stores) {
    for (const auto& need : rule.address_ports) store_address_ports |= port_mask(need.ports);
    for (const auto& need : rule.data_ports) store_data_ports |= port_mask(need.ports);
  }
  taken_ports = port_mask(core_.branches.taken_ports);
  auto name_kind = [&](const std::string& kind) {
    if (!kind.empty() && !kind_numbers_.contains(kind)) kind_numbers_[kind] = kinds_++;
  };
  for (const auto& rule : core_.instructions) name_kind(rule.kind);
  for (const auto& rule : core_.classes) name_kind(rule.kind);
  name_kind(folded_kind);
  folded_result = kind_of(folded_kind);
  bypasses_.resize(static_cast<std::size_t>(kinds_) * static_cast<std::size_t>(kinds_));
  for (const auto& rule : core_.bypasses) {
    const Bypass bypass{rule.cycles, rule.accumulator_only, rule.delays_result, port_mask(rule.ports), true};
    const int from = kind_of(rule.from), to = kind_of(rule.to);
    if (from && to) bypasses_[from * kinds_ + to] = bypass;
    if (from && rule.to == other_kinds)
      for (int other = 0; other < kinds_; other++)
        if (Bypass& entry = bypasses_[from * kinds_ + other]; other != from && !entry.present) entry = bypass;
  }
}

int CoreTables::kind_of(const std::string& name) const {
  auto found = kind_numbers_.find(name);
  return found == kind_numbers_.end() ? 0 : found->second;
}

std::uint32_t CoreTables::port_mask(const std::string& names) const {
  std::uint32_t mask = 0;
  std::istringstream words(names);
  for (std::string word; words >> word;)
    if (auto at = std::ranges::find(core_.ports, word); at != core_.ports.end()) mask |= 1u << (at - core_.ports.begin());
  return mask;
}

std::uint32_t CoreTables::llvm_mask(const std::string& resource) const {
  auto found = core_.llvm_ports.find(resource);
  return found == core_.llvm_ports.end() ? 0 : port_mask(found->second);
}

}  // namespace perfcast::engine
