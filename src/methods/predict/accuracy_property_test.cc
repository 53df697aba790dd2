// An interval of a prediction holds as often as it says when errors are as the model's are taken to be.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/binomial.h"
#include "methods/predict/accuracy.h"

namespace perfcast::predict {

TEST(AccuracyLaws, IntervalsHoldForErrorsAsAssumed) {
  std::mt19937_64 random(30);
  std::normal_distribution<double> normal;
  constexpr int trials = 4000;
  for (double confidence : {0.5, 0.8, 0.9, 0.99}) {
    ModelError error{0, 0.3};
    int covered = 0;
    for (int k = 0; k < trials; k++) {
      const double predicted = std::exp(normal(random)), sd = 0.1 * predicted;
      auto [low, high] = interval_of(predicted, sd, error, confidence);
      const double measured = predicted * std::exp(error.spread * normal(random) + 0.1 * normal(random));
      covered += low <= measured && measured <= high;
    }
    EXPECT_TRUE(within_binomial_limits(covered, trials, confidence)) << covered << " of " << trials << " at " << confidence;
  }
}

TEST(AccuracyLaws, IntervalsHoldThePredictionAndGrow) {
  for (double bias : {-1.2, -0.1, 0.0, 0.6})
    for (double spread : {0.01, 0.2, 1.0}) {
      auto narrow = interval_of(2, 0.01, {bias, spread}, 0.5), wide = interval_of(2, 0.5, {bias, spread}, 0.95);
      EXPECT_TRUE(narrow[0] <= 2 && 2 <= narrow[1]);
      EXPECT_TRUE(wide[0] <= narrow[0] && narrow[1] <= wide[1]);
      EXPECT_GT(wide[0], 0);
    }
}

}  // namespace perfcast::predict
