#include "record/foresight.h"

#include <algorithm>
#include <cmath>

namespace perfcast {
namespace {

// Where x lies between two others on a scale of ratios: 0 at the first, 1 at the second.
double place_between(double x, double first, double second) { return std::clamp(std::log(x / first) / std::log(second / first), 0.0, 1.0); }

// Between the large and the small one, which learn patterns of these periods.
double by_size(const Mispredictions& simulated, const std::optional<Measurement>& learned, double large_learns, double small_learns) {
  if (!learned || learned->value <= 0) return simulated.large;
  return simulated.large + place_between(learned->value, large_learns, small_learns) * (simulated.small - simulated.large);
}

// How much it is like the one that remembers the way: within the time of the benchmark that learns patterns of eight branches
// 2.4 times as long as those of one, the large one as long, however long these are.
double path_share(const BranchCosts& core) {
  const auto &one = core.learned_period, &eight = core.learned_branches;
  return one && eight && one->value > 0 && eight->value > 0 ? place_between(eight->value / one->value, 1.04, 2.4) : 0;
}

// What such a core misses that has not as much room lies on the way to what the small one misses.
double by_path(const BranchCosts& core, const Mispredictions& simulated) {
  return simulated.path + place_between(core.learned_branches->value, 12000, 1300) * (simulated.small - simulated.path);
}

double with_path(const BranchCosts& core, const Mispredictions& simulated, double by_direction, double share) {
  share *= path_share(core);
  return share > 0 ? by_direction + share * (by_path(core, simulated) - by_direction) : by_direction;
}

}  // namespace

double mispredicted_on(const BranchCosts& core, const Mispredictions& simulated) {
  return with_path(core, simulated, by_size(simulated, core.learned_period, 8000, 1300), 1);
}

double jumps_mispredicted_on(const BranchCosts& core, const Mispredictions& simulated) {
  if (!core.learned_targets) return mispredicted_on(core, simulated);
  // More targets than it has room for it forgets altogether, a core some of them: trees of calls through pointers and random
  // targets were missed half way between.
  constexpr double half_way = 0.5;
  return with_path(core, simulated, by_size(simulated, core.learned_targets, 4000, 420), half_way);
}

}  // namespace perfcast
