// Many short slices instead of one long run: on a shared machine the low end of their times is what the loop takes.
// A canary sings beside each of them (base/timing.h): slices during which another thread shared the core are dropped
// and repeated, within reason.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/statistics.h"
#include "base/timing.h"
#include "record/measurement.h"

namespace perfcast::characterize {

inline double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// With those that are repeated.
constexpr int most_slices(int slices) { return slices + slices / 2; }

// What the core can do when it is alone, as far as this session has seen.
ThroughputCanary& session_canary();

// Nanoseconds per unit of `work`, which does `units` units each time it is called: the third smallest of the slices
// (a single smallest one can be a glitch of the clock); the spread is that of the lower half.
template <class Work>
Measurement time_slices(int slices, double units, Work work) {
  ThroughputCanary& canary = session_canary();
  constexpr std::size_t fewest = 3;
  work();  // brings the buffer to its resting place
  std::vector<double> times, all;
  for (int i = 0; i < most_slices(slices) && static_cast<int>(times.size()) < slices; i++) {
    double before = canary.cycles(), start = now_ns();
    work();
    all.push_back((now_ns() - start) / units);
    if (!canary.crowded(std::max(before, canary.cycles()))) times.push_back(all.back());
  }
  const bool crowded = times.size() < std::min<std::size_t>(fewest, all.size());
  if (crowded) times = all;
  std::sort(times.begin(), times.end());
  Measurement m;
  m.value = times[std::min<std::size_t>(2, times.size() - 1)];
  std::vector<double> low(times.begin(), times.begin() + static_cast<std::ptrdiff_t>((times.size() + 1) / 2));
  m.sd = standard_deviation(low);
  m.repetitions = static_cast<int>(times.size());
  m.disturbed = crowded || median(times) > 1.25 * m.value;
  return m;
}

}  // namespace perfcast::characterize
