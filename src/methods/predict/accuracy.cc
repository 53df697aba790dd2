#include "methods/predict/accuracy.h"

#include <algorithm>
#include <cmath>

#include "base/statistics.h"

namespace perfcast::predict {

std::array<double, 2> interval_of(double seconds, double sd, const ModelError& error, double confidence) {
  if (seconds <= 0) return {0, 0};
  constexpr double many = 1e6;  // degrees of freedom: the normal distribution
  double z = student_t(confidence, many);
  constexpr double widest = 100;  // as a logarithm: what is that uncertain is not known at all
  double spread = std::min(root_of_squares({error.spread, sd / seconds}), widest / z);
  // The prediction itself always lies inside.
  return {seconds * std::exp(std::min(0.0, error.bias - z * spread)),
          seconds * std::exp(std::max(0.0, error.bias + z * spread))};
}

}  // namespace perfcast::predict
