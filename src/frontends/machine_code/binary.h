// Programs as they are, whoever compiled them: `perfcast analyze --binary`. Counted exactly under qemu's user-mode
// emulation, which also watches memory and branches; decoded, with source lines from debug information; library code
// included.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/result.h"
#include "frontends/machine_code/trace.h"
#include "record/profile.h"

namespace perfcast::machine_code {

struct BinaryOptions {
  std::string input_file;     // standard input; empty: /dev/null
  std::string folder;         // where it runs; empty: here
  RunLimits limits;           // of the counted run
  std::string tables_cpu;     // whose scheduling tables are the fall-back; empty: default_cpu()
  std::string system_root;    // libraries of a foreign program
  WatchMemory memory = WatchMemory::in_bursts;
  bool plain_run = true;      // where the host can, run it once plainly too: page faults and time
};

// The profile of one run: machine level only. A run that crashes or does not end gives an error; a non-zero exit is
// recorded in the profile.
Result<Profile> analyze_binary(const std::string& executable, const std::vector<std::string>& arguments,
                               const BinaryOptions& options = {});

// How long the tracing of libraries may take; what is cut off is scaled up.
struct LibraryTraceOptions {
  std::string input_file, folder, tables_cpu, system_root;
  std::vector<std::string> launcher;           // of an MPI program: see TraceOptions
  Seconds time{6};                             // of processor, counted in samples after the first two; then the run is ended,
  Seconds patience{6};                         // or here, while a routine was seen too seldom to scale it, or is running
  std::vector<std::string> own_functions;      // the program's own, by linkage name: not counted here
  std::map<std::string, double> known_calls;   // exact counts of calls of library routines, for scaling
  std::set<std::string> not_awaited;           // of these: too brief to be patient for
};

struct LibraryCode {
  Graph graph;               // functions, marked with their library; counts scaled to the whole run
  std::vector<Gap> gaps;
  bool complete = true;      // all of the run was counted
  bool cut = false;          // ... nor can the rest be told from what was
  SystemUse system;          // brought to the whole run
};

// Everything the program executes outside its own functions, as counted machine code: sin, memcpy, malloc, printf,
// the runtime libraries of C++ and Fortran, the dynamic linker. Forms are added to `forms`, to which the
// instructions of the graph refer.
Result<LibraryCode> trace_library_code(const std::string& executable, const std::vector<std::string>& arguments,
                                       std::vector<InstructionForm>& forms, const LibraryTraceOptions& options = {});

}  // namespace perfcast::machine_code
