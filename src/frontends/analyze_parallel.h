// Programs with ranks or threads: their messages or parallel regions are recorded first (that needs no compiler), then one
// rank is counted like any program, started by the launcher; the others run along uncounted.
#pragma once

#include <vector>

#include "frontends/analyze.h"

namespace perfcast {

struct ParallelAnalysis {
  std::vector<int> ranks;  // of MPI; the first is the one whose computation is counted, the others are recorded only
  int threads = 0;         // of OpenMP; 0: not watched
};

// `analyze` plus Profile::messages and Profile::parallel. A binary with ranks gets its messages only.
Result<Profile> analyze_parallel(AnalyzeOptions options, const ParallelAnalysis& parallel);

// The flags an MPI program is compiled and linked with, added to the user's. Fortran: also the libraries of mpifort, and a
// module `mpi` for our compiler, kept in the user's data folder, since modules are written for one compiler only.
Result<std::string> with_mpi_flags(const std::string& cflags, const std::vector<std::string>& sources = {});

}  // namespace perfcast
