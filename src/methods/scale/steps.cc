#include "methods/scale/steps.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace perfcast::scale {
namespace {

constexpr int steepness[] = {2, 4, 8};
constexpr int most_steps = 5;
constexpr double good_enough = 0.01;  // of the weighted time

double step_value(double x, double at, int s) {
  double power = at / x;
  for (int squared = 1; squared < s; squared *= 2) power *= power;  // pow() may end in another digit on another instruction set
  return 1 / (1 + power);
}

}  // namespace

StepFit fit_steps(const std::vector<double>& sizes, const std::vector<double>& values, const std::vector<double>& weights, const expr::Expr& size) {
  const auto n = static_cast<Eigen::Index>(sizes.size());
  StepFit fit;
  if (n == 0) return fit;
  struct Step { double at; int s; };
  std::vector<Step> candidates, chosen;
  for (std::size_t k = 0; k + 1 < sizes.size(); k++)
    for (int s : steepness) candidates.push_back({std::sqrt(sizes[k] * sizes[k + 1]), s});
  Eigen::VectorXd y(n), w(n);
  for (Eigen::Index i = 0; i < n; i++) y(i) = values[static_cast<std::size_t>(i)], w(i) = std::max(1e-12, weights[static_cast<std::size_t>(i)]);
  auto matrix = [&](const std::vector<Step>& steps) {
    Eigen::MatrixXd x(n, static_cast<Eigen::Index>(steps.size()) + 1);
    for (Eigen::Index i = 0; i < n; i++) {
      x(i, 0) = 1;
      for (std::size_t k = 0; k < steps.size(); k++) x(i, static_cast<Eigen::Index>(k) + 1) = step_value(sizes[static_cast<std::size_t>(i)], steps[k].at, steps[k].s);
    }
    return x;
  };
  auto solve = [&](const std::vector<Step>& steps, double& squares, double& worst) {
    Eigen::MatrixXd x = matrix(steps);
    Eigen::VectorXd b = (w.asDiagonal() * x).colPivHouseholderQr().solve(w.asDiagonal() * y);
    Eigen::VectorXd off = w.asDiagonal() * (x * b - y);
    squares = off.squaredNorm(), worst = off.cwiseAbs().maxCoeff();
    return b;
  };
  double squares = 0, miss = 0;
  Eigen::VectorXd best = solve(chosen, squares, miss);
  while (miss > good_enough && static_cast<int>(chosen.size()) < most_steps) {
    Step add{};
    double least = squares, least_miss = miss;
    Eigen::VectorXd found;
    for (const Step& candidate : candidates) {
      std::vector<Step> tried = chosen;
      tried.push_back(candidate);
      if (static_cast<Eigen::Index>(tried.size()) + 1 >= n) continue;
      double error = 0, worst = 0;
      Eigen::VectorXd b = solve(tried, error, worst);
      // A cost is never negative, between the sizes and beyond them.
      bool positive = b(0) >= -0.02 * y.cwiseAbs().maxCoeff() && b.sum() >= 0;
      if (positive && error < 0.95 * least) least = error, least_miss = worst, add = candidate, found = b;
    }
    if (found.size() == 0) break;
    chosen.push_back(add), best = found, squares = least, miss = least_miss;
  }
  std::vector<expr::Expr> terms{expr::Expr(std::max(0.0, best(0)))};
  for (std::size_t k = 0; k < chosen.size(); k++) {
    expr::Expr step = 1 / (1 + expr::power(expr::Expr(chosen[k].at) / size, expr::Expr(chosen[k].s)));
    terms.push_back(expr::Expr(best(static_cast<Eigen::Index>(k) + 1)) * step);
    fit.step_at.push_back(chosen[k].at);
  }
  fit.expression = expr::sum(std::move(terms)), fit.worst = miss;
  return fit;
}

}  // namespace perfcast::scale
