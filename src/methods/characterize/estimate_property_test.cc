// Laws of the estimates of a characterization: costs planted into noisy, disturbed observations come back, message laws are
// found again.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "methods/characterize/messages/message_fit.h"
#include "methods/characterize/source/estimate.h"

namespace perfcast::characterize {
namespace {

// Versions of a body timed `n` times: each takes its time, noise that is never negative, and now and then a neighbour.
Observations observed(std::mt19937_64& random, double cost, int repetitions, int n, double disturbed_share) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  Observations seen;
  for (int i = 0; i < n; i++) {
    const bool preempted = uniform(random) < disturbed_share;
    const double slower = preempted ? 1 + uniform(random) : 1;
    seen.once.push_back(slower * (50 + 0.05 * std::abs(normal(random))));
    seen.twice.push_back(slower * (50 + cost * repetitions + 0.05 * std::abs(normal(random))));
    seen.disturbed.push_back(preempted);
  }
  return seen;
}

}  // namespace

TEST(EstimateLaws, PlantedCostsComeBackWithinTheirIntervals) {
  std::mt19937_64 random(20);
  constexpr int trials = 400, repetitions = 10;
  int covered = 0;
  for (int k = 0; k < trials; k++) {
    const double cost = 0.3 + 0.01 * (k % 50);
    CostFormula formula;
    formula.terms = {{1.0, 0}};
    std::vector<std::optional<BodyEstimate>> bodies = {estimate_body(observed(random, cost, repetitions, 30, 0.2), repetitions)};
    auto measured = estimate_cost(formula, bodies, 0.9);
    ASSERT_TRUE(measured);
    EXPECT_NEAR(measured->value, cost, 0.02 * cost);
    EXPECT_FALSE(measured->disturbed);
    covered += std::abs(measured->value - cost) <= half_interval(*measured, 0.9);
  }
  // The faster half is kept and its spread taken from quartiles: the interval may be wider than it says, hardly narrower.
  EXPECT_GE(covered, static_cast<int>(0.85 * trials));
}

TEST(EstimateLaws, WhatCostsNothingIsNotDetected) {
  std::mt19937_64 random(21);
  int detected = 0;
  constexpr int trials = 300;
  for (int k = 0; k < trials; k++) {
    CostFormula formula;
    formula.terms = {{1.0, 0}};
    std::vector<std::optional<BodyEstimate>> bodies = {estimate_body(observed(random, 0, 10, 30, 0.1), 10)};
    auto measured = estimate_cost(formula, bodies, 0.9);
    detected += !measured->not_detected;
  }
  EXPECT_LE(detected, trials / 10);  // one side of a 90 % interval
}

TEST(EstimateLaws, ADisturbedBodyIsSaidToBe) {
  std::mt19937_64 random(22);
  for (int k = 0; k < 50; k++) EXPECT_TRUE(estimate_body(observed(random, 1, 10, 30, 0.8), 10)->disturbed);
}

TEST(MessageLaws, PlantedLinesAndTheirBordersAreFound) {
  std::mt19937_64 random(23);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 40; k++) {
    const double border = 4096.0 * (1 << (k % 4)), startup = 500 + 50 * k, per_byte = 0.05 + 0.002 * k;
    auto time = [&](double bytes) { return bytes < border ? startup + per_byte * bytes : 4 * startup + 0.3 * per_byte * bytes; };
    std::vector<SizeTime> points;
    for (double bytes = 1; bytes < 1e6; bytes *= 1.5) points.push_back({std::round(bytes), time(std::round(bytes)) * std::exp(0.005 * normal(random))});
    RegimeFit fit = fit_regimes(points);
    ASSERT_GE(fit.regimes.size(), 2u);
    EXPECT_NEAR(fit.regimes[0].startup_ns / startup, 1, 0.05);
    EXPECT_LT(fit.error, 0.03);
    for (const auto& regime : fit.regimes) EXPECT_TRUE(regime.startup_ns >= 0 && regime.per_byte_ns >= 0);
    LineFit line = fit_line(std::span(points).first(10));
    EXPECT_NEAR(line.startup / startup, 1, 0.03);
  }
}

}  // namespace perfcast::characterize
