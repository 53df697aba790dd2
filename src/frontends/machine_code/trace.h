// Runs a program under qemu's user-mode emulation with a plugin of ours (data/runtime/qemu_blocks.c) that counts every
// block it executes, with its bytes and successors: exact, for any compiler's code, for libraries, and for the other
// instruction set. Costs about 10 to 20 times the plain run, so it can be bounded. On the way it can watch, in bursts, how
// the loads and stores use memory; that costs half as much again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/result.h"
#include "record/access.h"
#include "record/mispredictions.h"
#include "record/profile.h"

namespace perfcast::machine_code {

// A stretch of code qemu translated at once: straight code up to a branch, a call, a page's end.
struct TracedBlock {
  std::uint64_t address = 0;
  double count = 0;
  Mispredictions mispredicted;  // about what came next
  std::vector<std::uint8_t> bytes;
  std::vector<std::pair<std::uint64_t, double>> next;  // address, how often; none after a return
};

// What was seen of the loads or the stores of one instruction.
struct TracedAccess {
  std::uint64_t address = 0;       // of the instruction
  double lines_per_execution = 1;  // gathers and what crosses lines touch several
  Access access;                   // shares, and whether it stores
};

// How memory was watched.
struct MemoryWatch {
  bool whole = false;                                   // from beginning to end
  double short_bursts = 0, long_bursts = 0, share = 0;  // share of the instructions that bursts saw
  double deepest_lines = 0, pages = 0;                  // most distinct ones that a burst saw
};

struct Mapping {
  std::uint64_t start = 0, end = 0, offset = 0;
  std::string path;  // empty or "[...]": not a file
};

struct Trace {
  std::vector<TracedBlock> blocks;  // by address, then bytes
  std::vector<TracedAccess> accesses;  // by address; those that a burst met
  std::optional<MemoryWatch> memory;   // none: not watched
  std::vector<Mapping> mappings;
  std::string triple;
  double instructions = 0;
  int threads = 1;
  SystemUse system;          // since the program's own code began
  bool complete = true;      // ended by itself within the limits
  bool sampled = false;      // from some time on, counts are those of one stretch in eight, times eight
  std::string unfinished;    // the routine waited for in vain: running when the run was ended, or seen too seldom
  bool overflowed = false;   // more code than the file could hold
  RunOutcome outcome;
};

enum class WatchMemory { no, in_bursts, whole_run };

struct TraceOptions {
  std::string input_file;                   // standard input; empty: /dev/null
  std::string folder;                       // where it runs; empty: here
  // What starts the ranks of an MPI program. The one that finds PERFCAST_TRACED set is traced, outside of MPI's routines; the others
  // run as they are.
  std::vector<std::string> launcher;
  RunLimits limits;
  std::optional<double> instruction_limit;  // end the run after about so many
  // Of processor: counts all of the first seconds of it, then one stretch in eight, then ends the run.
  std::optional<Seconds> processor_time;
  std::vector<std::string> skip;            // functions of the executable that are not counted
  // Library routines with how often the program calls them: the run goes on beyond processor_time, up to `patience`,
  // while one was seen too seldom to tell of the rest or is running. 0 calls: not waited for.
  std::map<std::string, double> routines;
  Seconds patience{0};
  WatchMemory memory = WatchMemory::no;
  std::string system_root;                  // where a foreign program finds its libraries; empty: the usual place
};

// An error: not an ELF program, qemu missing, libraries of a foreign program missing, not to be started. A crash, a
// non-zero exit or a timeout is in the outcome; the counts up to it are there.
Result<Trace> trace_program(const std::string& executable, const std::vector<std::string>& arguments,
                            const TraceOptions& options = {});

}  // namespace perfcast::machine_code
