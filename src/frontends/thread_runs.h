// A parallel program at several numbers of threads: what each thread executed of each block of the machine level, and
// how long the plain program took. Threads are asked for by OMP_NUM_THREADS.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "frontends/llvm_ir/address_trace.h"
#include "record/profile.h"
#include "record/skeleton.h"

namespace perfcast {

struct ThreadRun {
  int threads = 1;                 // asked for
  double seconds = 0;              // elapsed, the shortest of a few runs; 0: not timed
  double clock_ghz = 0;            // of the core meanwhile; 0: not timed
  std::vector<std::vector<std::vector<double>>> counts;  // [function][block][thread] of Profile::machine
  std::vector<std::vector<std::vector<double>>> plain;   // of those, in bodies of regions that were called plainly
  std::vector<ThreadRegion> regions;  // time of each parallel region, as the run-time library tells; empty: it does not
};

// Its code holds bodies of parallel regions.
bool runs_threads(const Profile& profile);

// Builds the counted program once for each number. The profile's own sources are compiled again. `timed`: the plain program is
// run too, and timed; else seconds are 0.
Result<std::vector<ThreadRun>> run_threads(const Profile& profile, const std::vector<int>& threads, Seconds time_limit, bool timed);

// Addresses of the loads and stores on lines `first` to `last` of a file, into output.0, output.1, ... by thread
// (docs/bounds.md).
Result<llvm_ir::Traced> trace_region(const Profile& profile, const std::string& file, int first, int last, const std::string& output, Seconds time_limit);

}  // namespace perfcast
