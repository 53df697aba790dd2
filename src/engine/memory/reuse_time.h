// How long ago a line was touched, given how many other lines were touched since. The number of distinct lines a program
// touches in a window of time, its footprint, grows at the rate at which a cache of just that size would miss (Xiang,
// Ding, Luo, Bao 2013, "HOTL"): the time for `distance` lines is the integral of one over that rate, which the reuse
// distances themselves give. Needed because a shared cache loses lines with time, not only with distance.
#pragma once

#include <vector>

#include "record/access.h"

namespace perfcast::engine {

class ReuseTime {
 public:
  // Takes touches of lines with their distances; what was not seen counts as farther than everything.
  void add(const Access& access);
  // Nanoseconds between two touches of a line, on average over a run of `run_ns`.
  double ns(double distance, double run_ns) const;

 private:
  static constexpr int per_octave = 4, octaves = 34;
  std::vector<double> touches_ = std::vector<double>(static_cast<std::size_t>(per_octave * octaves), 0.0);  // by bin of distance
  double farther_ = 0;
};

}  // namespace perfcast::engine
