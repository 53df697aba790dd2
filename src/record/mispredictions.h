// How often a branch was mispredicted in the run, by two simulated predictors (data/runtime/branch_predictor.h): a large one,
// as cores of today have, and a small one. A core's lies between: where, its longest learned pattern tells.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "record/measurement.h"

namespace perfcast {

struct Mispredictions {
  double large = 0, small = 0;
  Mispredictions() = default;
  Mispredictions(double both) : large(both), small(both) {}  // NOLINT(google-explicit-constructor): a count of both
  Mispredictions(double by_large, double by_small) : large(by_large), small(by_small) {}

  Mispredictions& operator+=(const Mispredictions& other) { return large += other.large, small += other.small, *this; }
  Mispredictions& operator*=(double factor) { return large *= factor, small *= factor, *this; }
  friend Mispredictions operator+(Mispredictions one, const Mispredictions& other) { return one += other; }
  friend Mispredictions operator*(Mispredictions one, double factor) { return one *= factor; }
  bool operator==(const Mispredictions&) const = default;

  // On a core that learns random patterns of one branch up to this period: the two learn some 1300 and 8000.
  double on(const std::optional<Measurement>& learned_period) const { return between(learned_period, 1300, 8000); }
  // Of a jump through a register, by the pattern of its targets that the core learns: the two learn some 420 and 4000.
  double of_jump_on(const std::optional<Measurement>& learned_targets) const { return between(learned_targets, 420, 4000); }

 private:
  double between(const std::optional<Measurement>& learned, double small_learns, double large_learns) const {
    if (!learned || learned->value <= 0) return large;
    const double part = std::log(large_learns / learned->value) / std::log(large_learns / small_learns);
    return large + std::clamp(part, 0.0, 1.0) * (small - large);
  }
};
}  // namespace perfcast
