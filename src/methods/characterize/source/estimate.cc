#include "methods/characterize/source/estimate.h"

#include <algorithm>
#include <cmath>

namespace perfcast::characterize {
namespace {

constexpr double quarter_above = 1.25;     // slower observations met something else
constexpr double disturbed_median = 1.05;  // median against minimum

}  // namespace

void Observations::add(const Observations& more) {
  once.insert(once.end(), more.once.begin(), more.once.end());
  twice.insert(twice.end(), more.twice.begin(), more.twice.end());
  preempted.insert(preempted.end(), more.preempted.begin(), more.preempted.end());
  if (more.failed_with_signal) failed_with_signal = more.failed_with_signal;
}

std::optional<BodyEstimate> estimate_body(const Observations& seen, int repetitions, Statistic statistic) {
  if (seen.failed_with_signal || seen.once.size() < 2) return {};
  double least_once = *std::min_element(seen.once.begin(), seen.once.end());
  double least_twice = *std::min_element(seen.twice.begin(), seen.twice.end());
  std::vector<double> kept, all, long_ones;
  for (std::size_t i = 0; i < seen.once.size(); i++) {
    double each = (seen.twice[i] - seen.once[i]) / repetitions;
    all.push_back(each);
    if (seen.preempted[i]) continue;
    long_ones.push_back(seen.twice[i]);
    if (seen.once[i] <= quarter_above * least_once && seen.twice[i] <= quarter_above * least_twice) kept.push_back(each);
  }
  BodyEstimate estimate;
  estimate.disturbed = 2 * kept.size() < seen.once.size() ||
                       (!long_ones.empty() && median(long_ones) > disturbed_median * least_twice);
  if (kept.size() < 2) kept = all;
  switch (statistic) {
    case Statistic::median: estimate.value = median(kept); break;
    case Statistic::minimum: estimate.value = (least_twice - least_once) / repetitions; break;
    case Statistic::average: estimate.value = mean(all); break;
  }
  double sd = standard_deviation(statistic == Statistic::average ? all : kept);
  estimate.variance = sd * sd;
  estimate.observations = static_cast<int>(kept.size());
  return estimate;
}

std::optional<Measurement> estimate_cost(const CostFormula& formula,
                                         const std::vector<std::optional<BodyEstimate>>& bodies, double confidence) {
  Measurement cost;
  Moments sum;
  for (const auto& term : formula.terms) {
    const auto& body = bodies[term.body];
    if (!body) return {};
    sum += term.factor * Moments{body->value, body->variance};
    cost.repetitions = cost.repetitions ? std::min(cost.repetitions, body->observations) : body->observations;
    cost.disturbed |= body->disturbed;
  }
  cost.note = formula.note;
  cost.value = sum.mean;
  cost.sd = std::sqrt(sum.variance);
  if (double half = half_interval(cost, confidence); cost.value <= half) {
    cost.not_detected = true;
    cost.limit = std::max(cost.value, 0.0) + half;
    cost.value = 0;
  }
  return cost;
}

double half_interval(const Measurement& cost, double confidence) {
  if (cost.repetitions < 2 || !cost.sd) return 0;
  return student_t(confidence, cost.repetitions - 1) * *cost.sd / std::sqrt(cost.repetitions);
}

}  // namespace perfcast::characterize
