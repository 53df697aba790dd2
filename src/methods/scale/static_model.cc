#include "methods/scale/static_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/network/network.h"
#include "engine/scaling/profile_at.h"
#include "expr/parse.h"
#include "expr/program.h"
#include "methods/scale/model.h"

namespace perfcast::scale {
namespace {

double sigma(const StaticCounts& c, double p) {
  if (p <= 1) return 0;
  return c.messages * c.startup * (c.broadcast ? 1 + std::log2(p) : 1) + c.transfer;
}
double alone(const StaticCounts& c) { return c.operation * (c.sequential + c.parallel) + c.miss * c.misses; }

// A number of operations or messages; products of a few stay finite.
Result<double> amount(double value, const std::string& what) {
  if (value < 0) return unfit(what + " is negative", "static model");
  if (!(value <= 1e60)) return unfit(what + " is beyond 1e60", "static model");
  return value;
}

// What is started and sent at the P of `at`.
Status add_messages(const std::vector<PlannedCommunication>& communications, const Network& network, const Setting& at, double per_byte, StaticCounts& c) {
  c.messages = c.transfer = 0;
  for (const PlannedCommunication& communication : communications) {
    if (!communication.seconds.empty()) continue;  // a fork, a join: nothing that the network carries
    TRY(engine::PatternCounts pattern, engine::pattern_counts(network, communication.pattern));
    TRY(expr::Expr times, expr::parse(communication.times, communication.pattern + ", times"));
    TRY(expr::Expr bytes, expr::parse(communication.bytes, communication.pattern + ", bytes"));
    TRY(double often, expr::evaluate(times, at));
    Setting one = at;
    TRY(one["bytes"], expr::evaluate(bytes, at));
    TRY(double starts, expr::evaluate(pattern.startups, one));
    TRY(double sent, expr::evaluate(pattern.bytes, one));
    TRY(often, amount(often, "how often a message is sent"));
    TRY(starts, amount(starts, "the number of message startups"));
    TRY(sent, amount(sent, "the number of bytes sent"));
    c.messages += often * starts, c.transfer += often * sent * per_byte;
  }
  return {};
}

StaticAnswer answer_at(const StaticCounts& c, double p, double operation_seconds) {
  StaticAnswer answer;
  answer.processors = p, answer.speedup = static_speedup(c, p), answer.utilisation = static_utilisation(c, p);
  answer.sequential = c.sequential, answer.parallel = c.parallel, answer.misses = c.misses, answer.loops = c.loops, answer.messages = c.messages;
  if (auto limit = startup_limit(c, p)) answer.startup_limit_seconds = *limit * operation_seconds;
  return answer;
}

}  // namespace

double static_speedup(const StaticCounts& c, double p) {
  double together = c.operation * c.sequential + (c.operation * c.parallel + c.miss * c.misses) / p + sigma(c, p) + (p > 1 ? c.operation * c.loops : 0);
  return together > 0 ? alone(c) / together : 1;
}
double static_utilisation(const StaticCounts& c, double p) { return static_speedup(c, p) / p; }

std::optional<double> startup_limit(const StaticCounts& c, double p) {
  double sends = c.messages * (c.broadcast ? 1 + std::log2(p) : 1);
  double room = alone(c) - (p - 1) * c.operation * c.sequential - p * c.operation * c.loops - p * c.transfer;
  if (sends <= 0 || room <= 0) return {};
  return room / (p * sends);
}

std::vector<StaticAnswer> static_answers(const TimeModel& model, const ParallelPlan& plan, double operation_seconds, const Setting& at) {
  StaticCounts c;
  Setting one = at;
  one["P"] = 1;
  for (const ModelTerm& term : model.terms)
    if (term.kind == "computation") (term.parallel ? c.parallel : c.sequential) += value_at(term.count, one);
  double core = value_at(model.part("computation"), one), all = c.parallel + c.sequential;
  c.operation = all > 0 ? core / (all * operation_seconds) : 1;  // cycles per instruction: the compiler and the core
  c.misses = value_at(model.part("memory"), one) / operation_seconds;
  auto cost = [&](const char* name) { auto it = model.costs.find(name); return it == model.costs.end() ? 0.0 : it->second / operation_seconds; };
  c.startup = cost("startup");
  auto network = engine::find_network(plan.network);
  std::vector<StaticAnswer> answers;
  for (int k = 1; k <= 8; k++) {
    Setting many = at;
    many["P"] = std::exp2(k);
    if (network && !add_messages(plan.communications, *network, many, cost("per_byte"), c)) break;  // no plan for so many
    answers.push_back(answer_at(c, many["P"], operation_seconds));
  }
  return answers;
}

namespace {

Result<double> count_at(const std::string& text, const std::string& what, const Setting& at) {
  if (text.empty()) return 0.0;
  TRY(expr::Expr e, expr::parse(text, "static model, " + what));
  TRY(double value, expr::evaluate(e, at));
  return amount(value, what);
}

bool is_divided(const std::vector<std::string>& parts, const Function& function, const Block& block) {
  const std::string line = block.at.known() ? block.at.text() : "";
  return std::ranges::any_of(parts, [&](const std::string& name) {
    return name == "*" || name == function.name || name == function.readable || name == line || line.ends_with("/" + name);
  });
}

// X_s and X_p from the statements of the source: every operation counts one.
Status from_source(const StaticProblem& problem, const Profile& profile, const Setting& at, StaticCounts& c) {
  if (!profile.source) return unfit("the profile has no source level", profile.program, "analyze without --levels, or give \"sequential\" and \"parallel\" in the file");
  Setting own = at;
  own.erase("P");
  TRY(engine::SizedProfile sized, engine::profile_at(profile, own));
  for (const Function& function : sized.profile.source->functions)
    for (const Block& block : function.blocks) {
      double operations = 0;
      for (const auto& [name, times] : block.usage) operations += times;
      (is_divided(problem.parallel_parts, function, block) ? c.parallel : c.sequential) += block.count.value * operations;
    }
  return {};
}

}  // namespace

Result<StaticProblem> solve_static(StaticProblem problem, const Setting& at, const Profile* profile) {
  Setting values = problem.values;
  for (const auto& [name, value] : at) values[name] = value;
  if (profile)
    for (const auto& [name, value] : profile->run.parameters) values.try_emplace(name, value);
  if (at.contains("P")) problem.processors = {at.at("P")};
  if (problem.processors.empty())
    for (int k = 1; k <= 10; k++) problem.processors.push_back(std::exp2(k));
  auto cost = [&](const char* name, double otherwise) { auto it = problem.costs.find(name); return it == problem.costs.end() ? otherwise : it->second; };
  for (const auto& [name, value] : problem.costs)
    if (value < 0) return unfit("the cost \"" + name + "\" is negative", "static model");
  if (problem.operation_seconds && !(*problem.operation_seconds > 0)) return unfit("operation_seconds is not above zero", "static model");
  TRY(Network network, engine::find_network(problem.network));
  problem.answers.clear();
  for (double p : problem.processors) {
    if (!(p >= 1)) return unfit("a number of processors below 1", "static model");
    values["P"] = p;
    StaticCounts c;
    c.operation = cost("operation", 1), c.miss = cost("miss", 1), c.startup = cost("startup", 0);
    if (problem.sequential.empty() && problem.parallel.empty()) {
      if (!profile) return unfit("the file says neither \"sequential\" nor \"parallel\"", "static model", "give them, or a profile beside it");
      CHECK_OK(from_source(problem, *profile, values, c));
    } else {
      TRY(c.sequential, count_at(problem.sequential, "sequential", values));
      TRY(c.parallel, count_at(problem.parallel, "parallel", values));
    }
    TRY(c.misses, count_at(problem.misses, "misses", values));
    TRY(c.loops, count_at(problem.loops, "loops", values));
    CHECK_OK(add_messages(problem.communications, network, values, cost("per_byte", 0), c));
    StaticAnswer answer = answer_at(c, p, problem.operation_seconds.value_or(1));
    if (answer.startup_limit_seconds && !problem.operation_seconds) answer.startup_limit = std::exchange(answer.startup_limit_seconds, std::nullopt);
    problem.answers.push_back(answer);
  }
  values.erase("P");
  problem.values = std::move(values);
  return problem;
}

}  // namespace perfcast::scale
