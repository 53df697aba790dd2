// Many short slices instead of one long run: on a shared machine the low end of their times is what the loop takes.
// A canary sings beside each of them (base/timing.h): slices during which another thread shared the core are dropped
// and repeated. Neighbours come and go within milliseconds, so it pays to wait for a calm moment, within reason.
#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/cores.h"
#include "base/statistics.h"
#include "base/timing.h"
#include "record/measurement.h"

namespace perfcast::characterize {

inline double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Whose time a slice is: of this thread, or of threads it waits for.
enum class Worker { this_thread, others };

// Nanoseconds that `work` takes. Slices long enough to be put aside for another process are timed by the processor time
// of the thread, whose clock takes a system call to read.
template <class Work>
double slice_ns(Work& work, Worker worker) {
  constexpr double long_ns = 50e3;
  timespec cpu_start, cpu_end;
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu_start);
  double start = now_ns();
  work();
  double wall = now_ns() - start;
  if (wall < long_ns || worker == Worker::others) return wall;
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu_end);
  return std::min(wall, 1e9 * static_cast<double>(cpu_end.tv_sec - cpu_start.tv_sec) + static_cast<double>(cpu_end.tv_nsec - cpu_start.tv_nsec));
}

// With those that are repeated: half as many at once, and more while that takes no longer than the patience.
constexpr int most_slices(int slices) { return 20 * slices; }
constexpr double patience_ns(int slices) { return 1.5e6 * slices; }

// What the core can do when it is alone, as far as this session has seen.
ThroughputCanary& session_canary();

// Nanoseconds per unit of `work`, which does `units` units each time it is called: the third smallest of the slices
// (a single smallest one can be a glitch of the clock); the spread is that of the lower half. What the core's clock paces can be
// told at one clock, whatever it was meanwhile (0: as it was).
template <class Work>
Measurement time_slices(int slices, double units, Work work, Worker worker = Worker::this_thread, double told_at_ghz = 0) {
  ThroughputCanary& canary = session_canary();
  const OnCore here(worker == Worker::this_thread ? calm_core(canary) : std::nullopt);
  constexpr std::size_t fewest = 3;
  work();  // brings the buffer to its resting place
  std::vector<double> times, all;
  const double began = now_ns();
  for (int i = 0; i < most_slices(slices) && static_cast<int>(times.size()) < slices; i++) {
    if (i >= slices + slices / 2 && now_ns() - began > patience_ns(slices)) break;
    const double before = canary.cycles(), step_before = canary.step_ns();
    double time = slice_ns(work, worker) / units;
    const double after = canary.cycles();
    const double step = std::min(step_before, canary.step_ns());  // what disturbs makes a step longer, never shorter
    if (told_at_ghz > 0) time /= step * told_at_ghz;
    all.push_back(time);
    if (!canary.crowded(std::max(before, after))) times.push_back(time);
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
