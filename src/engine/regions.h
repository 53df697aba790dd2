// A program cut into the regions that intcc and icc cost one by one: each innermost loop, and what is left of each
// function. Memory and mispredictions belong to a region; so does the time of the core.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/memory/memory_time.h"
#include "record/machine.h"
#include "record/profile.h"

namespace perfcast::engine {

struct CodeRegion {
  const Function* function = nullptr;
  std::optional<int> loop;             // of the function; none: the rest of it
  std::vector<const Block*> blocks;    // of the IR
  std::vector<Access> accesses;
  double mispredicted = 0;
  double instructions = 0;             // IR operations executed
  bool floating = false;               // mostly floating point
};

// Regions that were executed.
std::vector<CodeRegion> code_regions(const Graph& ir);

// Memory the program touches: pages it faulted in.
double footprint_bytes(const Profile& profile, const Machine& machine);

// What lies outside the program's own code.
struct OutsideTime {
  double library_ns = 0, faults_ns = 0, start_ns = 0;
  std::map<std::string, double> routines_ns;  // by routine
  std::vector<Gap> gaps;                      // routines without a cost, costed by a guess
  double guessed_ns = 0;
};
// Library routines whose code is in the profile.
std::set<std::string> traced_routines(const Graph& machine);

// `traced`: routines whose code is in the profile and costs what it costs there.
OutsideTime outside_time(const Profile& profile, const Machine& machine, const std::set<std::string>& traced = {});

}  // namespace perfcast::engine
