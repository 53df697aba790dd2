#include "methods/validate/validate.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/statistics.h"

namespace perfcast::validate {
namespace {

using Clock = std::chrono::steady_clock;

struct Candidate {
  ProgramOutcome outcome;
  std::optional<Prepared> prepared;
  std::vector<TimedRun> runs;

  bool failed() const { return !outcome.failed.empty(); }
  bool wants_more() const {
    return !failed() && std::count_if(runs.begin(), runs.end(), [](const auto& r) { return !r.disturbed; }) < wanted_runs;
  }
};

std::string told(const Error& error) { return error.where.empty() ? error.what : error.where + ": " + error.what; }

// One more run of this program; how it went is in the candidate.
void time_once(Candidate& candidate, const Steps& steps, ReferenceChain& chain) {
  const RunRequest& request = candidate.prepared->run;
  auto run = steps.time ? steps.time(request) : timed_run(request, chain);
  if (!run) {
    candidate.outcome.failed = told(run.error());
  } else if (!run->ended_with(candidate.prepared->exit_code)) {
    candidate.outcome.failed = "the program " + run->outcome.how_it_ended(request.limits);
  } else {
    candidate.runs.push_back(std::move(*run));
  }
}

// Round-robin over the programs, so that a slow spell of the machine falls on all alike.
void time_all(std::vector<Candidate>& candidates, const Steps& steps, const ValidateOptions& options) {
  ReferenceChain chain;
  auto start = Clock::now();
  for (int round = 0; round < options.most_rounds; round++) {
    bool late = std::chrono::duration<double>(Clock::now() - start).count() > options.budget.value;
    if ((round >= wanted_runs && late) || (round > 0 && options.stopped())) return;
    std::size_t done = 0;
    for (auto& candidate : candidates) {
      if (steps.progress)
        steps.progress("timing, round " + std::to_string(round + 1),
                       static_cast<double>(done++) / static_cast<double>(candidates.size()));
      if (round > 0 && options.stopped()) break;
      if (candidate.wants_more()) time_once(candidate, steps, chain);
    }
    if (!steps.time)
      for (auto& candidate : candidates) mark_disturbed(candidate.runs, chain);
    if (std::none_of(candidates.begin(), candidates.end(), [](const auto& c) { return c.wants_more(); })) return;
  }
}

void conclude(Candidate& candidate, const ValidateOptions& options) {
  if (candidate.failed() || candidate.runs.empty()) return;
  RunSummary summary = summarize_runs(candidate.runs);
  ProgramOutcome& outcome = candidate.outcome;
  outcome.measured = summary.seconds;
  outcome.measured_interval = summary.interval;
  outcome.runs = summary.runs, outcome.disturbed = summary.disturbed, outcome.clock_ghz = summary.clock_ghz;
  if (summary.seconds <= 0) {
    outcome.failed = "the program is too short to be timed";
    return;
  }
  for (const auto& p : candidate.prepared->prediction.predictions) {
    if (p.model == Model::ct) continue;  // it is the measurement
    ModelOutcome& model = outcome.models[word_of(p.model)];
    model.seconds = p.seconds, model.error = p.seconds / summary.seconds - 1, model.interval = p.interval;
    model.covered = p.interval[0] <= summary.seconds && summary.seconds <= p.interval[1];
    if (options.machine_ghz && outcome.clock_ghz)
      model.error_at_clock = seconds_at_clock(p, *options.machine_ghz, *outcome.clock_ghz) / summary.seconds - 1;
  }
}

}  // namespace

double seconds_at_clock(const ModelPrediction& prediction, double machine_ghz, double ghz) {
  double seconds = prediction.seconds;
  for (const Part& part : prediction.parts) {
    const bool beyond_core = part.name.starts_with("memory: ") && part.name != "memory: L2";
    if (!beyond_core) seconds += part.seconds * (machine_ghz / ghz - 1);
  }
  return seconds;
}

std::map<std::string, ModelSummary> summarize(const std::vector<ProgramOutcome>& programs) {
  struct Collected {
    std::vector<double> errors, sizes, predicted, measured, at_clock;
    int covered = 0;
  };
  std::map<std::string, Collected> by_model;
  for (const auto& program : programs)
    for (const auto& [model, outcome] : program.models) {
      auto& c = by_model[model];
      c.errors.push_back(outcome.error), c.sizes.push_back(std::abs(outcome.error));
      c.predicted.push_back(outcome.seconds), c.measured.push_back(*program.measured);
      c.covered += outcome.covered;
      if (outcome.error_at_clock) c.at_clock.push_back(std::abs(*outcome.error_at_clock));
    }
  std::map<std::string, ModelSummary> summaries;
  for (const auto& [model, c] : by_model) {
    ModelSummary& s = summaries[model];
    double n = static_cast<double>(c.errors.size());
    s.programs = static_cast<int>(c.errors.size());
    s.mape = mean(c.sizes), s.median = median(c.sizes), s.bias = mean(c.errors);
    for (int percent : {5, 10, 15, 20})
      s.within[std::to_string(percent)] =
          static_cast<double>(std::count_if(c.sizes.begin(), c.sizes.end(), [&](double e) { return e <= percent / 100.0; })) / n;
    s.tau = kendall_tau(c.predicted, c.measured);
    s.coverage = c.covered / n;
    if (!c.at_clock.empty()) s.mape_at_clock = mean(c.at_clock), s.median_at_clock = median(c.at_clock);
  }
  return summaries;
}

Result<Validation> validate(const Suite& suite, const std::string& machine, const Steps& steps, const ValidateOptions& options) {
  std::vector<Candidate> candidates;
  for (const auto& program : suite.programs) {
    if (steps.progress)
      steps.progress("analysing " + program.name,
                     static_cast<double>(candidates.size()) / static_cast<double>(suite.programs.size()));
    Candidate candidate;
    candidate.outcome.name = program.name;
    auto prepared = options.stopped() ? Result<Prepared>(unfit("interrupted before it was analysed")) : steps.prepare(program);
    if (prepared) candidate.prepared = std::move(*prepared);
    else candidate.outcome.failed = told(prepared.error());
    candidates.push_back(std::move(candidate));
  }
  time_all(candidates, steps, options);

  Validation validation;
  validation.machine = machine;
  validation.suite = suite.folder;
  validation.made_by = made_here();
  validation.machine_ghz = options.machine_ghz;
  std::string first_failure;
  for (auto& candidate : candidates) {
    conclude(candidate, options);
    if (candidate.failed() && first_failure.empty()) first_failure = candidate.outcome.name + ": " + candidate.outcome.failed;
    validation.programs.push_back(std::move(candidate.outcome));
  }
  if (std::none_of(validation.programs.begin(), validation.programs.end(), [](const auto& p) { return !p.models.empty(); }))
    return unfit("no program of the suite could be predicted and timed; " + first_failure, suite.folder);
  validation.models = summarize(validation.programs);
  return validation;
}

}  // namespace perfcast::validate
