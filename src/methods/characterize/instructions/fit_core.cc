// Windows and memory; fit_front_end.cc has what comes before them, fit_instructions.cc the instructions, fit_branches.cc the branches.
#include "methods/characterize/instructions/fit_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/statistics.h"
#include "engine/resolve.h"
#include "methods/characterize/instructions/fitting.h"
#include "methods/characterize/instructions/windows.h"

namespace perfcast::instructions {
namespace {

class CoreFitter {
 public:
  CoreFitter(Fitting& fitting, Frame frame)
      : fitting_(fitting), frame_(frame), table_(fitting.table), described_(fitting.described), timings_(fitting.timings), tables_(fitting.tables),
        result_(fitting.result) {}

  void fit() {
    result_.core.clock_ghz = measured(timings_.clock_ghz, (timings_.clock_high - timings_.clock_low) / 4, 100,
                                      fmt::format("{:.2f} to {:.2f} while measuring", timings_.clock_low, timings_.clock_high));
    fit_front_end(fitting_, frame_);
    window();
    port_results();
    fit_instructions(fitting_);
    release();
    memory();
    fit_branches(fitting_);
  }

 private:
  std::optional<double> special(const std::string& name) const { return timings_.cycles(name); }
  Measurement from(const std::string& name, double value) const { return fitting_.from(name, value); }

  // Sizes as the engine sees them. What is added to the step is what else of a round lies in the structure: the rest
  // of the round and the head of the next for the reorder buffer, waiting parts of the chain for a scheduler; found
  // by simulating planted sizes (fit_core_test).
  void window() {
    auto size = [&](const char* test, double others, Measurement& into, double least, double most) {
      const auto step = step_position(window_points(table_, timings_, test));
      if (!step) return;
      const double value = std::round(*step + others);
      if (frame_ == Frame::usual) least = 0.2, most = 5;
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

  // How many instructions retire in a cycle, and how much later their slots are free.
  void release() {
    constexpr double least = 2;  // cycles
    const auto test = std::ranges::find_if(table_.cases, [](const Case& c) { return c.kind == "window" && c.name == "held"; });
    if (test == table_.cases.end() || test->minus.empty()) return;
    const auto product = described_.of.find(test->minus.front()), filler = described_.of.find("nop");
    if (product == described_.of.end() || filler == described_.of.end()) return;
    const auto loops = window_points(table_, timings_, "held");
    const auto held = held_slots(loops, product->second, filler->second, result_.core);
    auto& w = result_.core.window;
    if (!held) return;
    const auto note = fmt::format("window/held: chains in {} loops", loops.size());
    if (held->retired > 0) w.retire_width = measured(held->retired, 0.5, 16, note);
    w.release_cycles.reset();
    if (held->longer >= least) w.release_cycles = measured(held->longer, 1, 16, note);
  }

  // A product on its one port and three that may go anywhere take a cycle, unless a result of one cycle must not leave the port
  // together with one of three: then the products, of which one begins in each cycle, keep the others from starting.
  void port_results() {
    constexpr const char* shown_by = "ports/product.beside.logic/8";
    constexpr double clearly_more = 1.2;
    const auto cycles = special(shown_by);
    if (!cycles) return;
    result_.core.one_result_per_port = *cycles > clearly_more;
    if (*cycles > clearly_more) result_.changes.push_back(fmt::format("results meet at the end of a port: {} {:.3g}", shown_by, *cycles));
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
    waiting_loads();
    aliases();
    constants();
    wide_division();
    set(m.crossing_load_cycles, {"memory/load.x.split/24", "memory/load.q.split/3"});
    set(m.crossing_store_cycles, {"memory/store.x.split/24", "memory/store.q.split/3"});
    if (const auto split = special("memory/load.split.chain/8"), whole = special("memory/load.whole.chain/8"); split && whole)
      m.crossing_load_later = from("memory/load.split.chain/8", std::max(1.0, std::round(*split - *whole)));
    set(m.store_cycles, {"memory/store.stride.64/24"});
    if (auto line = special("memory/store.stride.8/24"); line && m.store_cycles && *line > 0)
      m.stores_per_line = std::max(1, static_cast<int>(std::round(m.store_cycles->value / *line)));
    banks();
  }

  // How many loads of the same place a cycle serves: of lines 64, 128 and 256 bytes apart, and of one line.
  void banks() {
    constexpr double clearly_more = 1.2;
    const auto apart = special("memory/load.stride.8/24");
    if (!apart || !special("memory/load.stride.64/24")) return;
    std::vector<BankRule> rules;
    double fewer = *apart;
    for (int period : {64, 128, 256}) {
      const auto name = fmt::format("memory/load.stride.{}/24", period);
      const auto cycles = special(name);
      if (!cycles || *cycles < clearly_more * fewer) continue;
      rules.push_back({period, std::max(1, static_cast<int>(std::round(1 / *cycles))), false, How::measured, fmt::format("{} {:.3g}", name, *cycles)});
      fewer = *cycles;
    }
    const char* const one_place = "memory/load.same/24";
    if (const auto same = special(one_place); same && !rules.empty() && *same > clearly_more * *apart)
      rules.front().same_place = true, rules.front().note += fmt::format(", {} {:.3g}", one_place, *same);
    result_.core.memory.banks = std::move(rules);
  }

  using CyclesOfLoads = std::map<std::pair<std::string, std::string>, std::vector<double>>;  // by form and Case::text
  void forwarding() {
    auto& rules = result_.core.memory.forwarding;
    std::vector<std::vector<double>> values(rules.size()), at_once(rules.size()), slowly(rules.size()), late(rules.size());
    std::vector<std::string> notes(rules.size());
    std::vector<CyclesOfLoads> by_load(rules.size());
    for (auto& c : table_.cases) {
      if (c.load.empty() || !described_.of.contains(c.load) || !described_.of.contains(c.store)) continue;
      const std::string name = fmt::format("{}/{}/{}", c.kind, c.name, c.parameters.front());
      auto cycles = special(name);
      if (!cycles) continue;
      *cycles -= fitting_.known_latency(c.minus);
      for (std::size_t i = 0; i < rules.size(); i++) {
        if (!holds(tables_.forward_load[i], c.load) || !holds(tables_.forward_store[i], c.store)) continue;
        if (rules[i].same_address && c.name.find("upper") != std::string::npos) continue;
        if (c.late) {
          late[i].push_back(std::max(0.0, *cycles));
          break;
        }
        const bool one_cycle = c.minus.size() == 1 && fitting_.known_latency(c.minus) <= 1;
        (one_cycle ? at_once : slowly)[i].push_back(std::max(0.0, *cycles));
        values[i].push_back(std::max(0.0, *cycles));
        by_load[i][{c.load, c.text}].push_back(std::max(0.0, *cycles));
        notes[i] += fmt::format("{}{} {:.3g}", notes[i].empty() ? "" : ", ", name, *cycles);
        break;
      }
    }
    for (std::size_t i = 0; i < rules.size(); i++) {
      if (!late[i].empty()) {
        auto least = late[i];
        least.insert(least.end(), values[i].begin(), values[i].end());
        rules[i].least_latency = measured(std::round(std::ranges::min(least) * 100) / 100, 0, 16, fmt::format("long after the store before {:.3g}", std::ranges::min(late[i])));
      }
      if (values[i].empty()) continue;
      // A load that is fused with what follows is not renamed: one case that is suffices.
      const double middle = rules[i].renamed ? std::ranges::min(values[i]) : median(values[i]);
      if (rules[i].renamed && middle > renamed_below) {  // this core does not rename loads to stored registers
        result_.changes.push_back(fmt::format("loads are not renamed to stores: {}", notes[i]));
        rules[i].renamed = false;
      }
      rules[i].latency = measured(rules[i].renamed ? 0 : std::round(middle * 100) / 100, 0, 16, notes[i]);
    }
    for (std::size_t i = rules.size(); i-- > 0;) {
      if (rules[i].renamed) keep_from_renaming(by_load[i], i);
      else if (!at_once[i].empty() && !slowly[i].empty()) tell_apart(median(at_once[i]), median(slowly[i]), i);
    }
  }
  // A value that is changed in a cycle and stored again may come back later than one that is changed more slowly.
  void tell_apart(double at_once, double slowly, std::size_t place) {
    constexpr double clearly_later = 0.5;
    if (at_once - slowly < clearly_later) return;
    auto& rules = result_.core.memory.forwarding;
    ForwardingRule rule = rules[place];
    rule.changed_at_once = true;
    rule.latency = measured(std::round(at_once * 100) / 100, 0, 16, fmt::format("an addition behind the load {:.3g}, more than that {:.3g}", at_once, slowly));
    rules[place].latency.value = std::round(slowly * 100) / 100;
    result_.changes.push_back("forwarding: " + rule.latency.note);
    rules.insert(rules.begin() + static_cast<std::ptrdiff_t>(place), std::move(rule));
  }
  // Loads that change what they load, such as those that extend the sign, are not renamed even where plain ones are, nor those
  // of a place that no register tells.
  void keep_from_renaming(const CyclesOfLoads& cycles, std::size_t place) {
    auto& rules = result_.core.memory.forwarding;
    for (auto& [load, values] : cycles) {
      const auto& [name, text] = load;
      const Form* form = table_.find(name);
      if (std::ranges::min(values) <= renamed_below) continue;
      if (!text.empty()) {
        rules[place].load.text = "^(?!.*" + text + ")";
        result_.changes.push_back(fmt::format("{} of {} is not renamed: {:.3g}", name, text, median(values)));
        continue;
      }
      if (form->opcodes.empty()) continue;
      ForwardingRule rule = rules[place];
      rule.renamed = rule.same_address = false, rule.least_latency.reset();
      rule.load.opcode = anchored(form->opcodes);
      rule.latency = measured(std::round(median(values) * 100) / 100, 0, 16, fmt::format("{} is not renamed: {:.3g}", name, median(values)));
      result_.changes.push_back(rule.latency.note);
      rules.insert(rules.begin() + static_cast<std::ptrdiff_t>(place), std::move(rule));
    }
  }
  // Nine loads wait for the store in place of one, and the chain goes on from the last of them.
  // A sum and a counter in memory, from constants on, in loops short enough for their ends to be predicted: two cycles an iteration
  // where both are renamed, five and more where they are forwarded.
  void constants() {
    constexpr const char* nest = "branch/sum.in.memory/20";
    constexpr double forwarded = 3.5;
    const auto cycles = special(nest);
    auto& m = result_.core.memory;
    if (!cycles) return;
    m.constants_end_renaming = *cycles > forwarded && std::ranges::any_of(m.forwarding, &ForwardingRule::renamed);
    if (m.constants_end_renaming) result_.changes.push_back(fmt::format("constants end renaming: {} {:.3g}", nest, *cycles));
  }
  // Of a value, its store and three loads of it: four loads, and those that are sent again. Ports make them wait for one another then.
  void waiting_loads() {
    const auto early = special("forward/early.loads/4"), each_load = special("memory/load.stride.8/24");
    if (early && each_load && *each_load > 0) {
      result_.core.memory.load_repeats.reset();
      if (const double repeats = std::round((*early / *each_load - 4) / 3); repeats >= 1) {
        result_.core.memory.load_repeats = from("forward/early.loads/4", repeats);
        return;
      }
    }
    constexpr double more = 8, least = 0.1;  // cycles: below, nobody waits
    for (auto [one, nine] : {std::pair{"forward/sd.sd.add/4", "forward/sd.9sd.add/4"}, {"forward/d.d.add/4", "forward/d.9d.add/4"}}) {
      const auto alone = special(one), crowd = special(nine);
      if (!alone || !crowd) continue;
      const double each = std::round((*crowd - *alone) / more * 100) / 100;
      if (each >= least) result_.core.memory.waiting_load = from(nine, each);
    }
  }
  // One by one, as such divisions are, be their results needed or not.
  void wide_division() {
    constexpr const char* wide = "result/div.r64.wide/8";
    constexpr double least = 1.2;  // times as long as one of 64 bits, whatever its results wait for: below, they are the same
    auto& cycles = result_.core.wide_division;
    cycles.reset();
    const auto measured = special(wide), usual = special("result/div.r64.rest/8");
    if (measured && usual && *measured > least * *usual) cycles = from(wide, std::round(*measured * 10) / 10);
  }
  // A chain of loads, each behind a store to the same place of another page; and a store with three loads, of which one is such.
  void aliases() {
    constexpr const char *behind = "memory/alias.chain/4", *loads = "memory/alias.loads/8";
    const auto aliased = special(behind), apart = special("memory/apart.chain/4");
    if (!aliased || !apart) return;
    auto& m = result_.core.memory;
    m.alias_cycles.reset(), m.alias_repeats.reset();
    constexpr double least = 2;  // cycles: below, whole addresses are compared
    if (*aliased - *apart < least) return;
    m.alias_cycles = from(behind, std::round((*aliased - *apart) * 10) / 10);
    const auto all = special(loads), each = special("memory/load.stride.8/24");
    if (all && each && *each > 0) m.alias_repeats = from(loads, std::max(0.0, std::round(*all / *each - 3)));
  }
  bool holds(const engine::CompiledMatch& match, const std::string& form) const {
    const auto& d = described_.of.at(form);
    std::vector<signed char> remembered;
    return match.holds({d.form, d.instruction, remembered});
  }

  static constexpr double renamed_below = 1.5;  // cycles from a store to a load that takes its register

  Fitting& fitting_;
  const Frame frame_;
  const FormTable& table_;
  const DescribedForms& described_;
  const Timings& timings_;
  const engine::CoreTables& tables_;
  FittedCore& result_;
};

}  // namespace

Fitting::Fitting(const CoreModel& family, const FormTable& forms, const DescribedForms& descriptions, const Timings& times)
    : table(forms), described(descriptions), timings(times), tables(family) {
  result.core = family;
  for (auto& [name, d] : described.of) {
    const std::vector<InstructionForm> one{d.form};
    resolved[name] = engine::Resolver(tables, one).resolve(d.instruction);
  }
}

double Fitting::known_latency(const std::string& form) const {
  if (auto fitted = latency.find(form); fitted != latency.end()) return fitted->second;
  auto it = resolved.find(form);
  return it == resolved.end() || it->second.results.empty() ? 0 : it->second.results.front().latency;
}

double Fitting::known_latency(const std::vector<std::string>& forms) const {
  double sum = 0;
  for (const auto& form : forms) sum += known_latency(form);
  return sum;
}

Measurement Fitting::from(const std::string& name, double value) const {
  const Timing* t = timings.find(name);
  return measured(value, t ? t->spread : 0, t ? t->kept : 0, fmt::format("{} {:.3g}", name, t ? t->cycles : 0));
}

Measurement measured(double value, double sd, int repetitions, std::string note) {
  Measurement m;
  m.value = value, m.sd = sd, m.repetitions = repetitions, m.how = How::measured, m.note = std::move(note);
  return m;
}

std::string anchored(const std::string& opcodes) { return "^(" + opcodes + ")$"; }

FormTiming timing_of(const Timings& timings, const Form& form) {
  auto read = [&](const std::string& name) -> std::optional<Measurement> {
    const Timing* t = timings.find(name);
    if (!t || !t->kept) return {};
    return measured(t->cycles, t->spread, t->kept, fmt::format("{} {:.4g}", name, t->cycles));
  };
  return {read("chain/" + form.name), read("accumulate/" + form.name), read("stream/" + form.name)};
}

FittedCore fit_core(const CoreModel& start, Frame frame, const FormTable& table, const DescribedForms& described,
                    const Timings& timings) {
  std::vector<std::string> changes;
  Fitting fitting(with_seen_bypasses(start, table, timings, changes), table, described, timings);
  fitting.result.changes = std::move(changes);
  CoreFitter(fitting, frame).fit();
  return std::move(fitting.result);
}

}  // namespace perfcast::instructions
