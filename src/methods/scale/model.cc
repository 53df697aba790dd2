#include "methods/scale/model.h"

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

// One number for how large a setting is: the parameter, or the geometric mean of several.
expr::Expr size_expression(const Setting& recorded) {
  std::vector<expr::Expr> factors;
  for (const auto& [name, value] : recorded) factors.push_back(expr::symbol(name));
  if (factors.size() == 1) return factors[0];
  double n = static_cast<double>(factors.size());
  return expr::power(expr::product(std::move(factors)), expr::Expr(1 / n));
}

bool is_parallel(const ParallelPlan* plan, const std::string& line, const std::string& function) {
  if (!plan) return false;
  return std::ranges::any_of(plan->parallel, [&](const std::string& name) {
    return name == "*" || name == function || name == line || line.ends_with("/" + name);
  });
}

double at(const expr::Expr& e, const Setting& set) { return expr::evaluate(e, set).value_or(0); }

// Degree with which memory grows: P processors hold P times less of it, which is like a size P^(1/degree) smaller.
double growth_degree(const Profile& profile) {
  auto law = expr::parse(profile.scaling->page_faults);
  if (!law) return 1;
  Setting once = profile.run.parameters, twice = once;
  for (auto& [name, value] : once) value *= 64;
  for (auto& [name, value] : twice) value *= 128;
  double a = at(*law, once), b = at(*law, twice);
  return a > 0 && b > a ? std::max(1.0, std::log2(b / a)) : 1;
}

void add_lines(const Profile& profile, const BlockTerms& terms, const ParallelPlan* plan, const Symbols& laws, TimeModel& model) {
  expr::Expr size = size_expression(model.recorded);
  const double recorded_size = at(size, model.recorded);
  if (plan) size = size * expr::power(expr::symbol("P"), expr::Expr(-1 / growth_degree(profile)));
  std::vector<Setting> settings;
  std::vector<double> sizes;
  for (double factor : terms.factors) {
    Setting set;
    for (const auto& [name, value] : model.recorded) set[name] = std::max(1.0, std::round(value * factor));
    settings.push_back(set), sizes.push_back(recorded_size * factor);
  }
  std::vector<std::vector<double>> instructions, core;
  std::vector<double> total(settings.size(), 1e-12);
  for (const LineTerm& line : terms.lines) {
    instructions.emplace_back(), core.emplace_back();
    expr::Expr count = expr::substitute(line.instructions, laws), seconds = expr::substitute(line.core_seconds, laws);
    for (std::size_t g = 0; g < settings.size(); g++) {
      instructions.back().push_back(at(count, settings[g])), core.back().push_back(at(seconds, settings[g]));
      total[g] += core.back().back() + line.memory_seconds[g];
    }
  }
  for (std::size_t l = 0; l < terms.lines.size(); l++) {
    const LineTerm& line = terms.lines[l];
    ModelTerm term;
    term.name = line.name, term.kind = "computation", term.function = line.function, term.certainty = line.certainty;
    term.parallel = is_parallel(plan, line.name, line.function);
    term.count = expr::substitute(line.instructions, laws), term.core = expr::substitute(line.core_seconds, laws);
    std::vector<double> each, weights;
    bool any = false;
    for (std::size_t g = 0; g < settings.size(); g++) {
      double n = std::max(1.0, instructions[l][g]);
      each.push_back(line.memory_seconds[g] / n), weights.push_back(n / total[g]);
      any = any || line.memory_seconds[g] > 1e-4 * total[g];
    }
    if (any) {
      StepFit fit = fit_steps(sizes, each, weights, size);
      term.memory = term.count * fit.expression;
      model.memory_fit = std::max(model.memory_fit, fit.worst);
      model.step_sizes.insert(model.step_sizes.end(), fit.step_at.begin(), fit.step_at.end());
    }
    if (term.parallel) {
      expr::Expr share = expr::power(expr::symbol("P"), -1);
      term.core = term.core * share, term.memory = term.memory * share;
    }
    model.terms.push_back(std::move(term));
  }
}

// startup and per_byte: the plan's, else those measured on the machine, else the network's.
std::map<std::string, double> message_costs(const ParallelPlan& plan, const Machine& machine, const Network& network) {
  std::map<std::string, double> costs{{"per_hop", 0}};
  for (const auto& [name, value] : network.costs) costs[name] = value;
  if (machine.messages.is_object()) {
    try {
      for (const char* key : {"paths"})
        if (auto paths = machine.messages.find(key); paths != machine.messages.end() && !paths->empty()) {
          std::vector<MessagePath> read;
          from_json_value(*paths, read, "/messages/paths");
          if (!read.empty() && !read.back().regimes.empty())
            costs["startup"] = 1e-9 * read.back().regimes.front().startup_ns, costs["per_byte"] = 1e-9 * read.back().regimes.back().per_byte_ns;
        }
    } catch (const JsonMismatch&) {  // another room's record, of another version: the network's own costs serve
    }
  }
  for (const auto& [name, value] : plan.costs) costs[name] = value;
  return costs;
}

Status add_communications(const ParallelPlan& plan, const Machine& machine, TimeModel& model) {
  TRY(Network network, engine::find_network(plan.network));
  model.costs = message_costs(plan, machine, network);
  for (const char* needed : {"startup", "per_byte"})
    if (!plan.communications.empty() && !model.costs.contains(needed))
      return unfit(std::string("no value for ") + needed, "network " + network.name, "give \"costs\" in the plan, or a machine with measured messages");
  for (const PlannedCommunication& communication : plan.communications) {
    TRY(expr::Expr seconds, engine::pattern_seconds(network, communication.pattern));
    TRY(expr::Expr times, expr::parse(communication.times, "plan, " + communication.pattern + ", times"));
    TRY(expr::Expr bytes, expr::parse(communication.bytes, "plan, " + communication.pattern + ", bytes"));
    for (const auto& name : expr::symbols_of(times + bytes))
      if (name != "P" && !model.recorded.contains(name)) return unfit("unknown name \"" + name + "\"", "plan, " + communication.pattern, "use the profile's parameters and P");
    ModelTerm term;
    term.name = communication.pattern, term.kind = "communication", term.certainty = "proved", term.count = times;
    // One processor alone sends nothing.
    term.other = times * expr::substitute(seconds, Symbols{{"bytes", bytes}}) * expr::call(expr::Function::step, {expr::symbol("P") - 2});
    model.terms.push_back(std::move(term));
  }
  return {};
}

}  // namespace

expr::Expr TimeModel::symbolic() const {
  std::vector<expr::Expr> all;
  for (const ModelTerm& term : terms) all.push_back(term.seconds());
  return expr::sum(std::move(all));
}
expr::Expr TimeModel::seconds() const { return expr::substitute(symbolic(), costs); }

expr::Expr TimeModel::part(const std::string& which) const {
  std::vector<expr::Expr> all;
  for (const ModelTerm& term : terms) {
    if (which == "memory") all.push_back(term.memory);
    else if (which == "computation" && term.kind == "computation") all.push_back(term.core);
    else if (which == term.kind && which != "computation") all.push_back(term.other);
  }
  return expr::substitute(expr::sum(std::move(all)), costs);
}

Result<TimeModel> time_model(const Profile& profile, const Machine& machine, const ScaleOptions& options) {
  if (!profile.scaling || profile.scaling->shares.empty())
    return unfit("the profile knows its counts for the recorded run only", profile.program, "perfcast analyze prog.c --param N=ARG1 -- 500");
  TimeModel model;
  model.recorded = profile.run.parameters;
  for (const auto& [name, value] : model.recorded) model.parameters.push_back(name);
  const ParallelPlan* plan = options.plan ? &*options.plan : nullptr;
  if (plan && !model.recorded.contains("P")) model.parameters.push_back("P");
  double largest = 8;
  for (const Setting& set : options.at)
    for (const auto& [name, value] : set)
      if (auto it = model.recorded.find(name); it != model.recorded.end() && it->second > 0) largest = std::max(largest, value / it->second);
  TRY(BlockTerms terms, block_terms(profile, machine, std::min(largest, 4096.0)));
  Symbols laws = hidden_laws(profile, model.remarks);
  add_lines(profile, terms, plan, laws, model);
  if (plan) CHECK_OK(add_communications(*plan, machine, model));
  for (const SystemTerm& system : terms.system) {
    ModelTerm term;
    term.name = system.name, term.kind = "system", term.certainty = "ratio", term.other = expr::substitute(system.seconds, laws);
    model.terms.push_back(std::move(term));
  }
  return model;
}

Calibration calibrate(TimeModel& model, const std::vector<EquationPoint>& measured) {
  Calibration calibration;
  expr::Expr core = model.part("computation"), memory = model.part("memory"), rest = model.part("system") + model.part("communication");
  struct Run { double core, memory, rest, seconds; };
  std::vector<Run> runs;
  for (const EquationPoint& point : measured) {
    Setting set = point.set;
    if (std::ranges::find(model.parameters, "P") != model.parameters.end()) set.try_emplace("P", 1);
    runs.push_back({at(core, set), at(memory, set), at(rest, set), point.seconds});
  }
  if (runs.empty()) return calibration;
  // Both factors on a grid of logarithms: few runs, and the loss must be in ratios. A weak pull towards each other and
  // towards 1 decides what the runs do not exercise.
  double best = INFINITY;
  for (double c = -1.2; c <= 1.2001; c += 0.02)
    for (double m = -1.6; m <= 1.6001; m += 0.04) {
      double fc = std::exp(c), fm = std::exp(m), loss = 0.001 * c * c + 0.004 * (m - c) * (m - c);
      for (const Run& run : runs) loss += std::pow(std::log((fc * run.core + fm * run.memory + run.rest) / run.seconds), 2);
      if (loss < best) best = loss, calibration.core = fc, calibration.memory = fm;
    }
  double residual = 0;
  for (const Run& run : runs)
    residual += std::pow(std::log((calibration.core * run.core + calibration.memory * run.memory + run.rest) / run.seconds), 2);
  calibration.runs = static_cast<int>(runs.size());
  calibration.spread = std::sqrt(residual / std::max(1.0, static_cast<double>(runs.size()) - 2));
  for (ModelTerm& term : model.terms) term.core = term.core * expr::Expr(calibration.core), term.memory = term.memory * expr::Expr(calibration.memory);
  return calibration;
}

}  // namespace perfcast::scale
