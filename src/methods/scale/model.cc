#include "methods/scale/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/network/network.h"
#include "expr/algebra.h"
#include "expr/parse.h"
#include "expr/program.h"
#include "methods/scale/block_terms.h"
#include "methods/scale/steps.h"
#include "record/messages.h"

namespace perfcast::scale {
namespace {

using Symbols = std::map<std::string, expr::Expr>;

Symbols hidden_laws(const Profile& profile, std::vector<std::string>& remarks) {
  Symbols laws;
  for (const HiddenVariable& hidden : profile.scaling->hidden)
    if (auto law = expr::parse(hidden.law)) {
      laws.emplace(hidden.name, *law);
      remarks.push_back(hidden.name + " (" + hidden.about + ") depends on the data; taken as " + hidden.law);
    }
  return laws;
}

// Where the time is asked for, the steps should go through what the engine says.
constexpr double asked_weight = 4;

bool means(const std::string& name, const LineTerm& line) {
  return name == "*" || name == line.function || line.key.starts_with(name + "\n") || name == line.name || name.ends_with("/" + line.name);
}

bool is_parallel(const ParallelPlan* plan, const LineTerm& line) {
  return plan && std::ranges::any_of(plan->parallel, [&](const std::string& name) { return means(name, line); });
}

// A plan divides lines and functions of this program. A function that is there and never runs is no mistake.
Status check_names(const ParallelPlan& plan, const Profile& profile, const std::vector<LineTerm>& lines) {
  for (const std::string& name : plan.parallel)
    if (std::ranges::none_of(lines, [&](const LineTerm& line) { return means(name, line); }) &&
        std::ranges::none_of(profile.machine->functions, [&](const Function& f) { return f.name == name || f.readable == name; }))
      return unfit("the program has no function or line \"" + name + "\"", "plan, parallel", "a function that was compiled into its caller is named by its lines, file.c:12; \"*\" is everything");
  return {};
}

expr::Expr used_processors(const ParallelPlan& plan) {
  const expr::Expr p = expr::symbol("P");
  return plan.processors > 0 ? expr::call(expr::Function::min, {p, expr::Expr(plan.processors)}) : p;
}

// Threads share one memory: what comes from beyond the last cache takes P / gain times as long, from the size on at which
// the data outgrows that cache.
expr::Expr crowding_of(const ParallelPlan& plan, const Profile& profile, const BlockTerms& terms, double recorded_size, const expr::Expr& size) {
  if (!plan.shared_memory || !(plan.bandwidth_gain > 0)) return 1;
  double from = INFINITY;
  for (const GridSize& at : terms.grid)
    if (auto law = expr::parse(profile.scaling->page_faults); law && value_at(*law, at.set) * terms.page_bytes > terms.last_cache_bytes) from = std::min(from, recorded_size * at.factor);
  if (!std::isfinite(from) || !(terms.last_cache_bytes > 0)) return 1;
  const expr::Expr slower = expr::call(expr::Function::max, {expr::Expr(1), used_processors(plan) / expr::Expr(plan.bandwidth_gain)});
  return 1 + (slower - 1) / (1 + expr::power(expr::Expr(from) / size, 6));
}

// Of what the counted processor did, what the busiest of P does.
Result<expr::Expr> share_of(const ParallelPlan& plan) {
  TRY(const expr::Expr uneven, expr::parse(plan.uneven, "plan, uneven"));
  for (const auto& name : expr::symbols_of(uneven))
    if (name != "P") return unfit("unknown name \"" + name + "\"", "plan, uneven", "it is an expression in P");
  const expr::Expr used = used_processors(plan);
  const double recorded = value_at(uneven, {{"P", plan.recorded_processors}}) / plan.recorded_processors;
  if (!(recorded > 0)) return unfit(fmt::format("is not above zero at P = {:g}", plan.recorded_processors), "plan, uneven");
  return expr::substitute(uneven, Symbols{{"P", used}}) / used / expr::Expr(recorded);
}

void add_lines(const Profile& profile, const BlockTerms& terms, const DataSize& data, const ParallelPlan* plan, const expr::Expr& share, const Symbols& laws, TimeModel& model) {
  expr::Expr size = data.expression();
  const double recorded_size = value_at(size, model.recorded);
  // Each processor holds its part of the data, unless all share one memory.
  if (plan && !plan->shared_memory)
    size = size * expr::power(expr::symbol("P") / expr::Expr(plan->recorded_processors), expr::Expr(-1 / growth_degree(profile)));
  const std::vector<GridSize>& grid = terms.grid;
  std::vector<double> sizes;
  sizes.reserve(grid.size());
  for (const GridSize& at : grid) sizes.push_back(recorded_size * at.factor);
  const expr::Expr crowding = plan ? crowding_of(*plan, profile, terms, recorded_size, size) : expr::Expr(1);
  std::vector<std::vector<double>> instructions, core;
  std::vector<double> total(grid.size(), 1e-12);
  for (const LineTerm& line : terms.lines) {
    instructions.emplace_back(), core.emplace_back();
    expr::Expr count = expr::substitute(line.instructions, laws), seconds = expr::substitute(line.core_seconds, laws);
    for (std::size_t g = 0; g < grid.size(); g++) {
      instructions.back().push_back(value_at(count, grid[g].set)), core.back().push_back(value_at(seconds, grid[g].set));
      total[g] += core.back().back() + line.near_seconds[g] + line.far_seconds[g];
    }
  }
  for (std::size_t l = 0; l < terms.lines.size(); l++) {
    const LineTerm& line = terms.lines[l];
    ModelTerm term;
    term.name = line.name, term.kind = "computation", term.function = line.function, term.certainty = line.certainty;
    term.parallel = is_parallel(plan, line);
    term.count = expr::substitute(line.instructions, laws), term.core = expr::substitute(line.core_seconds, laws);
    // Steps of what caches add, and of what comes from beyond the last of them.
    auto stepped = [&](const std::vector<double>& added) -> expr::Expr {
      std::vector<double> each, weights;
      bool any = false;
      for (std::size_t g = 0; g < grid.size(); g++) {
        double n = std::max(1.0, instructions[l][g]);
        each.push_back(added[g] / n), weights.push_back((grid[g].asked ? asked_weight : 1) * n / total[g]);
        any = any || added[g] > 1e-4 * total[g];
      }
      if (!any) return 0;
      StepFit fit = fit_steps(sizes, each, weights, size);
      model.memory_fit = std::max(model.memory_fit, fit.worst);
      model.step_sizes.insert(model.step_sizes.end(), fit.step_at.begin(), fit.step_at.end());
      return term.count * fit.expression;
    };
    term.memory = stepped(line.near_seconds), term.far = stepped(line.far_seconds);
    if (term.parallel) {
      term.core = term.core * share, term.memory = term.memory * share, term.far = term.far * share * crowding;
    }
    model.terms.push_back(std::move(term));
  }
}

// The paths of messages that were measured on a machine; none where they are another version's.
std::vector<MessagePath> measured_paths(const Machine& machine) {
  std::vector<MessagePath> paths;
  try {
    if (machine.messages.is_object() && machine.messages.contains("paths")) from_json_value(machine.messages["paths"], paths, "/messages/paths");
  } catch (const JsonMismatch&) {
    paths.clear();
  }
  return paths;
}

// startup and per_byte: the plan's, else those measured on the machine, else the network's.
std::map<std::string, double> message_costs(const ParallelPlan& plan, const Machine& machine, const Network& network) {
  std::map<std::string, double> costs{{"per_hop", 0}};
  for (const auto& [name, value] : network.costs) costs[name] = value;
  // The first path is what a program gets when it asks for nothing.
  if (const auto paths = measured_paths(machine); !paths.empty() && !paths.front().regimes.empty())
    costs["startup"] = 1e-9 * paths.front().regimes.front().startup_ns, costs["per_byte"] = 1e-9 * paths.front().regimes.back().per_byte_ns;
  for (const auto& [name, value] : plan.costs) costs[name] = value;
  return costs;
}

// `certainty`: of what the plan says.
Status add_communications(const ParallelPlan& plan, const std::string& certainty, const Machine& machine, const Symbols& laws, TimeModel& model) {
  TRY(Network network, engine::find_network(plan.network));
  model.costs = message_costs(plan, machine, network);
  const bool by_network = std::ranges::any_of(plan.communications, [](const auto& c) { return c.seconds.empty(); });
  for (const char* needed : {"startup", "per_byte"})
    if (by_network && !model.costs.contains(needed))
      return unfit(std::string("no value for ") + needed, "network " + network.name, "give \"costs\" in the plan, or a machine with measured messages");
  for (const PlannedCommunication& communication : plan.communications) {
    expr::Expr seconds;
    if (communication.seconds.empty()) {
      TRY(seconds, engine::pattern_seconds(network, communication.pattern));
    } else {
      TRY(seconds, expr::parse(communication.seconds, "plan, " + communication.pattern + ", seconds"));
    }
    TRY(expr::Expr times, expr::parse(communication.times, "plan, " + communication.pattern + ", times"));
    TRY(expr::Expr bytes, expr::parse(communication.bytes, "plan, " + communication.pattern + ", bytes"));
    for (const auto& name : expr::symbols_of(times + bytes))
      if (name != "P" && !model.recorded.contains(name) && !laws.contains(name)) return unfit("unknown name \"" + name + "\"", "plan, " + communication.pattern, "use the profile's parameters and P");
    ModelTerm term;
    term.name = communication.pattern, term.kind = "communication", term.certainty = certainty, term.count = times;
    // One processor alone sends nothing.
    term.count = expr::substitute(times, laws);
    term.other = term.count * expr::substitute(seconds, Symbols{{"bytes", bytes}}) * expr::call(expr::Function::step, {expr::symbol("P") - 2});
    model.terms.push_back(std::move(term));
  }
  return {};
}

}  // namespace

double value_at(const expr::Expr& e, const Setting& set) { return expr::evaluate(e, set).value_or(0); }

double growth_degree(const Profile& profile) {
  auto law = expr::parse(profile.scaling->page_faults);
  if (!law) return 1;
  Setting once = profile.run.parameters, twice = once;
  for (auto& [name, value] : once) value *= 64;
  for (auto& [name, value] : twice) value *= 128;
  double a = value_at(*law, once), b = value_at(*law, twice);
  return a > 0 && b > a ? std::max(1.0, std::log2(b / a)) : 1;
}

expr::Expr divided_faults(const expr::Expr& faults, const ParallelPlan& plan, const Setting& recorded) {
  Setting no_data = recorded;
  for (auto& [name, value] : no_data) value = 0;
  const double at_recorded = value_at(faults, recorded), at_nothing = value_at(faults, no_data);
  const expr::Expr base(std::isfinite(at_nothing) ? std::clamp(at_nothing, 0.0, std::max(0.0, at_recorded)) : 0.0);
  return base + (faults - base) * expr::Expr(plan.recorded_processors) / used_processors(plan);
}

Status has_expressions(const Profile& profile) {
  if (profile.scaling && !profile.scaling->shares.empty()) return {};
  if (profile.scaling && !profile.scaling->remarks.empty())
    return unfit(profile.scaling->remarks.back(), profile.program, "record a size whose smaller ones the program takes too, or another argument with --param");
  return unfit("the profile knows its counts for the recorded run only", profile.program, "perfcast analyze prog.c --param N=ARG1 -- 500");
}

expr::Expr TimeModel::symbolic() const {
  std::vector<expr::Expr> all;
  all.reserve(terms.size());
  for (const ModelTerm& term : terms) all.push_back(term.seconds());
  return expr::sum(std::move(all));
}
expr::Expr TimeModel::seconds() const { return expr::substitute(symbolic(), costs); }

expr::Expr TimeModel::part(const std::string& which) const {
  std::vector<expr::Expr> all;
  for (const ModelTerm& term : terms) {
    if (which == "memory") all.push_back(term.memory + term.far);
    else if (which == "computation" && term.kind == "computation") all.push_back(term.core);
    else if (which == term.kind && which != "computation") all.push_back(term.other);
  }
  return expr::substitute(expr::sum(std::move(all)), costs);
}

Result<TimeModel> time_model(const Profile& profile, const Machine& machine, const ScaleOptions& options) {
  CHECK_OK(has_expressions(profile));
  TimeModel model;
  model.recorded = profile.run.parameters;
  for (const auto& [name, value] : model.recorded) model.parameters.push_back(name);
  std::optional<ParallelPlan> recorded = options.plan;
  if (!recorded) {
    TRY(recorded, recorded_plan(profile, machine));
  }
  const ParallelPlan* plan = recorded ? &*recorded : nullptr;
  model.plan = recorded;
  if (plan) model.remarks = plan->remarks;
  if (plan && !model.recorded.contains("P")) model.parameters.push_back("P");
  const DataSize data = data_size(profile);
  TRY(BlockTerms terms, block_terms(profile, machine, data, options.at, simulation_of(options)));
  if (options.plan) CHECK_OK(check_names(*options.plan, profile, terms.lines));
  Symbols laws = hidden_laws(profile, model.remarks);
  expr::Expr share(1);
  if (plan) {
    TRY(share, share_of(*plan));
  }
  add_lines(profile, terms, data, plan, share, laws, model);
  if (plan) CHECK_OK(add_communications(*plan, options.plan ? "proved" : "interpolated", machine, laws, model));
  for (const SystemTerm& system : terms.system) {
    ModelTerm term;
    term.name = system.name, term.kind = "system", term.certainty = "ratio", term.other = expr::substitute(system.seconds, laws);
    if (plan && !plan->shared_memory && system.name == faults_term) term.other = divided_faults(term.other, *plan, model.recorded);
    model.terms.push_back(std::move(term));
  }
  assume_priors(model);
  return model;
}

}  // namespace perfcast::scale
