// The statistics every room shares. Intervals are two-sided; confidence is a probability such as 0.9.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

namespace perfcast {

struct Interval {
  double low = 0, high = 0;
  bool operator==(const Interval&) const = default;
  bool contains(double x) const { return low <= x && x <= high; }
};

double mean(std::span<const double> values);
// Standard deviation of the sample (divisor n - 1); 0 for fewer than two values.
double standard_deviation(std::span<const double> values);
// Linear interpolation between order statistics; q in [0, 1]. The values need not be sorted.
double quantile(std::span<const double> values, double q);
inline double median(std::span<const double> values) { return quantile(values, 0.5); }

// Student's t such that P(|T| <= t) = confidence with `freedom` degrees of freedom (Saavedra eq. 4.13).
double student_t(double confidence, double freedom);
// Interval of the mean of `n` values with this mean and standard deviation (eq. 4.13).
Interval student_interval(double mean, double standard_deviation, int n, double confidence);

// What independent spreads come to. As hypot, but to the same digit on every instruction set: C libraries differ in the last one.
double root_of_squares(std::initializer_list<double> spreads);

// Kendall's tau-b between two orderings; 1 when they agree everywhere.
double kendall_tau(std::span<const double> a, std::span<const double> b);

// Mean and variance of a sum of independent numbers (eq. 4.2-4.12): means and variances add.
struct Moments {
  double mean = 0, variance = 0;
  Moments& operator+=(Moments other) { mean += other.mean, variance += other.variance; return *this; }
  friend Moments operator-(Moments a, Moments b) { return {a.mean - b.mean, a.variance + b.variance}; }
  friend Moments operator*(double k, Moments m) { return {k * m.mean, k * k * m.variance}; }
};

}  // namespace perfcast
