// How the work of a parallel program divides among levels of parallelism: demand alpha_i is the part of all work that is
// done while i processors are active (Lyon & Snelick 1990, "Use Profile--Parallel Quicksort").
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/made_by.h"
#include "record/record_file.h"

namespace perfcast {

struct DemandMode {
  int active = 1;      // processors
  double demand = 0;   // alpha: they add up to 1
  std::optional<double> low, high;  // smallest and largest of the trials
  bool operator==(const DemandMode&) const = default;
};
template <class Fields>
void describe(Fields& f, DemandMode& m) {
  f.need("active", m.active), f.need("demand", m.demand), f("low", m.low), f("high", m.high);
}

struct DemandProfile {
  static constexpr const char* format = "perfcast.demand";
  static constexpr int version = 1;
  std::string program, description;
  MadeBy made_by;
  int processors = 1;
  double loss = 0;                 // each unit of capacity beyond the first diminishes the whole by this fraction
  std::optional<double> ceiling;   // capacity the interconnect allows
  std::optional<double> seconds;   // elapsed while any was active, where it was timed
  double synchronisation = 0;      // seconds while none was active: all waited for each other or for the run-time library
  int trials = 0;
  std::vector<DemandMode> modes;
  bool operator==(const DemandProfile&) const = default;
};
template <class Fields>
void describe(Fields& f, DemandProfile& d) {
  f.need("program", d.program), f("description", d.description), f("made_by", d.made_by), f.need("processors", d.processors);
  f("loss", d.loss), f("ceiling", d.ceiling), f("seconds", d.seconds);
  if (Fields::reading || d.synchronisation != 0) f("synchronisation", d.synchronisation);
  f("trials", d.trials), f.need("modes", d.modes);
}

PERFCAST_RECORD_FILE(extern, DemandProfile)

}  // namespace perfcast
