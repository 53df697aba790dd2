// Laws of the statistics, over many seeded samples.
#include <gtest/gtest.h>

#include <random>

#include "base/binomial.h"
#include "base/statistics.h"

namespace perfcast {
namespace {

std::vector<double> normal_sample(std::mt19937_64& random, int n, double centre, double sd) {
  std::normal_distribution<double> normal(centre, sd);
  std::vector<double> values;
  for (int i = 0; i < n; i++) values.push_back(normal(random));
  return values;
}

}  // namespace

TEST(StatisticsLaws, StudentIntervalsCoverTheMeanAsOftenAsTheySay) {
  std::mt19937_64 random(1);
  for (double confidence : {0.5, 0.9, 0.99})
    for (int n : {2, 3, 5, 20}) {
      constexpr int trials = 4000;
      int covered = 0;
      for (int k = 0; k < trials; k++) {
        auto values = normal_sample(random, n, 7, 2);
        covered += student_interval(mean(values), standard_deviation(values), n, confidence).contains(7);
      }
      EXPECT_TRUE(within_binomial_limits(covered, trials, confidence)) << covered << " of " << trials << " at " << confidence << ", n = " << n;
    }
}

TEST(StatisticsLaws, QuantilesGrowAndStayInside) {
  std::mt19937_64 random(2);
  for (int k = 0; k < 200; k++) {
    auto values = normal_sample(random, 1 + k % 17, 0, 1);
    double before = quantile(values, 0);
    EXPECT_EQ(before, *std::min_element(values.begin(), values.end()));
    EXPECT_EQ(quantile(values, 1), *std::max_element(values.begin(), values.end()));
    for (double q = 0.05; q < 1; q += 0.05) {
      EXPECT_GE(quantile(values, q), before);
      before = quantile(values, q);
    }
    auto shuffled = values;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    EXPECT_EQ(quantile(shuffled, 0.3), quantile(values, 0.3));
  }
}

TEST(StatisticsLaws, TauIsSymmetricAndBounded) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 100; k++) {
    auto a = normal_sample(random, 2 + k % 12, 0, 1), b = normal_sample(random, 2 + k % 12, 0, 1);
    double tau = kendall_tau(a, b);
    EXPECT_LE(std::abs(tau), 1);
    EXPECT_DOUBLE_EQ(tau, kendall_tau(b, a));
    EXPECT_DOUBLE_EQ(kendall_tau(a, a), 1);
    for (double& x : b) x = 3 * x + 1;  // any growing change leaves the order alone
    EXPECT_DOUBLE_EQ(tau, kendall_tau(a, b));
  }
}

TEST(StatisticsLaws, MomentsOfSumsAreThoseOfTheSums) {
  std::mt19937_64 random(4);
  constexpr int trials = 20000;
  std::vector<double> sums;
  auto a = normal_sample(random, trials, 5, 2), b = normal_sample(random, trials, 3, 1);
  for (int i = 0; i < trials; i++) sums.push_back(2 * a[static_cast<std::size_t>(i)] - b[static_cast<std::size_t>(i)]);
  Moments expected = 2 * Moments{5, 4} - Moments{3, 1};
  EXPECT_NEAR(mean(sums), expected.mean, 0.1);
  EXPECT_NEAR(standard_deviation(sums), std::sqrt(expected.variance), 0.1);
}

}  // namespace perfcast
