// From raw observations to costs: Saavedra's equations 4.2-4.13. An observation is a body's short and long version
// timed one after the other; what they differ in is U executions of its statement.
#pragma once

#include <vector>

#include "methods/characterize/source/experiments.h"
#include "record/measurement.h"

namespace perfcast::characterize {

struct Observations {
  std::vector<double> once, twice;  // nanoseconds per loop iteration, of the short and the long version
  std::vector<bool> disturbed;      // the system took the processor away meanwhile, or another thread shared the core
  int failed_with_signal = 0;       // 0: did not fail
  bool vanished = false;            // takes no time: the compiler removed it
  void add(const Observations& more);
};

// Which number stands for many observations (section 4.6 asks whether the minimum is better than the average).
enum class Statistic { median, minimum, average };

struct BodyEstimate {
  double value = 0;     // nanoseconds per statement (eq. 4.5)
  double variance = 0;  // of one observation (eq. 4.6); divided by their number, that of `value`
  int observations = 0;  // undisturbed ones
  bool disturbed = false;
  bool vanished = false;  // the compiler removed it
};

// The faster half of the observations that were not disturbed is kept: neighbours on a shared machine only ever make an
// observation longer. The spread is taken from the quartiles, which a few strays do not move. The body is disturbed
// when more than half were disturbed, or when the middle of those kept lies more than 5 % above the fastest. Needs four
// observations.
std::optional<BodyEstimate> estimate_body(const Observations& observations, int repetitions,
                                          Statistic statistic = Statistic::median);

// Value, variance and interval of an operation (eq. 4.7, 4.8, 4.13); not detected, with the limit, when the interval
// at this confidence reaches zero. Empty when a body of the formula has no estimate.
std::optional<Measurement> estimate_cost(const CostFormula& formula,
                                         const std::vector<std::optional<BodyEstimate>>& bodies, double confidence);

// Half the length of the interval of a measured cost (eq. 4.13), nanoseconds.
double half_interval(const Measurement& cost, double confidence);

}  // namespace perfcast::characterize
