// Starting a program under a preloaded library of ours, directly or through an MPI launcher.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/process.h"

namespace perfcast {

// A file made from a source of data/runtime when this program was built, as installed or in the build folder; none where there is
// none, or where that source or a header beside it is newer.
std::optional<std::string> built_from(const std::string& source, const std::string& file);

// A library of data/runtime, ready to be loaded: built beside this program, or compiled now (with `cc`) and kept in
// the user's data folder. `name` is that of its source without ".c".
Result<std::string> runtime_library(const std::string& name, const std::vector<std::string>& flags = {});

// mpirun, mpiexec, orterun, srun, ...
bool is_mpi_launcher(const std::string& program);

// The command with the library preloaded and the environment set, in every process it starts on this host and, where the
// launcher is Open MPI's, on others. Run as root, Open MPI is told that this is meant.
Result<RunRequest> preloaded(const std::vector<std::string>& command, const std::string& library,
                             const std::map<std::string, std::string>& environment);

}  // namespace perfcast
