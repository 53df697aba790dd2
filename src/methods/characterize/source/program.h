// One program of experiments: generated, compiled by the compiler that is characterized, run pinned to a core.
#pragma once

#include <string>
#include <vector>

#include "methods/characterize/source/compilers.h"
#include "methods/characterize/source/estimate.h"
#include "methods/characterize/source/experiments.h"

namespace perfcast::characterize {

struct ExperimentProgram {
  CompilerChoice choice;
  ExperimentSet set;
  std::string executable;
  std::vector<bool> refused;      // by the compiler, for each body
  std::vector<std::string> lost;  // the names of those
};

// Makes and compiles the program below `folder`. Experiments the compiler refuses are left out and named in `lost`; an
// error means that nothing could be made.
Result<ExperimentProgram> build_program(const CompilerChoice& choice, const std::string& c_compiler,
                                        const std::string& folder, bool with_checks = false);

struct ClockFacts {
  double resolution_ns = 0, overhead_ns = 0, overhead_sd_ns = 0;
};

struct RunPlan {
  int rounds = 30;
  double slice_ns = 50000;  // least duration of an observation
  Seconds time;             // rounds stop after it
  std::vector<std::size_t> only;  // experiments; empty: all
};

struct RawResults {
  ClockFacts clock;
  double canary_cycles = 0;          // of an independent addition while nobody shared the core
  std::vector<Observations> bodies;  // as in the set; empty where not run
};

Result<RawResults> run_experiments(const ExperimentProgram& program, const RunPlan& plan);

// Reads what harness.c prints. Exposed for tests.
Result<RawResults> parse_results(const std::string& text, std::size_t bodies);

// How long an observation must last for the clock's resolution and overhead to stay below `error` of it (eq. 4.9).
double slice_for(const ClockFacts& clock, double error);

}  // namespace perfcast::characterize
