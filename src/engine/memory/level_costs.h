// What a line from one level of memory costs, by how it is asked for; with what to use where the machine file lacks a
// number.
#pragma once

#include "record/memory.h"

namespace perfcast::engine {

// Lines of one level that streams move.
struct StreamLines {
  double read = 0;      // brought by loads
  double written = 0;   // brought (and sent back) by stores
  double changed = 0;   // of those read: stored to later, so that they go back
};

// Nanoseconds of streams: what keeps the level busy and overlaps with the core; and what does not: at the start of a page
// every stream begins anew with a miss, which only other streams hide.
struct StreamTime {
  double busy_ns = 0, starting_ns = 0;
};

class LevelCosts {
 public:
  LevelCosts(const MemoryLevel& level, double first_latency);

  double latency() const { return latency_; }  // beyond that of the first level
  // All of these lines, with so many streams at a time. A line read for each line written is a copy.
  StreamTime streams(const StreamLines& lines, double streams) const;
  double stride(double bytes, bool store) const;  // per line
  double random(bool store) const;                // independent accesses, as many at a time as the machine can
  double parallel() const;                        // ... how many that is
  double random_write(double stores) const;       // a line that a store brings, one in so many

 private:
  double all_streams(const StreamLines& lines, double streams) const;
  const MemoryLevel& level_;
  double latency_;
};

}  // namespace perfcast::engine
