// Would a faster network help, measured on the network you have? Time dilation after Lyon & Snelick 1990, part II.
//
// The program is run with every computation stretched by D (data/runtime/dilate.c); divided by D, its times are those of
// the same machine with D times faster communication: E/D = a + b/D, where a is computation and logical delay and b the
// communication path. Runs of all D are interleaved and repeated; each point says whether it can be trusted.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/units.h"
#include "record/dilation.h"

namespace perfcast::dilate {

struct DilateOptions {
  std::vector<double> factors = {1, 2, 4, 6};
  int repeats = 5;
  Seconds time_limit{600};        // of one run
  bool cpu_clock = false;         // segments by CPU time: for machines that others use too, and long segments
  bool threads = false;           // OpenMP: everything but one region is slowed, for each region
  int regions = 4;                // threads: the largest ones
  std::function<void(const std::string& doing, double fraction)> progress;
};

// Runs `command` (mpirun -n 2 ./app; with `threads`, ./app) for every factor and repeat.
Result<Dilation> dilate(const std::vector<std::string>& command, const DilateOptions& options = {});

}  // namespace perfcast::dilate
