#include "methods/scale/regression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace perfcast::scale {
namespace {

// Programs differ in their mix; planted costs are found again, one at zero stays there.
std::vector<Observation> planted(double noise) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  std::vector<Observation> all;
  for (int p = 0; p < 6; p++)
    for (double n : systematic_sample(32, 1024, 8)) {
      Observation o;
      o.program = "p" + std::to_string(p);
      o.counts = {{"ops", n * n * (1 + p)}, {"misses", p % 2 ? n * n / (2 + p) : n}, {"startups", n * p}, {"nothing", n * (7 - p)}};
      o.seconds = (2e-9 * o.counts["ops"] + 3e-8 * o.counts["misses"] + 1e-6 * o.counts["startups"]) * std::exp(noise * normal(random));
      all.push_back(o);
    }
  return all;
}

TEST(Regression, FindsPlantedCosts) {
  auto fit = fit_costs(planted(0.02));
  ASSERT_TRUE(fit) << fit.error().message();
  std::map<std::string, CostEstimate> by;
  for (const auto& cost : fit->costs) by[cost.name] = cost;
  EXPECT_NEAR(by["ops"].seconds, 2e-9, 2e-10);
  EXPECT_NEAR(by["misses"].seconds, 3e-8, 5e-9);
  EXPECT_NEAR(by["startups"].seconds, 1e-6, 1e-7);
  EXPECT_NEAR(by["nothing"].seconds, 0, 2e-8);
  EXPECT_GE(by["nothing"].seconds, 0);
  EXPECT_LT(by["ops"].p, 1e-6);
  EXPECT_GT(fit->r_squared, 0.99);
  EXPECT_EQ(fit->quantiles.size(), 48u);
  EXPECT_LT(fit->left_out_spread, 0.2);
  EXPECT_LE(fit->calibrated_spread, fit->left_out_spread * 1.5);
}

TEST(Regression, RefusesWhatOneProgramCarries) {
  auto runs = planted(0);
  for (auto& o : runs) if (o.program == "p3") o.counts["calls"] = 5;
  auto fit = fit_costs(runs);
  ASSERT_TRUE(fit);
  for (const auto& cost : fit->costs) if (cost.name == "calls") EXPECT_FALSE(cost.supported);
  EXPECT_FALSE(fit_costs({runs[0], runs[1]}));
}

TEST(Regression, IntervalsNarrowAfterOneRun) {
  auto runs = planted(0.02);
  // Every program has a level of its own, which costs cannot explain.
  for (auto& o : runs) o.seconds *= o.program < "p3" ? 1.3 : 0.8;
  auto fit = fit_costs(runs);
  ASSERT_TRUE(fit);
  auto before = fit->interval(1, 0.9, false), after = fit->interval(1, 0.9, true);
  EXPECT_GT(before[1] / before[0], after[1] / after[0]);
  EXPECT_EQ(fit->programs, 6);
  EXPECT_NEAR(fit->predict({{"ops", 1e9}}), 2, 0.8);
}

TEST(Regression, SystematicSampleSpansTheRange) {
  auto sizes = systematic_sample(10, 1000, 5);
  EXPECT_EQ(sizes.front(), 10);
  EXPECT_EQ(sizes.back(), 1000);
  EXPECT_EQ(sizes.size(), 5u);
}

}  // namespace
}  // namespace perfcast::scale
