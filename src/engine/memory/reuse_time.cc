#include "engine/memory/reuse_time.h"

#include <algorithm>
#include <cmath>

#include "base/powers.h"

namespace perfcast::engine {

void ReuseTime::add(const Access& access) {
  for (const DistanceBin& bin : access.lines) {
    int at = static_cast<int>(per_octave * std::log2(bin.distance + 1));
    touches_[static_cast<std::size_t>(std::clamp(at, 0, per_octave * octaves - 1))] += access.count * bin.share;
  }
  if (!access.lines.empty() || !access.pages.empty()) farther_ += access.count * (access.unknown + access.cold);
}

double ReuseTime::ns(double distance, double run_ns) const {
  double farther = farther_;
  for (double touches : touches_) farther += touches;
  double time = 0, from = 0;
  for (std::size_t bin = 0; bin < touches_.size() && from < distance && farther > 0; bin++) {
    double to = std::min(distance, two_to_the(static_cast<double>(bin + 1) / per_octave) - 1);
    time += (to - from) * run_ns / farther;
    farther -= touches_[bin], from = to;
  }
  return farther > 0 || from >= distance ? std::min(time, run_ns) : run_ns;
}

}  // namespace perfcast::engine
