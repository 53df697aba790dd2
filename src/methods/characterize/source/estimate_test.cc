#include "methods/characterize/source/estimate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "methods/characterize/source/program.h"

namespace perfcast::characterize {
namespace {

// Twenty observations of a body whose statement takes `cost`, in a loop of overhead 5, written 10 and 20 times.
Observations planted(double cost, double noise, int strays = 0) {
  Observations seen;
  for (int i = 0; i < 20; i++) {
    double wobble = noise * ((i * 7) % 5 - 2);
    double stray = i < strays ? 50 : 0;
    seen.once.push_back(5 + 10 * cost + stray);
    seen.twice.push_back(5 + 20 * cost + 10 * wobble + stray);
    seen.disturbed.push_back(false);
  }
  return seen;
}

TEST(EstimateBody, OverheadOfLoopAndClockCancel) {
  auto estimate = estimate_body(planted(3, 0), 10);
  ASSERT_TRUE(estimate);
  EXPECT_DOUBLE_EQ(estimate->value, 3);
  EXPECT_DOUBLE_EQ(estimate->variance, 0);
  EXPECT_EQ(estimate->observations, 10);
  EXPECT_FALSE(estimate->disturbed);
}

TEST(EstimateBody, StraysDoNotMoveMedianNorMinimumButTheAverage) {
  auto seen = planted(3, 0, 4);
  for (int i = 0; i < 4; i++) seen.twice[static_cast<std::size_t>(i)] += 100;
  EXPECT_DOUBLE_EQ(estimate_body(seen, 10, Statistic::median)->value, 3);
  EXPECT_DOUBLE_EQ(estimate_body(seen, 10, Statistic::minimum)->value, 3);
  EXPECT_DOUBLE_EQ(estimate_body(seen, 10, Statistic::average)->value, 5);
}

TEST(EstimateBody, PreemptedObservationsAreLeftOutAndManyDisturb) {
  auto seen = planted(3, 0);
  for (std::size_t i = 0; i < 12; i++) seen.disturbed[i] = true, seen.twice[i] -= 30;
  auto estimate = estimate_body(seen, 10);
  EXPECT_DOUBLE_EQ(estimate->value, 3);
  EXPECT_TRUE(estimate->disturbed);
}

TEST(EstimateBody, MostObservationsFarAboveTheFastestIsDisturbed) {
  auto seen = planted(3, 0, 19);
  EXPECT_TRUE(estimate_body(seen, 10)->disturbed);
}

TEST(EstimateBody, FailedOrTooFewGiveNothing) {
  auto seen = planted(3, 0);
  seen.failed_with_signal = 8;
  EXPECT_FALSE(estimate_body(seen, 10));
  EXPECT_FALSE(estimate_body(Observations{{1}, {2}, {false}}, 10));
}

std::vector<std::optional<BodyEstimate>> bodies(BodyEstimate a, BodyEstimate b) { return {a, b}; }

TEST(EstimateCost, VariancesPropagate) {
  CostFormula formula{"SRSL", "", {{2, 0}, {-1, 1}}};  // eq. 4.12: sd^2 = 4 sd1^2 + sd2^2
  auto cost = estimate_cost(formula, bodies({5, 0.09, 16}, {6, 0.04, 9}), 0.9);
  ASSERT_TRUE(cost);
  EXPECT_DOUBLE_EQ(cost->value, 4);
  EXPECT_DOUBLE_EQ(*cost->sd, std::sqrt(4 * 0.09 + 0.04));
  EXPECT_EQ(cost->repetitions, 9);
  EXPECT_FALSE(cost->not_detected);
  EXPECT_NEAR(half_interval(*cost, 0.9), 1.8595 * *cost->sd / 3, 1e-4);  // Student, 8 degrees of freedom
}

TEST(EstimateCost, WhatCannotBeToldFromZeroIsNotDetectedAndNeverNegative) {
  CostFormula difference{"ADDR", "", {{1, 0}, {-1, 1}}};
  for (double second : {4.95, 5.0, 7.0}) {
    auto cost = estimate_cost(difference, bodies({5, 0.25, 9}, {second, 0.25, 9}), 0.9);
    EXPECT_TRUE(cost->not_detected) << second;
    EXPECT_EQ(cost->value, 0);
    ASSERT_TRUE(cost->limit);
    EXPECT_GT(*cost->limit, 0);
  }
  EXPECT_FALSE(estimate_cost(difference, bodies({6, 0.01, 9}, {5, 0.01, 9}), 0.9)->not_detected);
}

TEST(EstimateCost, AFailedBodyLosesOnlyItsOwnCosts) {
  std::vector<std::optional<BodyEstimate>> some = {BodyEstimate{5, 0.01, 9}, std::nullopt};
  EXPECT_FALSE(estimate_cost({"A", "", {{1, 0}, {-1, 1}}}, some, 0.9));
  EXPECT_TRUE(estimate_cost({"B", "", {{1, 0}}}, some, 0.9));
}

TEST(EstimateCost, WhatTheCompilerRemovesIsNotDetected) {
  Observations seen;
  seen.vanished = true;
  auto cost = estimate_cost({"TISL", "", {{1, 0}}}, {estimate_body(seen, 10)}, 0.9);
  ASSERT_TRUE(cost);
  EXPECT_TRUE(cost->not_detected);
  EXPECT_EQ(cost->note, "the compiler removes it");
}

TEST(ParseResults, ReadsWhatTheHarnessPrints) {
  auto results = parse_results("clock 1 25 0.5\ncanary 0.21 0.231\ne 0 100 10.5:20.5 11:21* 12:22~\nf 1 11\nv 2\n", 3);
  ASSERT_TRUE(results.has_value());
  EXPECT_EQ(results->clock.overhead_ns, 25);
  EXPECT_EQ(results->bodies[0].once, (std::vector<double>{10.5, 11, 12}));
  EXPECT_EQ(results->bodies[0].twice, (std::vector<double>{20.5, 21, 22}));
  EXPECT_EQ(results->bodies[0].disturbed, (std::vector<bool>{false, true, true}));
  EXPECT_EQ(results->canary_cycles, 0.21);
  EXPECT_EQ(results->bodies[1].failed_with_signal, 11);
  EXPECT_TRUE(results->bodies[2].vanished);
  EXPECT_FALSE(parse_results("nothing useful", 3).has_value());
}

TEST(SliceFor, TheClocksErrorStaysBelowTheShareAsked) {
  EXPECT_DOUBLE_EQ(slice_for({1, 25, 0}, 5e-4), 52000);
  EXPECT_DOUBLE_EQ(slice_for({1e9, 0, 0}, 5e-4), 20e6);  // a very coarse clock is not waited for for ever
}

}  // namespace
}  // namespace perfcast::characterize
