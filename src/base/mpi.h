// MPI as a set of tools: a compiler wrapper and a launcher found in PATH, so that perfcast itself links no MPI. Small
// helper programs and preloaded libraries (data/runtime) are compiled by the wrapper when they are needed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/process.h"

namespace perfcast {

struct MpiTools {
  std::string run, cc;        // mpirun, mpicc
  std::string version;        // first line of what the launcher says of itself
  bool open_mpi = false;      // its options and its environment are known
};

// The tools, or an error that says what to install.
Result<MpiTools> find_mpi();

// How messages travel between ranks of one host.
enum class MpiPath { any, shared_memory, tcp };

struct MpiLaunch {
  int ranks = 2;
  std::vector<std::string> command;                // of each rank
  std::map<std::string, std::string> environment;  // of each rank
  std::string preload;                             // a library loaded into each rank
  MpiPath path = MpiPath::any;
  std::string folder;
  std::optional<std::string> input_file;
  RunLimits limits;
};

// The request that run_program() takes. More ranks than processors are allowed, unbound; the caller decides what they
// are worth. Works inside a job of another launcher, whose environment is taken away.
RunRequest mpi_request(const MpiTools& tools, const MpiLaunch& launch);

// Compiles bundled sources (data/runtime/NAME) by mpicc, as a preloadable library or as a program.
Status build_mpi_helper(const MpiTools& tools, const std::vector<std::string>& sources, const std::string& output, bool library);

// Flags that mpicc adds to compile and link a program: for compilers other than its own.
Result<std::string> mpi_compile_flags(const MpiTools& tools);

// Whether a routine of this linkage name is one of MPI, called from C or Fortran.
bool is_mpi_routine(const std::string& name);

// The rank of this process within a job of Open MPI, MPICH or a batch system, if it is in one.
struct MpiPlace {
  int rank = 0, ranks = 1;
  bool one_host = true;
};
std::optional<MpiPlace> mpi_place();

// Processors this process may use.
int usable_processors();

// mpirun ties every rank to one core; the one that measures for all of them takes back what the host allows.
void leave_own_core();

}  // namespace perfcast
