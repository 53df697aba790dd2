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
template <class Fields>
void describe(Fields& f, IntervalPoint& p) {
  f("test_ns", p.test_ns), f("repetitions", p.repetitions), f("typical", p.typical), f("worst", p.worst), f("undetected", p.undetected);
}

struct CheckResult {
  std::string name;
  double measured_ns = 0;
  double minimum_ns = 0, median_ns = 0, average_ns = 0;  // predicted, by each statistic
};
template <class Fields>
void describe(Fields& f, CheckResult& c) {
  f("name", c.name), f("measured_ns", c.measured_ns), f("minimum_ns", c.minimum_ns), f("median_ns", c.median_ns), f("average_ns", c.average_ns);
}

struct Study {
  static constexpr const char* format = "perfcast.characterization_study";
  static constexpr int version = 1;
  std::string title;  // "c, clang-19 -O0"
  double clock_resolution_ns = 0, clock_overhead_ns = 0;
  std::vector<IntervalPoint> intervals;
  std::vector<CheckResult> checks;
  // Mean of |predicted - measured| / measured over the checks, and predicted / measured of their total.
  double minimum_error = 0, median_error = 0, average_error = 0;
  double minimum_total = 0, median_total = 0, average_total = 0;
};
template <class Fields>
void describe(Fields& f, Study& s) {
  f("title", s.title), f("clock_resolution_ns", s.clock_resolution_ns), f("clock_overhead_ns", s.clock_overhead_ns);
  f("intervals", s.intervals), f("checks", s.checks);
  f("minimum_error", s.minimum_error), f("median_error", s.median_error), f("average_error", s.average_error);
  f("minimum_total", s.minimum_total), f("median_total", s.median_total), f("average_total", s.average_total);
}

// Uses the first C compiler and set of flags that `options` would characterize. About a minute.
Result<Study> study(const CharacterizeOptions& options);

}  // namespace perfcast::characterize
