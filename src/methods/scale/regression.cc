#include "methods/scale/regression.h"

#include <Eigen/Dense>
#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <set>

#include "base/statistics.h"

namespace perfcast::scale {
namespace {

// Lawson and Hanson's active-set method: least squares with coefficients that are not negative.
Eigen::VectorXd non_negative_solution(const Eigen::MatrixXd& a, const Eigen::VectorXd& y) {
  const Eigen::Index n = a.cols();
  std::vector<bool> active(static_cast<std::size_t>(n), false);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
  auto solve_active = [&] {
    std::vector<Eigen::Index> columns;
    for (Eigen::Index j = 0; j < n; j++) if (active[static_cast<std::size_t>(j)]) columns.push_back(j);
    Eigen::MatrixXd part(a.rows(), static_cast<Eigen::Index>(columns.size()));
    for (std::size_t k = 0; k < columns.size(); k++) part.col(static_cast<Eigen::Index>(k)) = a.col(columns[k]);
    Eigen::VectorXd s = part.colPivHouseholderQr().solve(y), full = Eigen::VectorXd::Zero(n);
    for (std::size_t k = 0; k < columns.size(); k++) full(columns[k]) = s(static_cast<Eigen::Index>(k));
    return full;
  };
  for (int round = 0; round < 10 * n; round++) {
    Eigen::VectorXd gradient = a.transpose() * (y - a * x);
    Eigen::Index best = -1;
    for (Eigen::Index j = 0; j < n; j++)
      if (!active[static_cast<std::size_t>(j)] && gradient(j) > 1e-10 * a.col(j).norm() && (best < 0 || gradient(j) / a.col(j).norm() > gradient(best) / a.col(best).norm())) best = j;
    if (best < 0) break;
    active[static_cast<std::size_t>(best)] = true;
    for (;;) {
      Eigen::VectorXd s = solve_active();
      double step = 1;
      for (Eigen::Index j = 0; j < n; j++)
        if (active[static_cast<std::size_t>(j)] && s(j) <= 0) step = std::min(step, x(j) / (x(j) - s(j) + 1e-300));
      x += step * (s - x);
      if (step >= 1) { x = s; break; }
      for (Eigen::Index j = 0; j < n; j++)
        if (active[static_cast<std::size_t>(j)] && x(j) <= 1e-14 * (1 + x.cwiseAbs().maxCoeff())) active[static_cast<std::size_t>(j)] = false, x(j) = 0;
    }
  }
  return x;
}

struct Problem {
  std::vector<std::string> names;
  Eigen::MatrixXd x;
  Eigen::VectorXd y;
};

Problem problem_of(const std::vector<Observation>& observations, const std::vector<std::string>& names, bool relative) {
  Problem p{names, Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(observations.size()), static_cast<Eigen::Index>(names.size())), Eigen::VectorXd(static_cast<Eigen::Index>(observations.size()))};
  for (std::size_t i = 0; i < observations.size(); i++) {
    double weight = relative ? 1 / observations[i].seconds : 1;
    p.y(static_cast<Eigen::Index>(i)) = observations[i].seconds * weight;
    for (std::size_t j = 0; j < names.size(); j++)
      if (auto it = observations[i].counts.find(names[j]); it != observations[i].counts.end()) p.x(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = it->second * weight;
  }
  return p;
}

Eigen::VectorXd solve(const Problem& p, bool non_negative) {
  // Columns differ by many orders of magnitude: scale them first.
  Eigen::VectorXd scale = p.x.colwise().norm().transpose().cwiseMax(1e-300);
  Eigen::MatrixXd scaled = p.x * scale.cwiseInverse().asDiagonal();
  Eigen::VectorXd b = non_negative ? non_negative_solution(scaled, p.y) : Eigen::VectorXd(scaled.colPivHouseholderQr().solve(p.y));
  return b.cwiseQuotient(scale);
}

double f_probability(double f, double top, double bottom) {
  if (!(f > 0) || bottom < 1) return 1;
  return boost::math::cdf(boost::math::complement(boost::math::fisher_f(top, bottom), f));
}

void statistics(const Problem& p, const Eigen::VectorXd& b, const std::vector<CostEstimate>& all, Regression& result) {
  const Eigen::Index n = p.x.rows(), k = p.x.cols();
  Eigen::VectorXd residual = p.y - p.x * b;
  double rss = residual.squaredNorm(), freedom = std::max<double>(1, static_cast<double>(n - k));
  double variance = rss / freedom;
  result.freedom = static_cast<int>(freedom), result.residual_sd = std::sqrt(variance);
  Eigen::VectorXd scale = p.x.colwise().norm().transpose().cwiseMax(1e-300);
  Eigen::MatrixXd scaled = p.x * scale.cwiseInverse().asDiagonal();
  Eigen::MatrixXd inverse = (scaled.transpose() * scaled).completeOrthogonalDecomposition().pseudoInverse();
  double mean = p.y.mean(), total = (p.y.array() - mean).square().sum(), from_zero = p.y.squaredNorm();
  // With relative weights every y is 1: the variation explained is that around zero.
  result.r_squared = 1 - rss / (total > 1e-12 * from_zero ? total : from_zero);
  result.f = (from_zero - rss) / static_cast<double>(k) / std::max(1e-300, variance);
  result.f_p = f_probability(result.f, static_cast<double>(k), freedom);
  double before = from_zero;
  for (Eigen::Index j = 0; j < k; j++) {
    CostEstimate cost = all[static_cast<std::size_t>(j)];
    cost.seconds = b(j), cost.standard_error = std::sqrt(std::max(0.0, variance * inverse(j, j))) / scale(j);
    cost.t = cost.standard_error > 0 ? cost.seconds / cost.standard_error : 0;
    cost.p = student_p(cost.t, freedom);
    // Sequential: what this term explains beyond those before it.
    Problem part{{}, p.x.leftCols(j + 1), p.y};
    double after = (p.y - part.x * solve(part, false)).squaredNorm();
    cost.sequential_f_p = f_probability((before - after) / std::max(1e-300, variance), 1, freedom);
    before = after;
    result.costs.push_back(cost);
  }
  std::vector<double> sorted(residual.data(), residual.data() + n);
  std::ranges::sort(sorted);
  boost::math::normal normal;
  for (std::size_t i = 0; i < sorted.size(); i++)
    result.quantiles.push_back({boost::math::quantile(normal, (static_cast<double>(i) + 0.5) / static_cast<double>(n)), sorted[i] / std::max(1e-300, result.residual_sd)});
}

}  // namespace

double student_p(double t, double freedom) {
  if (freedom < 1 || !std::isfinite(t)) return 1;
  return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(freedom), std::abs(t)));
}

Result<Regression> fit_costs(const std::vector<Observation>& observations, const RegressionOptions& options) {
  std::map<std::string, std::set<std::string>> carriers;
  std::set<std::string> programs;
  for (const Observation& o : observations) {
    if (!(o.seconds > 0)) return unfit("a run without a positive time", o.program);
    programs.insert(o.program);
    for (const auto& [name, count] : o.counts) if (count > 0) carriers[name].insert(o.program);
  }
  Regression result;
  std::vector<std::string> names;
  std::vector<CostEstimate> supported, refused;
  int needed = std::min<int>(options.least_programs, static_cast<int>(programs.size()));
  for (const auto& [name, by] : carriers) {
    CostEstimate cost;
    cost.name = name, cost.programs = static_cast<int>(by.size()), cost.supported = cost.programs >= needed;
    if (cost.supported) names.push_back(name);
    (cost.supported ? supported : refused).push_back(cost);
  }
  if (observations.size() < names.size() + 2 || names.empty())
    return unfit("too few runs: " + std::to_string(observations.size()) + " for " + std::to_string(names.size()) + " costs", {}, "run more sizes, or fewer kinds of operations");
  result.runs = static_cast<int>(observations.size()), result.programs = static_cast<int>(programs.size());
  Problem all = problem_of(observations, names, options.relative);
  statistics(all, solve(all, options.non_negative), supported, result);
  result.costs.insert(result.costs.end(), refused.begin(), refused.end());
  // One program at a time left out: how wrong are we about programs we have not seen, and after one run of them?
  std::vector<double> misses, after;
  for (const auto& out : programs) {
    std::vector<Observation> rest, held;
    for (const Observation& o : observations) (o.program == out ? held : rest).push_back(o);
    if (programs.size() < 2 || rest.size() < names.size() + 1) break;
    Problem part = problem_of(rest, names, options.relative);
    Eigen::VectorXd b = solve(part, options.non_negative);
    Problem asked = problem_of(held, names, false);
    Eigen::VectorXd t = asked.x * b;
    double correction = 0;
    for (Eigen::Index i = 0; i < t.size(); i++) {
      if (!(t(i) > 0)) continue;
      double miss = std::log(held[static_cast<std::size_t>(i)].seconds / t(i));
      if (i == 0) correction = miss;
      else after.push_back(miss - correction);
      misses.push_back(miss);
    }
  }
  auto spread = [](const std::vector<double>& v) {
    double s = 0;
    for (double x : v) s += x * x;
    return v.empty() ? 1.0 : std::sqrt(s / static_cast<double>(v.size()));
  };
  result.left_out_spread = spread(misses), result.calibrated_spread = spread(after);
  return result;
}

std::vector<double> systematic_sample(double low, double high, int count, bool whole) {
  std::vector<double> sizes;
  for (int k = 0; k < count; k++) {
    double x = low * std::pow(high / low, count > 1 ? static_cast<double>(k) / (count - 1) : 0);
    if (whole) x = std::round(x);
    if (sizes.empty() || x > sizes.back()) sizes.push_back(x);
  }
  return sizes;
}

}  // namespace perfcast::scale
