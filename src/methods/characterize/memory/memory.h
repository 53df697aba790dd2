// What each level of memory costs, measured from one core (and all of them) with nothing but a clock: latency curve,
// bandwidth by number of streams for reading, writing, copying and updating, parallel misses, strides, translation,
// the window in which misses overlap, and how long the last cache keeps a line.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "base/result.h"
#include "record/machine.h"

namespace perfcast::characterize {

struct MemoryOptions {
  bool quick = false;                       // fewer sizes and slices: about 5 s instead of about 40
  double clock_ghz = 0;                     // of the core, as its instructions are told; caches of its own are told at it (0: as it was)
  double largest_bytes = 0;                 // of a test buffer; 0: what the caches and the free memory suggest
  const std::atomic<bool>* stop = nullptr;  // set to end early: what was measured so far is returned
  std::function<void(double done, const std::string& what)> progress;  // done in [0, 1]
};

Result<MemoryModel> measure_memory(const MemoryOptions& options = {});

// A fresh page, touched for the first time; nanoseconds.
Measurement measure_page_fault();

}  // namespace perfcast::characterize
