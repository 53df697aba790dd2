// The memory of a machine, as measured from one core: effective capacities, never the nominal ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/measurement.h"

namespace perfcast {

struct MemoryLevel {
  std::string name;  // "L1", "L2", "L3", "DRAM"
  std::optional<Measurement> capacity_bytes;  // effective; absent for the last level
  std::optional<Measurement> latency_ns;
  bool operator==(const MemoryLevel&) const = default;
};
template <class Fields>
void describe(Fields& f, MemoryLevel& l) {
  f.need("name", l.name), f("capacity_bytes", l.capacity_bytes), f("latency_ns", l.latency_ns);
}

struct MemoryModel {
  int line_bytes = 64, page_bytes = 4096;
  std::vector<MemoryLevel> levels;
  bool operator==(const MemoryModel&) const = default;
};
template <class Fields>
void describe(Fields& f, MemoryModel& m) {
  f("line_bytes", m.line_bytes), f("page_bytes", m.page_bytes), f("levels", m.levels);
}

}  // namespace perfcast
