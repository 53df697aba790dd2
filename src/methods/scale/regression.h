// Machine costs from timed runs (Clement 1994, chapter 5): t = X beta + e over programs and sizes.
//
// Relative weights (every run counts by its ratio, not its seconds) and non-negative costs. A cost is given only where at
// least two programs carry it: one program's quirk is no property of the machine. For every cost the standard error, t,
// its probability, and the probability of the sequential F test that the paper prints; R squared, the residuals against
// the quantiles of a normal, and intervals from leaving out one program at a time, which hold for programs not in the
// fit (textbook intervals cover a third of those).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace perfcast::scale {

struct Observation {
  std::string program;
  std::map<std::string, double> counts;  // X: operations, cache misses, message startups, bytes
  double seconds = 0;
};

struct CostEstimate {
  std::string name;
  double seconds = 0, standard_error = 0, t = 0, p = 1, sequential_f_p = 1;
  int programs = 0;                      // that carry it
  bool supported = true;                 // false: left out for want of programs
};

struct Regression {
  std::vector<CostEstimate> costs;
  double r_squared = 0, f = 0, f_p = 1, residual_sd = 0;       // relative
  int runs = 0, freedom = 0;
  std::vector<std::pair<double, double>> quantiles;            // of a normal, of the standardised residuals
  double left_out_spread = 0;                                  // sd of log(measured/predicted) for programs left out
  double predict(const std::map<std::string, double>& counts) const;
  // Interval for a program that was not in the fit; with `calibration` = measured/predicted of one of its runs, a
  // narrower one around the corrected value.
  std::pair<double, double> interval(double predicted, double confidence, bool calibrated) const;
  double calibrated_spread = 0;
};

struct RegressionOptions {
  bool relative = true, non_negative = true;
  int least_programs = 2;
};

Result<Regression> fit_costs(const std::vector<Observation>& observations, const RegressionOptions& options = {});

// Two-sided probability of |t| with these degrees of freedom.
double student_p(double t, double freedom);

// Sizes for a fit: every k-th of a list ordered by size, so that small and large ones are in (appendix A).
std::vector<double> systematic_sample(double low, double high, int count, bool whole = true);

}  // namespace perfcast::scale
