#include "methods/characterize/instructions/fit_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/statistics.h"
#include "engine/resolve.h"
#include "methods/characterize/instructions/port_fit.h"
#include "methods/characterize/instructions/windows.h"

namespace perfcast::instructions {
namespace {

constexpr double whole_within = 0.12;   // a latency so near a whole number is that number
constexpr double latency_agrees = 0.4;  // cycles a chain may take beyond its latency: ports chosen badly only add

Measurement measured(double value, double sd, int repetitions, std::string note) {
  Measurement m;
  m.value = value, m.sd = sd, m.repetitions = repetitions, m.how = How::measured, m.note = std::move(note);
  return m;
}
double whole(double value) {
  const double nearest = std::round(value);
  return nearest >= 1 && std::abs(value - nearest) <= whole_within ? nearest : std::round(value * 100) / 100;
}
std::string anchored(const std::string& opcodes) { return "^(" + opcodes + ")$"; }

bool is_memory(const Form& form) {
  return form.kind.starts_with("load") || form.kind.starts_with("store") || form.kind == "rmw" || form.kind == "gather" ||
         form.kind == "atomic";
}
bool is_computing(const Form& form) {
  return !is_memory(form) && form.kind != "branch" && form.kind != "nop" && form.kind != "move" && form.kind != "move-vector";
}

class Fitter {
 public:
  Fitter(const CoreModel& family, const FormTable& table, const DescribedForms& described, const Timings& timings)
      : table_(table), described_(described), timings_(timings), tables_(family) {
    result_.core = family;
    for (auto& [name, d] : described.of) resolved_[name] = resolve(d);
  }

  FittedCore fit() {
    result_.core.clock_ghz = measured(timings_.clock_ghz, (timings_.clock_high - timings_.clock_low) / 4, 100,
                                      fmt::format("{:.2f} to {:.2f} while measuring", timings_.clock_low, timings_.clock_high));
    front_end();
    window();
    instructions();
    loads();
    load_ports();
    atomics();
    memory();
    branches();
    return std::move(result_);
  }

 private:
  engine::StaticInstruction resolve(const DescribedForm& d) const {
    std::vector<InstructionForm> forms{d.form};
    engine::Resolver resolver(tables_, forms);
    return resolver.resolve(d.instruction);
  }
  std::optional<double> special(const std::string& name) const { return timings_.cycles(name); }
  Measurement from(const std::string& name, double value) const {
    const Timing* t = timings_.find(name);
    return measured(value, t ? t->spread : 0, t ? t->kept : 0, fmt::format("{} {:.3g}", name, t ? t->cycles : 0));
  }

  void front_end() {
    // The widest rename seen in loops of fillers: instructions per cycle, the fused loop branch counted as one.
    double width = 0;
    std::string best;
    for (auto& c : table_.cases)
      if (c.kind == "loop" && c.name == "nop" && !table_.filler.empty())
        for (int n : c.parameters)
          if (auto cycles = special(fmt::format("loop/nop/{}", n)); cycles && (n + 1) / *cycles > width)
            width = (n + 1) / *cycles, best = fmt::format("loop/nop/{}", n);
    const double before = result_.core.front_end.rename_width.value;
    if (width > 0 && std::abs(std::round(width) - before) < 0.5)
      result_.core.front_end.rename_width = from(best, std::round(width));
    if (auto loop = special("loop/nop/3"); loop && result_.core.front_end.taken_branches_per_cycle)
      result_.core.front_end.taken_branches_per_cycle = from("loop/nop/3", std::max(1.0, std::round(1 / *loop)));
  }

  // Sizes as the engine sees them. What is added to the step is what else of a round lies in the structure: the rest
  // of the round and the head of the next for the reorder buffer, waiting parts of the chain for a scheduler; found
  // by simulating planted sizes (fit_core_test).
  void window() {
    auto size = [&](const char* test, double others, Measurement& into, double least, double most) {
      const auto step = step_position(window_points(table_, timings_, test));
      if (!step) return;
      const double value = std::round(*step + others);
      if (into.value > 0 && (value < least * into.value || value > most * into.value)) {
        result_.gaps.push_back({fmt::format("window/{} steps at {:.0f}, too far from {:.0f}: not believed", test, *step, into.value), {}, 0});
        return;
      }
      into = measured(value, 4, 16, fmt::format("window/{}: step at {:.0f}", test, *step));
    };
    auto& w = result_.core.window;
    if (!table_.filler.empty()) size("nop", 4, w.reorder_buffer, 0.8, 1.25);
    if (w.load_queue) size("load.done", 0, *w.load_queue, 0.7, 1.5);
    if (w.store_buffer) size("store.done", 0, *w.store_buffer, 0.7, 1.5);
    if (w.integer_registers) size("integer.registers", 0, *w.integer_registers, 0.7, 1.4);
    if (w.vector_registers) size("vector.registers", 0, *w.vector_registers, 0.7, 1.4);
    if (table_.filler.empty()) return;  // split queues need a model of their own: keep the family's
    for (auto& scheduler : result_.core.schedulers) {
      if (scheduler.name == "compute") size("alu.wait", 3, scheduler.entries, 0.8, 1.3);
      if (scheduler.name == "load") size("load.wait", 0, scheduler.entries, 0.8, 1.3);
      if (scheduler.name == "store") size("store.wait", 0, scheduler.entries, 0.8, 1.4);
    }
  }

  void instructions() {
    std::vector<InstructionRule> rules;
    for (bool with_helpers : {false, true})  // helpers first
      for (auto& form : table_.forms)
        if (form.minus.empty() != with_helpers) add_rule(form, rules);
    auto& all = result_.core.instructions;
    for (bool with_text : {false, true})  // what is said of a text stands before what is said of all
      for (auto it = rules.rbegin(); it != rules.rend(); ++it)
        if (it->match.text.empty() != with_text) all.insert(all.begin(), *it);
  }
  void add_rule(const Form& form, std::vector<InstructionRule>& rules) {
    if (form.opcodes.empty() || !is_computing(form) || !described_.of.contains(form.name)) return;
    const auto timing = timing_of(timings_, form);
    InstructionRule rule;
    rule.match.opcode = anchored(form.opcodes), rule.match.text = form.text;
    set_latency(form, timing, rule);
    rule.throughput = timing.throughput;
    set_ports(form, timing, rule);
    if (rule.latency || rule.throughput) rules.push_back(std::move(rule));
  }

  double known_latency(const std::string& form) const {
    if (auto fitted = latency_.find(form); fitted != latency_.end()) return fitted->second;
    auto it = resolved_.find(form);
    return it == resolved_.end() || it->second.results.empty() ? 0 : it->second.results.front().latency;
  }
  // The chain of a form without its helpers. Of a round trip each half gets half of what the sum is off.
  std::optional<Measurement> net_latency(const Form& form) const {
    auto chain = timing_of(timings_, form).latency;
    if (!chain) return {};
    for (auto& helper : form.minus) chain->value -= known_latency(helper);
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
    latency_[form.name] = latency.value;
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
    const auto fit = fit_ports(demands_of(form.name), known_sets(form), evidence, most_micro_ops(form));
    if (!fit.changed || fit.demands.empty()) return;
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
    const double latency = std::max(timing.latency ? timing.latency->value : 0, timing.accumulate ? timing.accumulate->value : 0);
    const int registers = width_class(form.name) == 0 ? 4 : 6;
    return !renewed || pair > 1.08 * latency / registers;
  }
  // As many as the slots say that it takes at rename.
  int most_micro_ops(const Form& form) const {
    const auto cycles = timings_.cycles("slots/" + form.name);
    if (!cycles) return 4;
    const double slots = *cycles * result_.core.front_end.rename_width.value - slot_fillers;
    return std::clamp(static_cast<int>(std::lround(slots)), 1, 4);
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
          rule.load_latency = latency;
          rule.load_latency->value = whole(latency.value);
          result_.core.instructions.insert(result_.core.instructions.begin(), rule);
        }
    }
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

  // Locked instructions and fences run one at a time: a port of their own, kept for as long as one takes.
  void atomics() {
    bool any = false;
    for (auto& form : table_.forms) {
      if (form.kind != "atomic" || form.opcodes.empty()) continue;
      const auto timing = timing_of(timings_, form);
      if (!timing.throughput || timing.throughput->value < 3) continue;
      InstructionRule rule;
      rule.match.opcode = anchored(form.opcodes);
      rule.throughput = timing.throughput;
      rule.ports = std::vector<PortNeed>{{"atomic", std::round(timing.throughput->value), 1}};
      result_.core.instructions.insert(result_.core.instructions.begin(), rule);
      any = true;
    }
    auto& ports = result_.core.ports;
    if (any && std::ranges::find(ports, "atomic") == ports.end()) ports.push_back("atomic");
  }

  void memory() {
    auto& m = result_.core.memory;
    forwarding();
    auto set = [&](std::optional<Measurement>& into, std::initializer_list<const char*> names) {
      for (auto* name : names)
        if (auto cycles = special(name)) {
          into = from(name, std::round(*cycles * 100) / 100);
          return;
        }
    };
    set(m.failed_forwarding, {"forward/2r32.r64/4", "forward/2w.x/4"});
    set(m.narrow_forwarding, {"forward/r32.r64/4", "forward/w.x/4"});
    set(m.crossing_load_cycles, {"memory/load.x.split/24", "memory/load.q.split/3"});
    set(m.crossing_store_cycles, {"memory/store.x.split/24", "memory/store.q.split/3"});
    set(m.store_cycles, {"memory/store.stride.64/24"});
    if (auto line = special("memory/store.stride.8/24"); line && m.store_cycles && *line > 0)
      m.stores_per_line = std::max(1, static_cast<int>(std::round(m.store_cycles->value / *line)));
  }

  void forwarding() {
    auto& rules = result_.core.memory.forwarding;
    std::vector<std::vector<double>> values(rules.size());
    std::vector<std::string> notes(rules.size());
    for (auto& c : table_.cases) {
      if (c.load.empty() || !described_.of.contains(c.load) || !described_.of.contains(c.store)) continue;
      const std::string name = fmt::format("{}/{}/{}", c.kind, c.name, c.parameters.front());
      auto cycles = special(name);
      if (!cycles) continue;
      for (auto& form : c.minus)
        *cycles -= known_latency(form);
      for (std::size_t i = 0; i < rules.size(); i++) {
        if (!holds(tables_.forward_load[i], c.load) || !holds(tables_.forward_store[i], c.store)) continue;
        if (rules[i].same_address && c.name.find("upper") != std::string::npos) continue;
        values[i].push_back(std::max(0.0, *cycles));
        notes[i] += fmt::format("{}{} {:.3g}", notes[i].empty() ? "" : ", ", name, *cycles);
        break;
      }
    }
    for (std::size_t i = 0; i < rules.size(); i++) {
      if (values[i].empty()) continue;
      const double middle = median(values[i]);
      if (rules[i].renamed && middle > 1.5) {  // this core does not rename loads to stored registers
        result_.changes.push_back(fmt::format("loads are not renamed to stores: {}", notes[i]));
        rules[i].renamed = false;
      }
      rules[i].latency = measured(rules[i].renamed ? 0 : std::round(middle * 100) / 100, 0, 16, notes[i]);
    }
  }
  bool holds(const engine::CompiledMatch& match, const std::string& form) const {
    const auto& d = described_.of.at(form);
    std::vector<signed char> remembered;
    return match.holds({d.form, d.instruction, remembered});
  }

  void branches() {
    auto& b = result_.core.branches;
    const auto random = special("branch/random/1"), control = special("branch/random.control/1");
    if (random && control) {
      // Half of the branches go wrong. A wrong one costs the penalty and the chain to the next branch (the control's
      // time) with rename and the branch itself before it, a right one the chain alone.
      b.misprediction = from("branch/random/1", std::round((2 * *random - 2 * *control - 2) * 10) / 10);
    }
    if (auto call = special("branch/call.return/4")) b.call_return = from("branch/call.return/4", *call);
    if (auto jump = special("branch/indirect.jump/8")) b.indirect_jump = from("branch/indirect.jump/8", *jump);
    learned_period();
  }
  void learned_period() {
    std::vector<WindowPoint> points;
    for (auto& c : table_.cases)
      if (c.kind == "branch" && c.name == "pattern")
        for (int n : c.parameters)
          if (auto cycles = special(fmt::format("branch/pattern/{}", n))) points.push_back({n, *cycles});
    if (points.size() < 4) return;
    double most = 0;
    for (auto& p : points) most = std::max(most, p.cycles);
    const double level = points[2].cycles + 0.15 * (most - points[2].cycles);
    for (std::size_t i = 3; i < points.size(); i++)
      if (points[i].cycles > level && most > 1.5 * points[2].cycles) {
        const double share = (level - points[i - 1].cycles) / (points[i].cycles - points[i - 1].cycles);
        const double period = points[i - 1].n + std::clamp(share, 0.0, 1.0) * (points[i].n - points[i - 1].n);
        result_.core.branches.learned_period = measured(std::round(period / 100) * 100, 500, 16, "a seventh of the branches missed");
        return;
      }
  }

  const FormTable& table_;
  const DescribedForms& described_;
  const Timings& timings_;
  engine::CoreTables tables_;
  std::map<std::string, engine::StaticInstruction> resolved_;
  std::map<std::string, double> latency_;                      // as fitted
  std::map<int, std::vector<std::uint32_t>> sets_;             // of ports, by how wide the vectors are
  FittedCore result_;
};

}  // namespace

FormTiming timing_of(const Timings& timings, const Form& form) {
  auto read = [&](const std::string& name) -> std::optional<Measurement> {
    const Timing* t = timings.find(name);
    if (!t || !t->kept) return {};
    return measured(t->cycles, t->spread, t->kept, fmt::format("{} {:.4g}", name, t->cycles));
  };
  return {read("chain/" + form.name), read("accumulate/" + form.name), read("stream/" + form.name)};
}

FittedCore fit_core(const CoreModel& family, const FormTable& table, const DescribedForms& described,
                    const Timings& timings) {
  return Fitter(family, table, described, timings).fit();
}

}  // namespace perfcast::instructions
