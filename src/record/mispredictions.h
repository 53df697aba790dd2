// How often a branch was mispredicted in the run, by three simulated predictors (data/runtime/branch_predictor.h): a large one
// and a small one that remember directions, and one that remembers the way it came. What that means on a core: foresight.h.
#pragma once

namespace perfcast {

struct Mispredictions {
  double large = 0, small = 0, path = 0;
  Mispredictions() = default;
  Mispredictions(double all) : large(all), small(all), path(all) {}  // NOLINT(google-explicit-constructor): a count of all
  Mispredictions(double by_large, double by_small, double by_path) : large(by_large), small(by_small), path(by_path) {}

  Mispredictions& operator+=(const Mispredictions& other) { return large += other.large, small += other.small, path += other.path, *this; }
  Mispredictions& operator*=(double factor) { return large *= factor, small *= factor, path *= factor, *this; }
  friend Mispredictions operator+(Mispredictions one, const Mispredictions& other) { return one += other; }
  friend Mispredictions operator*(Mispredictions one, double factor) { return one *= factor; }
  bool operator==(const Mispredictions&) const = default;
};
}  // namespace perfcast
