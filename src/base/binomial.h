// For tests of intervals: how many of n trials may succeed when each does with probability p.
#pragma once

#include <cmath>

namespace perfcast {

// Within 3.3 standard deviations of the binomial: one honest test in a thousand would fail, and seeds are fixed.
inline bool within_binomial_limits(int successes, int trials, double p) {
  return std::abs(successes - trials * p) <= 3.3 * std::sqrt(trials * p * (1 - p)) + 1;
}

}  // namespace perfcast
