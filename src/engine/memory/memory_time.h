// What the memory accesses of a region (a loop, or the rest of a function) cost beyond the first cache, and how that
// joins the time of the core:
//
//   streams       lines next to lines touched shortly before: bandwidth of the level, by the number of streams, with the
//                 lines that go back because they were changed
//                 (starting: what a stream waits at the start of each page, unless other streams hide it)
//   strided       a constant step of more than a line: the machine's table of strides
//   random        independent: the level's throughput; and latency, over the misses that overlap
//   dependent     a load that waits for the one before (a chase): full latency, hidden by nothing
//   translation   page walks, by the same distinction
//
// Latencies are best left to the simulated core (load_waits.h), which knows what each load is waited for; where there is
// none, closed forms stand in. Throughputs overlap with the core: time = (core^p + memory^p)^(1/p), p = 3; the rest is
// added.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/memory/hits.h"

namespace perfcast::engine {

struct RegionContext {
  double instructions = 0;      // executed in the region
  ProgramReuse program;
  bool floating = false;        // mostly floating-point instructions: another window
  bool waits_in_core = false;   // the core's time holds the latencies: throughputs only
};

struct RegionMemory {
  std::vector<double> level_ns;  // by the level that serves, streams, strided and random together
  // Lines by the level that serves: which it moves as fast as it can, and single ones whose loads wait; what these wait, were
  // they done one after the other, and what they wait for page walks.
  std::vector<double> level_moved, level_waited, serial_ns;
  double serial_walks_ns = 0;
  double stream_ns = 0, starting_ns = 0, strided_ns = 0, random_ns = 0, dependent_ns = 0, walk_ns = 0;
  double unknown_lines = 0, lines = 0;  // beyond the first level: whose reuse was not seen; all

  double overlapping_ns() const { return stream_ns + strided_ns + random_ns + walk_ns; }
  bool operator==(const RegionMemory&) const = default;
};

RegionMemory region_memory(std::span<const Access> accesses, const MemoryModel& memory, const RegionContext& context);

// Core and memory together, nanoseconds; never less than either.
double join_core_and_memory(double core_ns, const RegionMemory& memory);

// How an access asks for the lines that are not part of a stream.
enum class Shape { strided, random, dependent };
Shape shape_of(const Access& access, const MemoryModel& memory);

// Share of its lines that come by steps of one width, more than a line: the machine's table of strides holds what they cost.
// Of a list, the links that lie one such step apart: the prefetcher that watches the instruction is ahead of them all the
// same (2 ns a link from the second cache where a shuffled list takes 6, 7 to 13 from the third where it takes 40).
double steady_share(const Access& access, const MemoryModel& memory);

}  // namespace perfcast::engine
