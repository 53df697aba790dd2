// How wrong is all this, on this machine, today? Every program of a suite is analysed, predicted and timed; errors and
// how often the intervals held are summed up per model (Saavedra 1988, tables 6.1, 6.2 and 7.2).
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/timing.h"
#include "methods/validate/suite.h"
#include "record/prediction.h"
#include "record/validation.h"

namespace perfcast::validate {

// A program ready to be timed, with what the models say about it.
struct Prepared {
  Prediction prediction;
  RunRequest run;
  int exit_code = 0;            // with which it ends when all is well
  std::shared_ptr<void> keeps;  // what must live until the last run: the folder of the executable
};

// What this room cannot do itself, since it knows neither front ends nor other rooms.
struct Steps {
  std::function<Result<Prepared>(const SuiteProgram&)> prepare;                 // analyze, predict, build
  std::function<Result<TimedRun>(const RunRequest&)> time;                      // empty: timed_run with one chain
  std::function<void(const std::string& what, double share_done)> progress;    // may be empty
};

struct ValidateOptions {
  int most_rounds = 15;     // each program is timed at most so often,
  Seconds budget{600};      // and after this long only until it has been timed five times
  std::optional<double> machine_ghz;  // the clock of the machine file, where it has one
  const std::atomic<bool>* stop = nullptr;  // when it becomes true, what is analysed by then is timed once and told

  bool stopped() const { return stop && stop->load(std::memory_order_relaxed); }
};

// A program that fails is reported in its outcome, and the others go on; an error only when none could be timed.
Result<Validation> validate(const Suite& suite, const std::string& machine, const Steps& steps,
                            const ValidateOptions& options = {});

// The prediction for the machine at another clock: what the core does takes longer at a lower one, the caches behind its own
// and memory do not.
double seconds_at_clock(const ModelPrediction& prediction, double machine_ghz, double ghz);

// The accuracy of each model over these programs.
std::map<std::string, ModelSummary> summarize(const std::vector<ProgramOutcome>& programs);

}  // namespace perfcast::validate
