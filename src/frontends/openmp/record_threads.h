// What the threads of an OpenMP program do: regions, entries, loops with their schedule, time by thread; through the tool
// interface of the run-time library (data/runtime/threads_record.c). Needs clang's libomp; libgomp has no such interface.
#pragma once

#include <string>
#include <vector>

#include "base/process.h"
#include "base/symbols.h"
#include "record/skeleton.h"

namespace perfcast::openmp {

struct RecordOptions {
  std::vector<std::string> command;
  int threads = 2;
  int spread = 0;  // watched once more with so many threads, however few processors there are, to see where the work lies; 0: not
  std::string folder, input_file;
  RunLimits limits;
};

Result<ThreadProfile> record_threads(const RecordOptions& options);

// What the library wrote; places are looked up in the modules it names.
Result<ThreadProfile> threads_of(const std::string& written, const FindPlaces& find_places = code_places);

}  // namespace perfcast::openmp
