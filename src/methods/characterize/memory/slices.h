// Many short slices instead of one long run: on a shared machine the low end of their times is what the loop takes.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/statistics.h"
#include "record/measurement.h"

namespace perfcast::characterize {

inline double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Nanoseconds per unit of `work`, which does `units` units each time it is called: the third smallest of the slices
// (a single smallest one can be a glitch of the clock); the spread is that of the lower half.
template <class Work>
Measurement time_slices(int slices, double units, Work work) {
  work();  // brings the buffer to its resting place
  std::vector<double> times;
  for (int i = 0; i < slices; i++) {
    double start = now_ns();
    work();
    times.push_back((now_ns() - start) / units);
  }
  std::sort(times.begin(), times.end());
  Measurement m;
  m.value = times[std::min<std::size_t>(2, times.size() - 1)];
  std::vector<double> low(times.begin(), times.begin() + static_cast<std::ptrdiff_t>((times.size() + 1) / 2));
  m.sd = standard_deviation(low);
  m.repetitions = slices;
  m.disturbed = median(times) > 1.25 * m.value;
  return m;
}

}  // namespace perfcast::characterize
