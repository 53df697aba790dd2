// A program cut into the regions that intcc and icc cost one by one: each innermost loop, and what is left of each
// function. Memory and mispredictions belong to a region; so does the time of the core. Where memory was watched in the
// machine code itself (of binaries), so are the regions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/memory/memory_time.h"
#include "record/machine.h"
#include "record/profile.h"

namespace perfcast::engine {

struct CodeRegion {
  const Function* function = nullptr;
  std::optional<int> loop;             // of the function; none: the rest of it
  std::vector<const Block*> blocks;    // of the IR, or of the machine code
  std::vector<Access> accesses;
  Mispredictions mispredicted;
  double instructions = 0;             // IR operations or machine instructions executed
  bool floating = false;               // mostly floating point
};

// Regions that were executed.
std::vector<CodeRegion> code_regions(const Graph& ir);
// Those of the functions whose memory was watched as machine code.
std::vector<CodeRegion> machine_regions(const Graph& machine, const std::vector<InstructionForm>& forms);

// Memory the program touches: pages it faulted in.
double footprint_bytes(const Profile& profile, const Machine& machine);

// Graphs in which memory may have been watched: the IR, or the machine code where there is no IR or it was watched itself.
std::vector<const Graph*> watched_graphs(const Profile& profile);
// Lines touched for the first time, in the run: by a block, by the program. Page faults go with them.
double first_touches(const Block& block);
double first_touches(const Profile& profile);

// What lies outside the program's own code.
struct OutsideTime {
  double library_ns = 0, faults_ns = 0, start_ns = 0;
  double system_ns = 0;                       // in system calls and reading clocks
  std::map<std::string, double> routines_ns;  // by routine
  std::vector<Gap> gaps;                      // routines without a cost, costed by a guess; system calls without one
  double guessed_ns = 0;
};
// Calls, by routine, of code that is not in the profile's machine level. What the compiler made instructions of
// (sqrt, memcpy of a few bytes) is not called there.
std::map<std::string, double> calls_beyond(const Graph& machine);

// `library_calls`: what is called outside, by routine.
bool is_parallel_routine(const std::string& name);
OutsideTime outside_time(const Profile& profile, const Machine& machine, const std::map<std::string, double>& library_calls);

}  // namespace perfcast::engine
