#include "base/statistics.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

#include "base/assert.h"

namespace perfcast {

double mean(std::span<const double> values) {
  ensure(!values.empty(), "the mean of no values was asked for");
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  double centre = mean(values), sum = 0;
  for (double v : values) sum += (v - centre) * (v - centre);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double root_of_squares(std::initializer_list<double> spreads) {
  double sum = 0;
  for (double spread : spreads) sum += spread * spread;
  return std::sqrt(sum);
}

double quantile(std::span<const double> values, double q) {
  ensure(!values.empty(), "a quantile of no values was asked for");
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  double position = q * static_cast<double>(sorted.size() - 1);
  auto below = static_cast<std::size_t>(position);
  std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double student_t(double confidence, double freedom) {
  boost::math::students_t distribution(freedom);
  return boost::math::quantile(distribution, 0.5 + confidence / 2);
}

Interval student_interval(double mean, double standard_deviation, int n, double confidence) {
  if (n < 2) return {mean, mean};
  double half = student_t(confidence, n - 1) * standard_deviation / std::sqrt(n);
  return {mean - half, mean + half};
}

double kendall_tau(std::span<const double> a, std::span<const double> b) {
  ensure(a.size() == b.size(), "Kendall's tau needs two lists of one length");
  double agree = 0;  // concordant minus discordant pairs
  double untied_a = 0, untied_b = 0;
  for (std::size_t i = 0; i < a.size(); i++)
    for (std::size_t j = i + 1; j < a.size(); j++) {
      double da = (a[i] > a[j]) - (a[i] < a[j]), db = (b[i] > b[j]) - (b[i] < b[j]);
      agree += da * db;
      untied_a += da != 0, untied_b += db != 0;
    }
  return untied_a > 0 && untied_b > 0 ? agree / std::sqrt(untied_a * untied_b) : 1;
}

}  // namespace perfcast
