// What the time is sensitive to (Clement 6.2, figure 6.12): dT/dx and the elasticity (x/T) dT/dx. Sizes, processors and
// the costs of messages stand in the equation and are differentiated; what the machine is made of (clock, speed and
// capacity of each level, page faults) goes through the engine with that part a little changed: each kind of time - core,
// memory, page faults, routines, start - becomes longer by its own factor and counts as it does in the equation, where P
// divides some of them.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "base/text.h"
#include "engine/compiled_cost.h"
#include "engine/scaling/profile_at.h"
#include "expr/algebra.h"
#include "expr/print.h"
#include "expr/program.h"
#include "methods/scale/model.h"

namespace perfcast::scale {
namespace {

constexpr double change = 1.02;

void multiply(std::optional<Measurement>& m, double factor) { if (m) m->value *= factor; }
void multiply(MeasurementTable& table, double factor) { for (auto& [key, m] : table) m.value *= factor; }

struct Knob {
  std::string name, unit;
  double value = 0;
  std::function<void(Machine&, double)> turn;
};

std::vector<Knob> knobs_of(const Machine& machine) {
  std::vector<Knob> knobs;
  knobs.push_back({"clock_ghz", "GHz", machine.core->clock_ghz.value, [](Machine& m, double f) { m.core->clock_ghz.value *= f; }});
  if (machine.memory)
    for (std::size_t i = 1; i < machine.memory->levels.size(); i++) {
      const MemoryLevel& level = machine.memory->levels[i];
      knobs.push_back({level.name + "_time", "ns of latency", value_or(level.latency_ns, 1), [i](Machine& m, double f) {
        MemoryLevel& l = m.memory->levels[i];
        multiply(l.latency_ns, f), multiply(l.read_ns, f), multiply(l.write_ns, f), multiply(l.copy_ns, f), multiply(l.update_ns, f);
        multiply(l.random_read_ns, f), multiply(l.random_update_ns, f), multiply(l.random_write_ns, f), multiply(l.stride_ns, f), multiply(l.stride_write_ns, f);
      }});
    }
  if (machine.memory)
    for (std::size_t i = 0; i + 1 < machine.memory->levels.size(); i++)
      if (const auto& capacity = machine.memory->levels[i].capacity_bytes)
        knobs.push_back({machine.memory->levels[i].name + "_size", "bytes", capacity->value, [i](Machine& m, double f) { multiply(m.memory->levels[i].capacity_bytes, f); }});
  if (machine.system && machine.system->page_fault_ns)
    knobs.push_back({"page_fault", "ns", machine.system->page_fault_ns->value, [](Machine& m, double f) { multiply(m.system->page_fault_ns, f); }});
  return knobs;
}

void add_symbolic(const TimeModel& model, const Setting& at, std::vector<Sensitivity>& all) {
  expr::Expr t = model.symbolic();
  Setting values = at;
  for (const auto& [name, value] : model.costs) values[name] = value;
  double seconds = expr::evaluate(t, values).value_or(0);
  for (const auto& name : expr::symbols_of(t)) {
    expr::Expr slope = expr::derivative(t, name);
    double d = expr::evaluate(slope, values).value_or(0), x = values[name];
    all.push_back({name, model.costs.contains(name) ? "s" : "", x, d, seconds > 0 ? d * x / seconds : 0, expr::text(slope, {6})});
  }
}

using KindsOfTime = std::array<double, 5>;  // core, memory, page faults, library routines, start

KindsOfTime by_kind(const engine::CompiledCost& cost) {
  double memory = 0;
  for (const auto& block : cost.blocks) {
    memory += block.memory.dependent_ns;
    for (double level : block.memory.level_ns) memory += level;
  }
  return {cost.core.cycles * cost.ns_per_cycle, memory, cost.outside.faults_ns, cost.outside.library_ns, cost.outside.start_ns};
}

KindsOfTime by_kind(const TimeModel& model, const Setting& at) {
  auto system = [&](const std::string& name) {
    double seconds = 0;
    for (const ModelTerm& term : model.terms)
      if (term.kind == "system" && term.name == name) seconds += value_at(term.other, at);
    return seconds;
  };
  return {value_at(model.part("computation"), at), value_at(model.part("memory"), at), system(faults_term), system(routines_term), system(start_term)};
}

// The size at which one processor would hold what each of P holds.
Setting held_by_one(const TimeModel& model, const Profile& profile, const Setting& at) {
  Setting own = at;
  if (profile.run.parameters.contains("P") || !own.contains("P")) return own;
  const double processors = own.at("P");
  own.erase("P");
  if (!model.plan || model.plan->shared_memory) return own;
  const double smaller = std::pow(processors / model.plan->recorded_processors, 1 / growth_degree(profile));
  for (auto& [name, value] : own) value = std::max(1.0, std::round(value / smaller));
  return own;
}

void add_machine(const TimeModel& model, const Profile& profile, const Machine& machine, const Setting& at, const engine::SimulationOptions& simulation, std::vector<Sensitivity>& all) {
  const Setting own = held_by_one(model, profile, at);
  auto sized = engine::profile_at(profile, own);
  if (!sized) return;
  auto base = engine::compiled_cost(sized->profile, machine, simulation);
  if (!base) return;
  const KindsOfTime before = by_kind(*base), weights = by_kind(model, at);
  const double seconds = value_at(model.seconds(), at);
  if (!(seconds > 0)) return;
  for (const Knob& knob : knobs_of(machine)) {
    Machine changed = machine;
    knob.turn(changed, change);
    const KindsOfTime after = by_kind(engine::compiled_cost(sized->profile, changed, base->core));
    double elasticity = 0;
    for (std::size_t k = 0; k < before.size(); k++)
      if (before[k] > 0 && after[k] > 0) elasticity += weights[k] / seconds * std::log(after[k] / before[k]) / std::log(change);
    all.push_back({knob.name, knob.unit, knob.value, knob.value != 0 ? elasticity * seconds / knob.value : 0, elasticity, ""});
  }
}

}  // namespace

Result<std::vector<Sensitivity>> sensitivities(const TimeModel& model, const Profile& profile, const Machine& machine, const Setting& at, const std::vector<std::string>& wanted,
                                               const engine::SimulationOptions& simulation) {
  std::vector<Sensitivity> all;
  add_symbolic(model, at, all);
  bool everything = std::ranges::find(wanted, "all") != wanted.end();
  bool machine_too = everything || std::ranges::any_of(wanted, [&](const auto& name) { return std::ranges::none_of(all, [&](const auto& s) { return s.parameter == name; }); });
  if (machine_too && machine.core) add_machine(model, profile, machine, at, simulation, all);
  for (const std::string& name : wanted)
    if (name != "all" && std::ranges::find(all, name, &Sensitivity::parameter) == all.end()) {
      std::vector<std::string> known;
      known.reserve(all.size());
      for (const Sensitivity& s : all) known.push_back(s.parameter);
      return unfit("the equation and the machine have no \"" + name + "\"", "--sensitivity", "all, or some of " + join(known, ", "));
    }
  if (!everything) std::erase_if(all, [&](const Sensitivity& s) { return std::ranges::find(wanted, s.parameter) == wanted.end(); });
  std::ranges::sort(all, [](const auto& a, const auto& b) {
    double x = std::abs(a.elasticity), y = std::abs(b.elasticity);
    return x != y ? x > y : a.parameter < b.parameter;
  });
  return all;
}

}  // namespace perfcast::scale
