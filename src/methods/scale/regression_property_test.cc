// Laws of the fit, over many seeded synthetic machines: planted costs come back, and intervals hold as often as they say.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/binomial.h"
#include "base/statistics.h"
#include "methods/scale/regression.h"

namespace perfcast::scale {
namespace {

constexpr const char* names[] = {"flops", "misses", "startups"};

struct Planted {
  std::map<std::string, double> costs;
  std::vector<Observation> runs;
};

// Programs with mixes of their own; `own` is how far a whole program is off (log-normal), `noise` each of its runs.
Planted planted(std::mt19937_64& random, int programs, int sizes, double own, double noise) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  Planted result;
  for (int j = 0; j < 3; j++) result.costs[names[j]] = std::exp(-20 + 4 * j + uniform(random));
  for (int p = 0; p < programs; p++) {
    const double off = own * normal(random);
    double mix[3];
    for (double& m : mix) m = 0.2 + uniform(random);
    for (double n : systematic_sample(16, 1024, sizes)) {
      Observation o;
      o.program = "p" + std::to_string(p);
      o.counts = {{"flops", mix[0] * n * n * n}, {"misses", mix[1] * n * n}, {"startups", mix[2] * n}};
      for (const auto& [name, count] : o.counts) o.seconds += count * result.costs[name];
      o.seconds *= std::exp(off + noise * normal(random));
      result.runs.push_back(o);
    }
  }
  return result;
}

}  // namespace

TEST(RegressionLaws, ExactRunsGiveBackTheCosts) {
  std::mt19937_64 random(10);
  for (int k = 0; k < 50; k++) {
    Planted p = planted(random, 4, 6, 0, 0);
    auto fit = fit_costs(p.runs);
    ASSERT_TRUE(fit) << fit.error().message();
    for (const auto& cost : fit->costs) EXPECT_NEAR(cost.seconds / p.costs[cost.name], 1, 1e-6) << cost.name;
  }
}

TEST(RegressionLaws, IntervalsOfTheCostsHold) {
  std::mt19937_64 random(11);
  constexpr int trials = 300;
  constexpr double confidence = 0.9;
  int covered = 0, all = 0;
  for (int k = 0; k < trials; k++) {
    Planted p = planted(random, 5, 8, 0, 0.02);
    auto fit = fit_costs(p.runs);
    ASSERT_TRUE(fit);
    for (const auto& cost : fit->costs) {
      double half = student_t(confidence, fit->freedom) * cost.standard_error;
      covered += std::abs(cost.seconds - p.costs[cost.name]) <= half, all++;
    }
  }
  // Costs of one fit are not independent; the limits are those of as many fits.
  EXPECT_NEAR(static_cast<double>(covered) / all, confidence, 3.3 * std::sqrt(confidence * (1 - confidence) / trials));
}

TEST(RegressionLaws, IntervalsForUnseenProgramsHold) {
  std::mt19937_64 random(12);
  constexpr double confidence = 0.9;
  for (int programs : {5, 8, 16}) {
    constexpr int trials = 300;
    int covered = 0;
    for (int k = 0; k < trials; k++) {
      Planted p = planted(random, programs + 1, 6, 0.15, 0.01);
      std::vector<Observation> seen, unseen;
      for (auto& o : p.runs) (o.program == "p0" ? unseen : seen).push_back(o);
      auto fit = fit_costs(seen);
      ASSERT_TRUE(fit);
      auto [low, high] = fit->interval(fit->predict(unseen[3].counts), confidence, false);
      covered += low <= unseen[3].seconds && unseen[3].seconds <= high;
    }
    // As often as it says, or more: with few programs one of them counts less than a sample.
    EXPECT_TRUE(covered >= trials * confidence || within_binomial_limits(covered, trials, confidence)) << covered << " of " << trials << " with " << programs << " programs";
    EXPECT_LT(covered, trials);
  }
}

TEST(RegressionLaws, MoreRunsNeverWidenTheCosts) {
  std::mt19937_64 random(13);
  double few = 0, many = 0;
  for (int k = 0; k < 40; k++) {
    Planted p = planted(random, 6, 16, 0, 0.05);
    std::vector<Observation> half;
    for (std::size_t i = 0; i < p.runs.size(); i += 2) half.push_back(p.runs[i]);
    for (const auto& cost : fit_costs(half)->costs) few += cost.standard_error / p.costs[cost.name];
    for (const auto& cost : fit_costs(p.runs)->costs) many += cost.standard_error / p.costs[cost.name];
  }
  EXPECT_LT(many, few);
}

}  // namespace perfcast::scale
