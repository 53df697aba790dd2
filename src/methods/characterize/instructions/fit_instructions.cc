// Latencies and ports of the forms. A chain says the latency, a stream and its pairs the ports; what agrees with the
// family within what a chain or a stream can tell stays the family's.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/statistics.h"
#include "methods/characterize/instructions/fitting.h"
#include "methods/characterize/instructions/port_fit.h"

namespace perfcast::instructions {
namespace {

constexpr double whole_within = 0.12;   // a latency so near a whole number is that number
constexpr double latency_agrees = 0.4;  // cycles a chain may take beyond its latency: ports chosen badly only add

double whole(double value) {
  const double nearest = std::round(value);
  return nearest >= 1 && std::abs(value - nearest) <= whole_within ? nearest : std::round(value * 100) / 100;
}

bool is_memory(const Form& form) {
  return form.kind.starts_with("load") || form.kind.starts_with("store") || form.kind == "rmw" || form.kind == "gather" ||
         form.kind == "scatter" || form.kind == "atomic";
}
bool is_computing(const Form& form) {
  return !is_memory(form) && form.kind != "x87-slow" && form.kind != "branch" && form.kind != "nop" && form.kind != "move" && form.kind != "move-vector";
}

class InstructionFitter {
 public:
  explicit InstructionFitter(Fitting& fitting)
      : fitting_(fitting), table_(fitting.table), described_(fitting.described), timings_(fitting.timings),
        tables_(fitting.tables), resolved_(fitting.resolved), result_(fitting.result) {}

  void fit() {
    instructions();
    loads();
    load_ports();
    one_at_a_time();
  }

 private:
  void instructions() {
    std::vector<InstructionRule> rules;
    for (bool with_helpers : {false, true})  // helpers first
      for (auto& form : table_.forms)
        if (form.minus.empty() != with_helpers) add_rule(form, rules);
    auto& all = result_.core.instructions;
    all.insert(all.begin(), rules.begin(), rules.end());
    std::ranges::stable_partition(all, [](const InstructionRule& rule) { return !rule.match.text.empty(); });  // before what is said of all
  }
  void add_rule(const Form& form, std::vector<InstructionRule>& rules) {
    if (form.opcodes.empty() || !is_computing(form) || !described_.of.contains(form.name)) return;
    const auto timing = timing_of(timings_, form);
    InstructionRule rule;
    rule.match.opcode = anchored(form.opcodes), rule.match.text = form.text;
    set_latency(form, timing, rule);
    set_other_results(form, rule);
    rule.throughput = timing.throughput;
    set_least(form, timing, rule);
    set_ports(form, timing, rule);
    if (rule.latency || rule.throughput) rules.push_back(std::move(rule));
    if (const auto slots = slots_of(form, timing); slots && *slots != resolved_.at(form.name).slots) {
      InstructionRule at_rename;  // of registers: what comes from memory has slots of its own
      at_rename.match.opcode = anchored(form.opcodes), at_rename.match.text = form.text, at_rename.match.load = at_rename.match.store = false;
      at_rename.slots = *slots, at_rename.note = fmt::format("slots/{} {:.3g}", form.name, *timings_.cycles("slots/" + form.name));
      result_.changes.push_back(fmt::format("{}: {} slots instead of {}", form.name, *slots, resolved_.at(form.name).slots));
      rules.push_back(std::move(at_rename));
    }
  }

  // A copy of its stream with fillers: its cycles, and the slots that the fillers leave, helpers of the stream included.
  struct Slots {
    double cycles = 0, slots = 0;
  };
  std::optional<Slots> slots_beside_fillers(const Form& form) const {
    const auto cycles = timings_.cycles("slots/" + form.name);
    if (!cycles) return {};
    return Slots{*cycles, *cycles * result_.core.front_end.rename_width.value - slot_fillers};
  }

  // What the fillers beside it leave of the slots at rename, where slots are what limits the loop, and not its ports.
  std::optional<int> slots_of(const Form& form, const FormTiming& timing) const {
    constexpr double clearly_more = 1.1, sure = 0.2;
    const auto taken = slots_beside_fillers(form);
    const auto& known = resolved_.at(form.name);
    if (!taken || known.zero_idiom || known.eliminated || known.folded) return {};
    if (!timing.throughput || taken->cycles < clearly_more * timing.throughput->value) return {};
    const double slots = taken->slots - (instructions_in(form.stream) - 1), nearest = std::round(slots);
    if (nearest < 1 || std::abs(slots - nearest) > sure || std::abs(nearest - known.slots) > 1) return {};  // else something other than slots
    return static_cast<int>(nearest);
  }

  // The chain of a form without its helpers. Of a round trip each half gets half of what the sum is off.
  std::optional<Measurement> net_latency(const Form& form) const {
    auto chain = timing_of(timings_, form).latency;
    if (!chain) return {};
    chain->value -= fitting_.known_latency(form.minus);
    if (!form.partner.empty() && resolved_.contains(form.name) && resolved_.contains(form.partner)) {
      const double own = resolved_.at(form.name).results.front().latency, other = resolved_.at(form.partner).results.front().latency;
      chain->value += (own - other) / 2;
    }
    return chain;
  }

  void set_latency(const Form& form, const FormTiming& timing, InstructionRule& rule) {
    const auto& known = resolved_.at(form.name);
    const auto& bypass = tables_.bypass(known.kind, known.kind);
    const bool only_accumulates = !timing.latency && form.chain.empty() && !bypass.present;
    const auto chain = only_accumulates ? timing.accumulate : net_latency(form);
    if (!chain || chain->value < 0.6 || known.folded || known.eliminated || known.zero_idiom) return;
    const double own = bypasses_in_chain(form);
    const double before = known.results.empty() ? 0 : known.results.front().latency;
    Measurement latency = *chain;
    latency.value = whole(chain->value - own);
    const double more = chain->value - own - before;
    if (more > -0.06 * before && more < std::min(latency_agrees, 0.2 + 0.05 * before))
      latency.value = before;  // within what the chain can tell
    else
      result_.changes.push_back(fmt::format("{}: latency {} instead of {}", form.name, latency.value, before));
    rule.latency = latency;
    fitting_.latency[form.name] = latency.value;
  }

  // A quotient is known before its remainder, the lower half of a product before the upper; what stays of a destination is
  // needed last.
  void set_other_results(const Form& form, InstructionRule& rule) {
    for (const auto& [shown_by, of, definition] : table_.results) {
      const auto chain = timings_.cycles(shown_by);
      if (of != form.name || !rule.latency || !chain) continue;
      const double latency = *chain - fitting_.known_latency(table_.case_of(shown_by)->minus);
      if (std::abs(latency - rule.latency->value) < latency_agrees || latency < 1) continue;
      if (definition == OtherResult::kept) {
        rule.kept_latency = whole(latency);
        result_.changes.push_back(fmt::format("{}: latency {} from what its destination held", form.name, *rule.kept_latency));
        continue;
      }
      auto& by_definition = rule.latency_by_definition;
      const auto place = static_cast<std::size_t>(definition);
      by_definition.resize(std::max(by_definition.size(), place + 1), rule.latency->value);
      by_definition[place] = whole(latency);
      result_.changes.push_back(fmt::format("{}: latency {} of result {}", form.name, by_definition[place], definition + 1));
    }
  }

  // What the easiest operands take; the usual ones take no less.
  void set_least(const Form& form, const FormTiming& timing, InstructionRule& rule) {
    auto least = [&](const std::string& name, const std::optional<Measurement>& usual, std::optional<Measurement>& into) {
      if (const auto cycles = timings_.cycles(name)) into = fitting_.from(name, std::min(whole(*cycles), value_or(usual, *cycles)));
    };
    if (std::ranges::find(table_.easy, form.name, &EasyOperands::form) == table_.easy.end()) return;
    least("easy/" + form.name + "/chain", rule.latency, rule.least_latency);
    least("easy/" + form.name + "/stream", timing.throughput, rule.least_throughput);
  }

  // What bypasses add to one latency of the chain: between copies, or to and from the helpers.
  double bypasses_in_chain(const Form& form) const {
    auto between = [&](int from, int to) {
      const auto& bypass = tables_.bypass(from, to);
      return bypass.present && !bypass.accumulator_only ? bypass.cycles : 0;
    };
    std::vector<int> kinds{resolved_.at(form.name).kind};
    for (auto& name : form.minus)
      if (auto it = resolved_.find(name); it != resolved_.end()) kinds.push_back(it->second.kind);
    double sum = 0;
    for (std::size_t i = 0; i < kinds.size(); i++) sum += between(kinds[i], kinds[(i + 1) % kinds.size()]);
    return sum;
  }

  std::vector<Demand> demands_of(const std::string& form) const {
    std::vector<Demand> demands;
    auto it = resolved_.find(form);
    if (it != resolved_.end())
      for (auto& op : it->second.micro_ops) demands.push_back({op.ports, double(op.occupancy)});
    return demands;
  }

  // A unit that is not pipelined, such as a divider, is kept for as long as the stream says, where that is not far from what
  // the family's rule has.
  static std::vector<Demand> kept_as_long_as(std::vector<Demand> demands, double alone) {
    constexpr double whole_unit = 3, near = 2, same = 0.04;
    if (demands.empty()) return demands;
    auto& longest = *std::ranges::max_element(demands, {}, &Demand::cycles);
    const double bound = port_bound(demands), ratio = alone / bound;
    if (longest.cycles < whole_unit || std::popcount(longest.ports) != 1 || bound > longest.cycles) return demands;
    if (std::abs(ratio - 1) > same && ratio < near && ratio > 1 / near) longest.cycles = std::round(alone);
    return demands;
  }

  void set_ports(const Form& form, const FormTiming& timing, InstructionRule& rule) {
    const auto& bypass = tables_.bypass(resolved_.at(form.name).kind, resolved_.at(form.name).kind);
    if (bypass.present && bypass.ports) return;  // the stream accumulates, on some of the ports only
    if (!timing.throughput || form.dependent || resolved_.at(form.name).folded || resolved_.at(form.name).zero_idiom) return;
    const double alone = timing.throughput->value;
    PortEvidence evidence;
    evidence.rename_width = result_.core.front_end.rename_width.value;
    evidence.slots = std::max(1, resolved_.at(form.name).slots);
    evidence.timings.push_back({{}, 0, alone});
    for (auto& reference : table_.references)
      if (auto pair = timings_.cycles("pair/" + form.name + "/" + reference.name); pair && tells(form, timing, reference, *pair))
        evidence.timings.push_back({demands_of(reference.name), 1, *pair});
    auto fit = fit_ports(kept_as_long_as(demands_of(form.name), alone), known_sets(form), evidence, most_micro_ops(form));
    if (fit.demands.empty() || (!fit.changed && fit.demands == demands_of(form.name))) return;
    std::vector<PortNeed> needs;
    std::string text;
    for (auto& demand : fit.demands) {
      needs.push_back({names_of(demand.ports), demand.cycles, 1});
      text += (text.empty() ? "" : " + ") + needs.back().ports + (demand.cycles > 1 ? fmt::format(" for {}", demand.cycles) : "");
    }
    result_.changes.push_back(fmt::format("{}: ports {} (misfit {:.2f})", form.name, text, fit.misfit));
    rule.ports = std::move(needs);
  }

  // Does a pair tell of ports? Not beside wide vectors, where narrow ones move to other ports; not when the register
  // both read and written is what holds it up, as a pair has half of the registers; not when something else happened.
  bool tells(const Form& form, const FormTiming& timing, const Reference& reference, double pair) const {
    if (width_class(form.name) == 2 && width_class(reference.name) == 1) return false;
    const auto other = timings_.cycles("stream/" + reference.name);
    if (other && pair > 1.5 * (timing.throughput->value + *other) + 0.5) return false;
    const auto& code = described_.of.at(form.name).instruction;
    const bool renewed = std::ranges::any_of(code.uses, [&](const RegisterUse& use) {
      return std::ranges::any_of(code.defs, [&](const RegisterUse& def) { return def.unit == use.unit; });
    });
    const double latency = std::max(value_or(timing.latency, 0), value_or(timing.accumulate, 0));
    const int registers = width_class(form.name) == 0 ? 4 : 6;
    return !renewed || pair > 1.08 * latency / registers;
  }
  // As many as the slots say that it takes at rename.
  int most_micro_ops(const Form& form) const {
    const auto taken = slots_beside_fillers(form);
    return taken ? std::clamp(static_cast<int>(std::lround(taken->slots)), 1, 4) : 4;
  }

  // Sets of ports that the family's instructions of the same width use: wide vectors do not run everywhere.
  const std::vector<std::uint32_t>& known_sets(const Form& form) {
    const int width = width_class(form.name);
    auto& sets = sets_[width];
    if (!sets.empty()) return sets;
    std::map<std::uint32_t, int> found;
    for (auto& [name, instruction] : resolved_) {
      const Form* other = table_.find(name);
      if (other && is_computing(*other) && width_class(name) == width)
        for (auto& op : instruction.micro_ops) found[op.ports]++;
    }
    for (auto& [ports, times] : found) sets.push_back(ports);
    std::ranges::sort(sets, std::greater{}, [&](std::uint32_t ports) { return found[ports]; });  // the usual ones first
    return sets;
  }
  int width_class(const std::string& form) const {
    const int bits = described_.of.at(form).form.vector_bits;
    return bits == 0 ? 0 : bits <= 256 ? 1 : 2;
  }
  std::string names_of(std::uint32_t ports) const {
    std::string names;
    for (std::size_t i = 0; i < result_.core.ports.size(); i++)
      if (ports >> i & 1) names += (names.empty() ? "" : " ") + result_.core.ports[i];
    return names;
  }

  // The latency of each load rule is the median of the forms it speaks for; forms that differ get a rule of their own.
  void loads() {
    auto& rules = result_.core.memory.loads;
    std::vector<std::vector<std::pair<const Form*, Measurement>>> of(rules.size());
    for (auto& form : table_.forms) {
      if (form.kind != "load" || !described_.of.contains(form.name)) continue;
      const auto latency = net_latency(form);
      if (!latency || latency->value < 2) continue;  // renamed away
      const auto place = load_rule_of(described_.of.at(form.name));
      if (place) of[*place].push_back({&form, *latency});
    }
    for (std::size_t i = 0; i < rules.size(); i++) {
      if (of[i].empty()) continue;
      std::vector<double> values;
      for (auto& [form, latency] : of[i]) values.push_back(latency.value);
      const double middle = whole(median(values));
      rules[i].latency = measured(middle, of[i].front().second.sd.value_or(0), of[i].front().second.repetitions,
                                  fmt::format("{} forms, such as {}", of[i].size(), of[i].front().first->name));
      for (auto& [form, latency] : of[i])
        if (std::abs(latency.value - middle) > 0.4 && !form->opcodes.empty()) {
          InstructionRule rule;
          rule.match.opcode = anchored(form->opcodes);
          if (differs_by_index(*form, latency.value, of[i])) rule.match.indexed = described_.of.at(form->name).form.indexed;
          rule.load_latency = latency;
          rule.load_latency->value = whole(latency.value);
          result_.core.instructions.insert(result_.core.instructions.begin(), rule);
        }
    }
  }
  // Whether the same instruction with and without an index register takes longer one way.
  bool differs_by_index(const Form& form, double latency, const std::vector<std::pair<const Form*, Measurement>>& others) const {
    const InstructionForm& own = described_.of.at(form.name).form;
    return std::ranges::any_of(others, [&](const auto& other) {
      const InstructionForm& their = described_.of.at(other.first->name).form;
      return their.opcode == own.opcode && their.indexed != own.indexed && std::abs(other.second.value - latency) > 0.4;
    });
  }
  // Loads and gathers that are faster or slower than their rule's ports allow.
  void load_ports() {
    for (auto& form : table_.forms) {
      if ((form.kind != "load" && form.kind != "gather") || form.opcodes.empty() || form.stream.find("rsp") != std::string::npos ||
          !described_.of.contains(form.name))
        continue;
      const auto throughput = timing_of(timings_, form).throughput;
      if (!throughput) continue;
      std::vector<Demand> demands;
      std::uint32_t all = 0;
      for (auto& op : resolved_.at(form.name).micro_ops)
        if (op.part == engine::Part::load) demands.push_back({op.ports, double(op.occupancy)});
      for (auto& rule : result_.core.memory.loads)
        for (auto& need : rule.ports) all |= tables_.port_mask(need.ports);
      const double bound = port_bound(demands);
      if (!all || std::abs(throughput->value / bound - 1) < 0.2) continue;
      const int count = std::max(1, static_cast<int>(std::lround(throughput->value * std::popcount(all))));
      if (form.kind == "load" && (count > 4 || throughput->value > bound)) continue;  // slower: banks, lines, noise
      InstructionRule rule;
      rule.match.opcode = anchored(form.opcodes);
      rule.throughput = throughput;
      rule.load_ports = std::vector<PortNeed>{{names_of(all), 1, count}};
      if (form.kind == "gather") rule.ports = std::vector<PortNeed>{};
      result_.changes.push_back(fmt::format("{}: {} loads", form.name, count));
      result_.core.instructions.insert(result_.core.instructions.begin(), rule);
    }
  }
  std::optional<std::size_t> load_rule_of(const DescribedForm& d) const {
    std::vector<signed char> remembered;
    engine::Candidate candidate{d.form, d.instruction, remembered};
    for (std::size_t i = 0; i < tables_.loads.size(); i++)
      if (tables_.loads[i].holds(candidate)) return i;
    return {};
  }

  // Locked instructions, fences and scatters run one at a time, and so do the long ones of the x87: a port of their own,
  // kept for as long as one takes. Those are sequences from the core's own memory, during which nothing else is renamed.
  void one_at_a_time() {
    own_port("atomic", "atomic", 3);
    own_port("scatter", "scatter", 3);
    own_port("x87-slow", "x87", 1);
  }
  void own_port(const std::string& kind, const std::string& port, double least_cycles) {
    bool any = false;
    for (auto& form : table_.forms) {
      if (form.kind != kind || form.opcodes.empty()) continue;
      const auto timing = timing_of(timings_, form);
      if (!timing.throughput || timing.throughput->value < least_cycles) continue;
      InstructionRule rule;
      rule.match.opcode = anchored(form.opcodes);
      rule.throughput = timing.throughput;
      rule.ports = std::vector<PortNeed>{{port, std::round(timing.throughput->value), 1}};
      if (const auto latency = net_latency(form); kind == "x87-slow") {
        // Renaming it takes as long as it takes alone: the rest of a chain is the latency of its last micro-operation.
        if (latency) rule.latency = latency, rule.latency->value = std::max(1.0, latency->value - timing.throughput->value);
        rule.slots = std::max(1, static_cast<int>(std::lround(timing.throughput->value * result_.core.front_end.rename_width.value)));
      }
      result_.core.instructions.insert(result_.core.instructions.begin(), rule);
      any = true;
    }
    auto& ports = result_.core.ports;
    if (any && std::ranges::find(ports, port) == ports.end()) ports.push_back(port);
  }

  Fitting& fitting_;
  const FormTable& table_;
  const DescribedForms& described_;
  const Timings& timings_;
  const engine::CoreTables& tables_;
  const std::map<std::string, engine::StaticInstruction>& resolved_;
  FittedCore& result_;
  std::map<int, std::vector<std::uint32_t>> sets_;  // of ports, by how wide the vectors are
};

}  // namespace

void fit_instructions(Fitting& fitting) { InstructionFitter(fitting).fit(); }

}  // namespace perfcast::instructions
