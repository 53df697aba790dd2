// Machine costs from timed runs (Clement 1994, chapter 5): t = X beta + e over programs and sizes.
//
// Relative weights (every run counts by its ratio, not its seconds) and non-negative costs. A cost is given only where at
// least two programs carry it: one program's quirk is no property of the machine. For every cost the standard error, t,
// its probability, and the probability of the sequential F test that the paper prints; R squared, the residuals against
// the quantiles of a normal, and intervals from leaving out one program at a time, which hold for programs not in the
// fit (textbook intervals cover a third of those).
#pragma once

#include <string>
#include <vector>

#include "record/regression.h"

namespace perfcast::scale {

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
