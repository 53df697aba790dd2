// What an MPI program sends, to whom and how much, and how long it computes in between: recorded by a preloaded library
// (data/runtime/mpi_record.c) in one run under the launcher. No recompiling; C and Fortran alike. Needs no LLVM.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/mpi.h"
#include "base/symbols.h"
#include "record/skeleton.h"

namespace perfcast::mpi {

struct RecordOptions {
  std::vector<std::string> command;
  int ranks = 2;
  std::string folder;
  std::string input_file;
  std::map<std::string, double> parameters;  // of this run, kept in the skeleton
  RunLimits limits;
};

// Ranks that crash or never finish leave what they did until then: gaps say so. An error when nothing was recorded.
Result<Skeleton> record_messages(const RecordOptions& options);

// The files of a run as a skeleton.
Result<Skeleton> read_traces(const std::string& folder);

// What a single rank left, its trace and its names. Places are told by who is given.
Result<Skeleton> skeleton_of(const std::string& trace, const std::string& names, const FindPlaces& find_places);

}  // namespace perfcast::mpi
