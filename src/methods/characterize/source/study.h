// How good are the measurements? Two questions of Saavedra's chapter 4: how intervals shrink with the length of a test
// and the number of repetitions (figure 4.5), and which of minimum, median and average predicts best (table 4.10).
#pragma once

#include <string>
#include <vector>

#include "methods/characterize/characterize.h"

namespace perfcast::characterize {

struct IntervalPoint {
  double test_ns = 0;       // least duration of one observation
  int repetitions = 0;
  double typical = 0;       // median over the operations of half interval / cost (eq. 4.14)
  double worst = 0;         // 90 % of the operations are below
  double undetected = 0;    // share of operations that cannot be told from zero
};

struct CheckResult {
  std::string name;
  double measured_ns = 0;
  double minimum_ns = 0, median_ns = 0, average_ns = 0;  // predicted, by each statistic
};

struct Study {
  std::string title;  // "c, clang-19 -O0"
  double clock_resolution_ns = 0, clock_overhead_ns = 0;
  std::vector<IntervalPoint> intervals;
  std::vector<CheckResult> checks;
  // Mean of |predicted - measured| / measured over the checks, and predicted / measured of their total.
  double minimum_error = 0, median_error = 0, average_error = 0;
  double minimum_total = 0, median_total = 0, average_total = 0;
};

// Uses the first C compiler and set of flags that `options` would characterize. About a minute.
Result<Study> study(const CharacterizeOptions& options);

}  // namespace perfcast::characterize
