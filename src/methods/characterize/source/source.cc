#include "methods/characterize/source/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/files.h"
#include "base/text.h"
#include "base/threads.h"
#include "methods/characterize/source/program.h"

namespace perfcast::characterize {
namespace {

constexpr double clock_error = 5e-4;   // of an observation, at most, from reading the clock
constexpr int quick_rounds = 25, full_rounds = 60;
constexpr int repeats_when_disturbed = 2;

std::string title(const CompilerChoice& choice) {
  return choice.language + ", " + choice.compiler + " " + choice.flags;
}

// The programs in the order to compile them: Fortran first, which takes as long as the others together.
std::vector<std::size_t> slowest_first(const std::vector<CompilerChoice>& choices) {
  std::vector<std::size_t> order(choices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_partition(order, [&](std::size_t i) { return choices[i].language == "fortran"; });
  return order;
}

// Compiles all programs, as many at a time as there are processors: compiling is most of a quick characterization.
std::vector<Result<ExperimentProgram>> build_all(const Work& work, const CompilerPlan& plan, const std::string& folder) {
  std::vector<Result<ExperimentProgram>> programs(plan.choices.size(), unfit("no time was left to compile it"));
  const auto order = slowest_first(plan.choices);
  std::atomic<std::size_t> next = 0;
  auto builder = [&] {
    for (std::size_t k; (k = next++) < order.size();) {
      if (work.stopped() || work.left().value <= 0) return;
      const std::size_t i = order[k];
      programs[i] = build_program(plan.choices[i], plan.c_compiler, folder + "/" + std::to_string(i));
    }
  };
  std::vector<std::jthread> others;  // beside this one, as many as the system has to give
  for (unsigned i = 1; i < std::clamp(std::thread::hardware_concurrency(), 1u, 8u); i++)
    others.push_back(thread_if_any<std::jthread>(builder));
  builder();
  others.clear();
  return programs;
}

std::vector<std::optional<BodyEstimate>> estimates_of(const ExperimentProgram& program, const RawResults& results) {
  std::vector<std::optional<BodyEstimate>> estimates;
  estimates.reserve(results.bodies.size());
  for (std::size_t i = 0; i < results.bodies.size(); i++)
    estimates.push_back(estimate_body(results.bodies[i], program.set.bodies[i].repetitions));
  return estimates;
}

std::vector<std::size_t> disturbed_ones(const std::vector<std::optional<BodyEstimate>>& estimates) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < estimates.size(); i++)
    if (estimates[i] && estimates[i]->disturbed) found.push_back(i);
  return found;
}

// Runs a program's experiments, and the disturbed ones again while there is time.
Result<RawResults> observe(const Work& work, const ExperimentProgram& program, Seconds share) {
  RunPlan plan;
  plan.rounds = work.options.quick ? quick_rounds : full_rounds;
  plan.time = share * 0.7;
  RunPlan first = plan;  // a look at the clock and one round, to know how long an observation must be
  first.rounds = 1, first.only = {0};
  TRY(RawResults look, run_experiments(program, first));
  plan.slice_ns = slice_for(look.clock, clock_error);
  TRY(RawResults results, run_experiments(program, plan));
  for (int repeat = 0; repeat < repeats_when_disturbed && !work.stopped(); repeat++) {
    plan.only = disturbed_ones(estimates_of(program, results));
    plan.time = share * 0.15;
    if (plan.only.empty()) break;
    TRY(RawResults again, run_experiments(program, plan));
    for (auto i : plan.only) results.bodies[i].add(again.bodies[i]);
  }
  return results;
}

// The first few of many names.
std::string named(const std::vector<std::string>& names) {
  constexpr std::size_t most = 12;
  if (names.size() <= most) return join(names, ", ");
  return join({names.begin(), names.begin() + most}, ", ") + fmt::format(" and {} more", names.size() - most);
}

OperationCosts costs_of(const ExperimentProgram& program, const RawResults& results, double confidence,
                        std::vector<Gap>& gaps) {
  OperationCosts costs{program.choice.language, program.choice.compiler, program.choice.flags, {}};
  auto estimates = estimates_of(program, results);
  std::vector<std::string> failed;
  for (const auto& formula : program.set.costs) {
    if (auto cost = estimate_cost(formula, estimates, confidence)) costs.costs[formula.operation] = *cost;
    else failed.push_back(formula.operation);
  }
  if (!failed.empty())
    gaps.push_back({"source operations of " + title(program.choice) + ": the experiments failed for " + named(failed), {}, 0});
  return costs;
}

}  // namespace

Status measure_source(Work& work, Machine& machine) {
  auto plan = plan_compilers(work.options);
  for (const auto& sentence : plan.missing) {
    work.remark(sentence);
    machine.gaps.push_back({"source operations: " + sentence, {}, 0});
  }
  if (plan.choices.empty()) return unfit("no compiler to characterize was found", "", "install gcc or clang");
  TRY(TemporaryFolder folder, TemporaryFolder::make("characterize"));
  work.doing("compiling the experiments", 0);
  auto programs = build_all(work, plan, folder.path().string());
  for (std::size_t i = 0; i < programs.size(); i++) {
    const auto& choice = plan.choices[i];
    work.doing(title(choice), 0.3 + 0.7 * static_cast<double>(i) / static_cast<double>(programs.size()));
    auto lose = [&](const std::string& why) { machine.gaps.push_back({"source operations of " + title(choice) + ": " + why, {}, 0}); };
    if (work.stopped()) {
      lose("interrupted");
      continue;
    }
    if (!programs[i]) {
      work.remark(programs[i].error().message());
      lose(programs[i].error().what);
      continue;
    }
    for (const auto& body : programs[i]->lost) lose("the compiler refused the experiment " + body);
    auto results = observe(work, *programs[i], work.left() / static_cast<double>(programs.size() - i));
    if (!results) {
      work.remark(results.error().message());
      lose(results.error().what);
      continue;
    }
    machine.source.push_back(costs_of(*programs[i], *results, work.options.confidence, machine.gaps));
  }
  return {};
}

}  // namespace perfcast::characterize
