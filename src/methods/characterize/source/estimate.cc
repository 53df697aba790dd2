#include "methods/characterize/source/estimate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace perfcast::characterize {
namespace {

constexpr double disturbed_level = 1.05;   // typical kept observation against the fastest
constexpr std::size_t fewest = 4;          // observations

// Standard deviation of a normal sample with these quartiles.
double spread_of(const std::vector<double>& values) { return (quantile(values, 0.75) - quantile(values, 0.25)) / 1.349; }

double least(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }

}  // namespace

void Observations::add(const Observations& more) {
  once.insert(once.end(), more.once.begin(), more.once.end());
  twice.insert(twice.end(), more.twice.begin(), more.twice.end());
  disturbed.insert(disturbed.end(), more.disturbed.begin(), more.disturbed.end());
  vanished = vanished || more.vanished;
  if (more.failed_with_signal) failed_with_signal = more.failed_with_signal;
}

std::optional<BodyEstimate> estimate_body(const Observations& seen, int repetitions, Statistic statistic) {
  if (seen.failed_with_signal) return {};
  if (seen.vanished) return BodyEstimate{0, 0, 1, false, true};
  if (seen.once.size() < fewest) return {};
  std::vector<std::pair<double, double>> calm;  // duration of both versions, cost of one statement
  std::vector<double> all, long_ones, kept;
  for (std::size_t i = 0; i < seen.once.size(); i++) {
    all.push_back((seen.twice[i] - seen.once[i]) / repetitions);
    if (seen.disturbed[i]) continue;
    calm.push_back({seen.once[i] + seen.twice[i], all.back()});
    long_ones.push_back(seen.twice[i]);
  }
  BodyEstimate estimate;
  estimate.disturbed = 2 * calm.size() < all.size() || (!long_ones.empty() && quantile(long_ones, 0.25) > disturbed_level * least(long_ones));
  std::sort(calm.begin(), calm.end());
  for (std::size_t i = 0; i < (calm.size() + 1) / 2; i++) kept.push_back(calm[i].second);
  if (kept.size() < fewest / 2) kept = all;
  switch (statistic) {
    case Statistic::median: estimate.value = median(kept); break;
    case Statistic::minimum: estimate.value = (least(seen.twice) - least(seen.once)) / repetitions; break;
    case Statistic::average: estimate.value = mean(all); break;
  }
  double sd = statistic == Statistic::average ? standard_deviation(all) : spread_of(kept);
  estimate.variance = sd * sd;
  // The median of n values varies as the mean of n / (pi/2) of them does.
  if (statistic == Statistic::median) estimate.variance *= std::numbers::pi / 2;
  estimate.observations = static_cast<int>(kept.size());
  return estimate;
}

std::optional<Measurement> estimate_cost(const CostFormula& formula,
                                         const std::vector<std::optional<BodyEstimate>>& bodies, double confidence) {
  Measurement cost;
  Moments sum;
  bool vanished = false;
  for (const auto& term : formula.terms) {
    const auto& body = bodies[term.body];
    if (!body) return {};
    sum += term.factor * Moments{body->value, body->variance};
    cost.repetitions = cost.repetitions ? std::min(cost.repetitions, body->observations) : body->observations;
    cost.disturbed |= body->disturbed;
    vanished |= body->vanished;
  }
  cost.note = formula.note;
  if (vanished) {
    cost.not_detected = true;
    cost.note = "the compiler removes it";
    return cost;
  }
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
