// Assembles the benchmark functions with any C compiler, runs them in a process of their own (pinned, guarded against
// illegal instructions, in many short slices) and reads back what each costs. How a slice is judged: harness.c.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "methods/characterize/instructions/benchmarks.h"
#include "record/measurement.h"

namespace perfcast::instructions {

struct Timing {
  double cycles = 0;     // per unit (Benchmark::per): the middle of the lowest cluster of undisturbed slices
  double spread = 0;     // half the distance between the quartiles of that cluster
  int kept = 0, taken = 0;
  bool disturbed() const { return kept < 3; }
};

struct Timings {
  double clock_ghz = 0, clock_low = 0, clock_high = 0;
  double canary = 0;                                // cycles per copy on the undisturbed core
  std::map<std::string, Timing> of;                 // by name of the benchmark
  std::map<std::string, int> refused;               // the signal that ended it: the CPU lacks the instruction
  std::vector<std::string> not_assembled;           // the assembler does not know it

  const Timing* find(const std::string& name) const;
  std::optional<double> cycles(const std::string& name) const;
};

struct RunOptions {
  double seconds = 40;        // upper limit; ends sooner when all has settled
  double slice_us = 10;
  int least_slices = 16;
  std::vector<int> cores;     // taken in turn; empty: where the system puts it
  std::string compiler;       // empty: cc, gcc or clang, whichever is there
};

// Keeps and reads back what a run printed, for work without a machine at hand.
std::string write_timings(const Timings& timings, const std::vector<Benchmark>& benchmarks);

Result<Timings> run_benchmarks(const FormTable& table, std::vector<Benchmark> benchmarks, const RunOptions& options);

// Turns the harness' output into timings; exposed for its tests.
Result<Timings> read_timings(const std::string& output, const std::vector<Benchmark>& benchmarks);

}  // namespace perfcast::instructions
