// The memory of a machine, as measured from one core without counters: effective capacities, never the nominal ones.
// Times are nanoseconds per line (or per access where named so) and include everything the core sees.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/measurement.h"

namespace perfcast {

using MeasurementTable = std::map<std::string, Measurement>;  // keyed by a number: streams, stride in bytes, cores

struct MemoryLevel {
  std::string name;                           // "L1", "L2", "L3", "DRAM"
  std::optional<Measurement> capacity_bytes;  // effective; absent for the last level
  std::optional<Measurement> nominal_bytes;   // what the system says, for comparison only
  std::optional<Measurement> latency_ns;      // dependent loads, no page walks
  MeasurementTable read_ns;                   // per line, by the number of sequential streams
  MeasurementTable write_ns, copy_ns;         // whole lines written; one line read and one written
  std::optional<Measurement> update_ns;       // a line read, changed and written back
  std::optional<Measurement> partial_write_ns;  // a few bytes of each line written
  std::optional<Measurement> random_read_ns, random_update_ns;  // independent accesses to random lines, each; no walks
  // A store to a random line that nobody loaded before, by the number of stores of which it is one (the others hit): where stores
  // leave the core in order, the line of a later one is asked for only when few are before it.
  MeasurementTable random_write_ns;
  std::optional<Measurement> parallel_misses;   // how many of them overlap
  MeasurementTable stride_ns;                   // per load, by stride in bytes (whole lines apart), walks included
  MeasurementTable stride_write_ns;
  bool operator==(const MemoryLevel&) const = default;
};
template <class Fields>
void describe(Fields& f, MemoryLevel& l) {
  f.need("name", l.name), f("capacity_bytes", l.capacity_bytes), f("nominal_bytes", l.nominal_bytes);
  f("latency_ns", l.latency_ns), f("read_ns", l.read_ns), f("write_ns", l.write_ns), f("copy_ns", l.copy_ns);
  f("update_ns", l.update_ns), f("partial_write_ns", l.partial_write_ns), f("random_read_ns", l.random_read_ns);
  f("random_update_ns", l.random_update_ns), f("random_write_ns", l.random_write_ns), f("parallel_misses", l.parallel_misses), f("stride_ns", l.stride_ns);
  f("stride_write_ns", l.stride_write_ns);
}

// Translation of addresses: entries it holds, and what a miss adds.
struct Translation {
  static constexpr int near_pages = 8192, far_pages = 65536;  // among so many pages walks were measured
  std::optional<Measurement> first_entries, first_miss_ns;    // L1 TLB
  std::optional<Measurement> second_entries;                  // L2 TLB
  std::optional<Measurement> walk_ns, walk_parallel_ns;       // a walk in a dependent chain; independent walks, each
  std::optional<Measurement> far_walk_ns, far_walk_parallel_ns;  // among so many pages that their tables are far too
  bool operator==(const Translation&) const = default;
};
template <class Fields>
void describe(Fields& f, Translation& t) {
  f("first_entries", t.first_entries), f("first_miss_ns", t.first_miss_ns), f("second_entries", t.second_entries);
  f("walk_ns", t.walk_ns), f("walk_parallel_ns", t.walk_parallel_ns);
  f("far_walk_ns", t.far_walk_ns), f("far_walk_parallel_ns", t.far_walk_parallel_ns);
}

struct MemoryModel {
  // Random lines and the page walks they need are two limits that partly overlap: (lines^q + walks^q)^(1/q).
  static constexpr double walk_overlap = 1.5;
  // So do what a core does and the lines that it asks for meanwhile.
  static constexpr double core_overlap = 3;
  int line_bytes = 64, page_bytes = 4096;
  std::vector<MemoryLevel> levels;                  // nearest first; the last has no capacity
  Translation translation;
  std::optional<Measurement> window_instructions;   // instructions between misses that still overlap, integer filler
  std::optional<Measurement> window_instructions_fp;
  std::optional<Measurement> prefetch_streams;      // sequential streams it follows at once
  std::optional<Measurement> prefetch_stride_bytes;  // largest constant stride it follows
  std::optional<Measurement> retention_ns;          // how long the last cache keeps a line nobody touches
  MeasurementTable all_cores_read_ns;               // last level, per line and core, by the number of busy cores
  bool operator==(const MemoryModel&) const = default;
};
template <class Fields>
void describe(Fields& f, MemoryModel& m) {
  f("line_bytes", m.line_bytes), f("page_bytes", m.page_bytes), f("levels", m.levels);
  f("translation", m.translation), f("window_instructions", m.window_instructions);
  f("window_instructions_fp", m.window_instructions_fp), f("prefetch_streams", m.prefetch_streams);
  f("prefetch_stride_bytes", m.prefetch_stride_bytes), f("retention_ns", m.retention_ns);
  f("all_cores_read_ns", m.all_cores_read_ns);
}

}  // namespace perfcast
