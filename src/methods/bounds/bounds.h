// How fast could it be, and what is in the way? The MACS hierarchy of Lee and Davidson 1994 for every hot loop of a
// program: Machine, Application, Compiler, Schedule; then the finite window of the core (a prediction), and what was
// measured. Every step is a gap with causes. See README.md for the definitions on a superscalar core.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/bounds.h"
#include "record/machine.h"
#include "record/profile.h"

namespace perfcast::bounds {

// Seconds of the program's own run that fell on one block of the machine level.
struct BlockSeconds {
  int function = 0, block = 0;  // indices into Profile::machine
  double seconds = 0;
};

// The plain program, timed and sampled on the machine the bounds are for.
struct MeasuredProgram {
  double seconds = 0;             // of a run, CPU time
  double samples = 0;             // in all runs
  std::vector<BlockSeconds> blocks;
  std::string how;
};

// A parallel region as it was watched: by the function that holds it and the line it begins on.
struct RegionSeconds {
  std::string function;
  Location at;
  double seconds = 0;                        // elapsed, all its entries
  std::vector<double> busy;                  // processor time by thread, without waiting; empty: not known
};

// One run with a number of threads: how often each block ran in each, and how long the program took.
struct ThreadedRun {
  int threads = 1;
  double seconds = 0;                        // elapsed
  // [function][block][thread] of the machine level, with what each thread executed.
  std::vector<std::vector<std::vector<double>>> counts;
  std::vector<RegionSeconds> regions;        // empty: not watched
  std::string doubt;                         // why its times mean little; empty: they do mean something
  // Of the counts, those of region bodies that were called plainly, by the one thread whose condition for more did not hold. Empty: not
  // told apart.
  std::vector<std::vector<std::vector<double>>> plain = {};
};

struct LoopName {
  std::string function;  // empty: any
  int line = 0;
};

struct BoundsOptions {
  std::vector<LoopName> loops;                // empty: every hot one
  double hot_share = 0.005;                   // of the program's predicted time
  std::optional<MeasuredProgram> measured;
  std::string not_measured;                   // why there is no measurement
  std::vector<ThreadedRun> threaded;          // by number of threads, one thread first
  double instructions = 1'500'000;            // to simulate, for each of MACS and window
};

// An error when the machine has no core, or the profile no machine code, or of another instruction set.
Result<Bounds> bounds(const Profile& profile, const Machine& machine, const BoundsOptions& options = {});

// The listing of K-MACSTAT (section 6.2, figure 25) for the compiled loops of every executed function.
std::string listing(const Profile& profile, const BoundsOptions& options = {});

// The function a parallel region is written in: "sweep" for its body "sweep.omp_outlined.1".
std::string without_body_mark(const std::string& function);

// "sweep:12", "12": --loop.
Result<LoopName> loop_name(const std::string& text);

}  // namespace perfcast::bounds
