// From reuse distances to the level that serves an access, for any machine.
#pragma once

#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "engine/memory/reuse_time.h"
#include "record/access.h"
#include "record/memory.h"

namespace perfcast::engine {

// What the whole program says about its reuses.
struct ProgramReuse {
  double footprint_bytes = 0;         // all the memory it touches
  const ReuseTime* times = nullptr;   // none: no line is lost to time
  double run_ns = 0;                  // how long the program runs, as far as is known
};

// Probability that a line is still in a cache of `capacity_lines` after `distance` other lines were touched. Caches are
// neither fully associative nor strict in what they replace, so the edge is soft: 1/2 at the capacity, and from 0.9
// to 0.1 between 0.7 and 1.4 times it.
double hit_probability(double distance, double capacity_lines);

// Probability that the last cache still has a line after `distance` other lines were touched in `ns` nanoseconds. Others
// who share it bring in lines of their own, as many as it holds within its retention, and it makes no difference whose
// line pushes one out: half are lost when distance / capacity + ns / retention = 1. Theirs go anywhere, so that what is
// lost with time alone grows more slowly: 10 and 90 % at 3.3 and 22 ms on a Cascade Lake, half at 7.3, at some 2.5 and 10 on a
// Neoverse V1, half at 5.
double last_cache_holds(const MemoryModel& memory, double distance, double ns);

// Shares of an access's executions by the level that serves them (index into MemoryModel::levels), split by how it is
// found: in a stream, next to lines touched shortly before, or not. They add up to 1.
struct Served {
  std::vector<double> near, alone;
};

// What no burst could see lies somewhere beyond the farthest reuse that was seen, and within the footprint: any octave
// in between is as likely as any other. An access that was never seen at all is taken to hit: it is too rare to be met
// by a burst. The last cache loses lines with time (MemoryModel::retention_ns).
// `copies` of it, itself counted, walk together, each making a step over the others: they use as much more of the first cache.
Served served_by(const Access& access, const MemoryModel& memory, const ProgramReuse& program, int copies = 1);

// The same for all copies of one access of the source that the compiler unrolled: line, store, bytes, count, step.
using Walk = std::tuple<int, bool, int, double, double>;
Walk walk_of(const Access& access);
// How many of these are copies of one, for each.
std::vector<int> copies_among(std::span<const Access> accesses);

// Bytes from one execution of an access to the next, if it mostly keeps one step.
std::optional<double> usual_step(const Access& access);

// Share of the executions whose page is out of a translation buffer of `entries`.
double page_miss_share(const Access& access, double entries);

// Walks of an access: share of its executions, and nanoseconds of each; in a chain of dependent loads, or side by side
// with others. Among many pages the tables themselves are far away.
struct PageWalks {
  double share = 0, dependent_ns = 0, parallel_ns = 0;
};
PageWalks page_walks(const Access& access, const Translation& translation);

}  // namespace perfcast::engine
