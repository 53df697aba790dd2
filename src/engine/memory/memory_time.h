// What the memory accesses of a region (a loop, or the rest of a function) cost beyond the first cache, and how that
// joins the time of the core:
//
//   streams       lines next to lines touched shortly before: bandwidth of the level, by the number of streams
//   strided       a constant step of a line or more: the machine's table of strides
//   random        independent: the larger of the level's throughput and latency over the misses that overlap
//   dependent     a load that waits for the one before (a chase): full latency, hidden by nothing
//   write-backs   lines changed by a store after a load brought them
//   translation   page walks, by the same distinction
//
// Streams, strided and random accesses overlap with the core: time = (core^p + memory^p)^(1/p), p = 3. Dependent ones
// are added.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/memory/hits.h"

namespace perfcast::engine {

struct RegionContext {
  double instructions = 0;      // executed in the region
  double footprint_bytes = 0;   // of the whole program
  bool floating = false;        // mostly floating-point instructions: another window
};

struct RegionMemory {
  std::vector<double> level_ns;  // by the level that serves, streams, strided and random together
  double stream_ns = 0, strided_ns = 0, random_ns = 0, dependent_ns = 0, write_back_ns = 0, walk_ns = 0;
  double unknown_lines = 0, lines = 0;  // beyond the first level: whose reuse was not seen; all

  double overlapping_ns() const { return stream_ns + strided_ns + random_ns + write_back_ns; }
  bool operator==(const RegionMemory&) const = default;
};

RegionMemory region_memory(std::span<const Access> accesses, const MemoryModel& memory, const RegionContext& context);

// Core and memory together, nanoseconds; never less than either.
constexpr double overlap_norm = 3;
double join_core_and_memory(double core_ns, const RegionMemory& memory);

}  // namespace perfcast::engine
