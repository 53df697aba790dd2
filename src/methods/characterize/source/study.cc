#include "methods/characterize/source/study.h"

#include <cmath>
#include <map>

#include "base/files.h"
#include "methods/characterize/source/program.h"
#include "methods/characterize/work.h"

namespace perfcast::characterize {
namespace {

using Estimates = std::vector<std::optional<BodyEstimate>>;

constexpr double test_lengths_ns[] = {5e3, 20e3, 100e3, 500e3};
constexpr int repetition_counts[] = {5, 10, 20, 40};
constexpr int check_rounds = 60;

Estimates estimates_of(const ExperimentProgram& program, const RawResults& results, Statistic statistic) {
  Estimates estimates;
  for (std::size_t i = 0; i < results.bodies.size(); i++)
    estimates.push_back(estimate_body(results.bodies[i], program.set.bodies[i].repetitions, statistic));
  return estimates;
}

// The first `count` observations of each body.
RawResults first_of(const RawResults& results, std::size_t count) {
  RawResults shorter = results;
  for (auto& body : shorter.bodies)
    if (body.once.size() > count) body.once.resize(count), body.twice.resize(count), body.disturbed.resize(count);
  return shorter;
}

IntervalPoint point_of(const ExperimentProgram& program, const RawResults& results, double test_ns, int repetitions,
                       double confidence) {
  IntervalPoint point{test_ns, repetitions};
  auto estimates = estimates_of(program, first_of(results, static_cast<std::size_t>(repetitions)), Statistic::median);
  std::vector<double> widths;
  double undetected = 0, all = 0;
  for (const auto& formula : program.set.costs) {
    auto cost = estimate_cost(formula, estimates, confidence);
    if (!cost) continue;
    all++;
    if (cost->not_detected) undetected++;
    else widths.push_back(half_interval(*cost, confidence) / cost->value);
  }
  if (!widths.empty()) point.typical = median(widths), point.worst = quantile(widths, 0.9);
  if (all > 0) point.undetected = undetected / all;
  return point;
}

// What each check would take by the costs of one statistic; empty where a cost is missing.
std::vector<std::optional<double>> predict_checks(const ExperimentProgram& program, const Estimates& estimates, double confidence) {
  std::map<std::string, double> costs;
  for (const auto& formula : program.set.costs)
    if (auto cost = estimate_cost(formula, estimates, confidence)) costs[formula.operation] = cost->value;
  std::vector<std::optional<double>> predictions;
  for (const auto& check : program.set.checks) {
    double sum = 0;
    bool known = true;
    for (const auto& [times, operation] : check.operations) {
      auto it = costs.find(operation);
      known = known && it != costs.end();
      if (known) sum += times * it->second;
    }
    predictions.push_back(known ? std::optional(sum) : std::nullopt);
  }
  return predictions;
}

void compare_statistics(const ExperimentProgram& program, const RawResults& results, double confidence, Study& study) {
  std::vector<std::optional<double>> by[3];
  const Statistic statistics[] = {Statistic::minimum, Statistic::median, Statistic::average};
  for (int s = 0; s < 3; s++) by[s] = predict_checks(program, estimates_of(program, results, statistics[s]), confidence);
  // A user meets the average of a program's time; disturbed observations count.
  auto measured = estimates_of(program, results, Statistic::average);
  double errors[3] = {}, totals[3] = {}, total = 0, count = 0;
  for (std::size_t i = 0; i < program.set.checks.size(); i++) {
    const auto& actual = measured[program.set.checks[i].body];
    if (!actual || actual->value <= 0 || !by[0][i] || !by[1][i] || !by[2][i]) continue;
    study.checks.push_back({program.set.checks[i].name, actual->value, *by[0][i], *by[1][i], *by[2][i]});
    for (int s = 0; s < 3; s++) errors[s] += std::abs(*by[s][i] / actual->value - 1), totals[s] += *by[s][i];
    total += actual->value, count++;
  }
  if (count == 0) return;
  study.minimum_error = errors[0] / count, study.median_error = errors[1] / count, study.average_error = errors[2] / count;
  study.minimum_total = totals[0] / total, study.median_total = totals[1] / total, study.average_total = totals[2] / total;
}

}  // namespace

Result<Study> study(const CharacterizeOptions& options) {
  auto plan = plan_compilers(options);
  auto chosen = std::find_if(plan.choices.begin(), plan.choices.end(), [](const auto& c) { return c.language != "fortran"; });
  if (chosen == plan.choices.end()) return unfit("the study needs a C or C++ compiler", "", "install gcc or clang");
  TRY(TemporaryFolder folder, TemporaryFolder::make("study"));
  TRY(ExperimentProgram program, build_program(*chosen, plan.c_compiler, folder.path().string(), true));
  Study result;
  result.title = chosen->language + ", " + chosen->compiler + " " + chosen->flags;
  Work work(options, Seconds{60});
  work.begin_section("study", Seconds{60});
  double step = 0;
  for (double test_ns : test_lengths_ns) {
    if (work.stopped()) break;
    work.doing("tests of " + std::to_string(static_cast<int>(test_ns / 1000)) + " us", step++ / 5);
    RunPlan run{repetition_counts[3], test_ns, Seconds{20}, {}};
    TRY(RawResults results, run_experiments(program, run));
    result.clock_resolution_ns = results.clock.resolution_ns, result.clock_overhead_ns = results.clock.overhead_ns;
    for (int repetitions : repetition_counts)
      result.intervals.push_back(point_of(program, results, test_ns, repetitions, options.confidence));
  }
  if (work.stopped()) return result;
  work.doing("checks", 0.8);
  TRY(RawResults results, run_experiments(program, {check_rounds, 50e3, Seconds{20}, {}}));
  compare_statistics(program, results, options.confidence, result);
  return result;
}

}  // namespace perfcast::characterize
