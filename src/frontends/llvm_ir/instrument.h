// Exact counts of blocks and edges with few counters (Knuth; Ball and Larus): counters stand on the edges outside a
// maximum-weight spanning tree of the flow graph, conservation of flow gives the others. What breaks conservation is
// made part of the graph: a block with a call that may not return (exit, longjmp, an exception passing through) or may
// return twice gets one more edge, to the outside, which takes part in the tree and so costs a counter elsewhere.
//
// Counters of a loop live in a register while it runs and are added to memory at its exits, unless something in the
// loop may leave the function without passing an exit. Programs with threads count in an array per thread. The arrays
// lie in files mapped shared, so that counts survive _exit, abort, crashes and kill (data/runtime/counts.c).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/process.h"
#include "frontends/llvm_ir/compile.h"
#include "frontends/llvm_ir/counts.h"
#include "frontends/llvm_ir/library_watch.h"
#include "frontends/position_counts.h"

namespace perfcast::llvm_ir {

enum class Stage { early, final };

struct CountOptions {
  std::vector<std::string> arguments;
  std::string folder;           // where it runs; empty: here
  std::string input_file;       // standard input; empty: /dev/null
  RunLimits limits;
  std::map<std::string, std::string> environment;  // added to ours
  std::vector<std::string> runner;  // what runs the program: {"qemu-aarch64", "-L", "..."}; empty: the host
  bool emulated = false;            // by the runner: where it takes its time says nothing
};

struct CountedRun {
  std::vector<UnitCounts> units;  // beside CompiledProgram::units
  std::vector<std::vector<UnitCounts>> threads;  // programs with threads: the same by thread, the first thread first
  RunOutcome outcome;
  double page_faults = 0;         // since its own code began; the loader's are not the program's
  bool subnormal = false;         // it met numbers too small to be normal
  bool complete = true;           // ended by itself; otherwise counts of the loops running at the end are missing
  LibraryTime libraries;          // of the final stage, run on this host, without threads
};

// The counted executable, made once and run as often as one likes. The program must outlive it.
class CountedProgram {
 public:
  static Result<CountedProgram> build(const CompiledProgram& program, Stage stage);
  Result<CountedRun> run(const CountOptions& options) const;

 private:
  struct Parts;
  std::shared_ptr<const Parts> parts_;
};

// Adds counters to the units' bitcode of this stage, generates code, links, runs, reads the counts.
Result<CountedRun> count_run(const CompiledProgram& program, Stage stage, const CountOptions& options);

// The same without running: the counted executable, for benchmarks.
Status build_counted(const CompiledProgram& program, Stage stage, const std::string& executable);

// Executions per source position, from a counted run of the early stage (or the final one at -O0).
Result<PositionCounts> position_counts(const CompiledProgram& program, Stage stage, const CountedRun& run);

}  // namespace perfcast::llvm_ir
