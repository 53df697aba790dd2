// From curves to numbers: pure functions, tested on planted curves.
#pragma once

#include <vector>

#include "record/memory.h"

namespace perfcast::characterize {

struct CurvePoint {
  double x = 0, y = 0;  // size in bytes (or entries), nanoseconds
};

struct Plateau {
  double value = 0;      // latency on the plateau
  double capacity = 0;   // where the curve has risen half-way, on a log scale, to the next plateau; 0 for the last
};

// Of times that grow with x, as they are without disturbance: others only add, so nothing takes longer than what is larger.
std::vector<CurvePoint> without_disturbance(std::vector<CurvePoint> curve);

// The plateaus of a rising latency curve. `nominal` sizes, where the system tells them, say how many there are and
// about where; the values and capacities come from the curve alone. Without them, plateaus are runs of the curve that
// rise by less than 15 % per step.
std::vector<Plateau> find_plateaus(const std::vector<CurvePoint>& curve, const std::vector<double>& nominal);

// The middle, number by number, of random accesses to a level measured at several moments: others on a shared cache or memory come
// and go within seconds, and slices of one moment agree on what is no rule.
void take_middle(MemoryLevel& level, const std::vector<MemoryLevel>& moments);

// Where a step curve first exceeds the geometric mean of `low` and `high`, interpolated on log scales; 0 when it never
// does. On a log scale a small step is found as well as a large one, and a cache behind which the next is slow is not
// taken for larger than it is because a few hits remain.
double crossing(const std::vector<CurvePoint>& curve, double low, double high);

// Size of a shared cache in which a ring of `seen` lines had the latency half-way (on a log scale) between `fast` and `gone`. A
// ring is slow, and while it goes round once others push out lines of it too: its lines are lost when seen / size + time of a
// round / retention reaches about 1 (engine/memory/hits.h). Where time alone explains the loss, the size is `nominal`.
double size_behind_retention(double seen, double fast, double gone, double retention_ns, double nominal);

// What lines cost of a kernel that takes `together` with them and `core` without, where a core overlaps the two as in
// join_core_and_memory (engine/memory/memory_time.h). Where next to nothing is left, timing noise decides: at least `least` of it.
double without_core(double together, double core, double least = 0.3);

// Effective window W in instructions, from times of independent misses with `filler` instructions between them:
// t = latency / min(parallel, 1 + W / (filler + own)), never below the filler's own time (findings in
// docs/characterize.md). `own` is the loop's own instructions.
double fit_window(const std::vector<CurvePoint>& times, double latency, double parallel, double own);

}  // namespace perfcast::characterize
