// From reuse distances to the level that serves an access, for any machine.
#pragma once

#include <vector>

#include "record/access.h"
#include "record/memory.h"

namespace perfcast::engine {

// Probability that a line is still in a cache of `capacity_lines` after `distance` other lines were touched. Caches are
// neither fully associative nor strict in what they replace, so the edge is soft: 1/2 at the capacity, and from 0.9
// to 0.1 between 0.7 and 1.4 times it.
double hit_probability(double distance, double capacity_lines);

// Shares of an access's executions by the level that serves them (index into MemoryModel::levels), split by how it is
// found: next to a line touched shortly before, or not. They add up to 1.
struct Served {
  std::vector<double> near, alone;
};

// `footprint_bytes` is all the memory the program touches. What no burst could see lies somewhere beyond the farthest
// reuse that was seen, and within the footprint: any octave in between is as likely as any other. An access that was
// never seen at all is taken to hit: it is too rare to be met by a burst.
Served served_by(const Access& access, const MemoryModel& memory, double footprint_bytes);

// Share of the executions whose page is out of a translation buffer of `entries`.
double page_miss_share(const Access& access, double entries);

}  // namespace perfcast::engine
