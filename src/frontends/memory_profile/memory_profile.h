// How a program's loads, stores and branches behave, from one run of a second build of it: reuse distances of lines and
// pages, neighbours, strides, and the mispredictions of a simulated modern predictor. The build has two versions of the
// code and profiles in bursts (versions.h, data/runtime/memory_profile.c), so that the run takes little longer than the
// plain one. What no burst could see is "unknown", never a miss.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/process.h"
#include "frontends/llvm_ir/compile.h"
#include "record/profile.h"

namespace perfcast::memory_profile {

struct Options {
  std::vector<std::string> arguments;
  std::string folder;               // where it runs; empty: here
  std::string input_file;           // standard input; empty: /dev/null
  RunLimits limits;
  std::vector<std::string> runner;  // what runs the program; empty: the host
  double expected_seconds = 1;      // of processor time; bursts are spread over it
  bool whole_run = false;           // watched from beginning to end: for short runs, some 30 times as long as the plain one
  bool learns_branches = true;      // takes the time that predictors need to learn; else what is seen of branches is a first guess
  double burst_share = 1;           // of the usual share of time for bursts (about a third at most)
};

// Where an access or a branch stands in the IR, and what was seen of it.
struct Site {
  std::string function, block;
};
struct AccessSite : Site {
  Access access;       // shares; `count` is filled from the exact counts later
  double touches = 0;  // seen in bursts
  double lines_per_execution = 0;  // of memory-copying intrinsics
};
// Besides branches and calls through pointers, what the code generator may make a branch of: a choice between two values; a
// division, which it may do in half the width where both operands are small ("taken" then); each part of a condition that and
// or or join ("taken" where it decides).
enum class BranchKind { branch, call, choice, division, part };
using Position = std::pair<int, int>;  // line and column of the source; 0, 0: not known
struct BranchSite : Site {
  BranchKind kind = BranchKind::branch;
  double executed = 0, taken = 0;  // in bursts
  Mispredictions mispredicted;
  Position at;
};

// What the code generator made branches of, by function and block of the IR (branches.h): these are what a predictor remembers.
using BlocksOfIr = std::set<std::pair<std::string, std::string>>;
struct MadeBranches {
  std::map<std::pair<std::string, std::string>, std::set<Position>> of_choices;  // with where the branches stand
  BlocksOfIr of_parts;                                                           // of the condition that ends the block
};

// Runs this short are watched whole: bursts would see little of them.
inline constexpr double short_run_seconds = 0.03;

struct MemoryProfile {
  std::vector<AccessSite> accesses;
  std::vector<BranchSite> branches;
  double short_bursts = 0, long_bursts = 0, burst_share = 0;  // share of the run's time spent in bursts
  double deepest_lines = 0;                                   // most distinct lines one burst saw
  RunOutcome outcome;
};

// The second build, to be run with any arguments.
class ProfiledProgram {
 public:
  // `program` must outlive it.
  static Result<ProfiledProgram> build(const llvm_ir::CompiledProgram& program, const MadeBranches& made);
  Result<MemoryProfile> run(const Options& options) const;
  const std::string& executable() const { return executable_; }

 private:
  MemoryProfile sites_;  // without observations
  std::string executable_, results_;
};

Result<MemoryProfile> profile_memory(const llvm_ir::CompiledProgram& program, const MadeBranches& made, const Options& options);

// Puts accesses and mispredictions into the blocks of the IR graph, scaled to its exact counts.
void apply(const MemoryProfile& profile, Graph& ir);

}  // namespace perfcast::memory_profile
