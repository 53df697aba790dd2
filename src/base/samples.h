// Where a program spends its time: data/runtime/sampler.c is preloaded, notes the program counter now and then, and leaves
// a file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/process.h"

namespace perfcast {

// The run with the sampler preloaded; it leaves `file`.
Result<RunRequest> sampled(const RunRequest& program, const std::string& file, double period_ns);

struct Samples {
  std::vector<std::uint64_t> places;  // addresses in the executable's file; what lies outside of it is library code
  Seconds cpu_before{0};              // processor time until the sampler started: the loader's
};
// Reads the file, and removes it.
Result<Samples> take_samples(const std::string& file);

}  // namespace perfcast
