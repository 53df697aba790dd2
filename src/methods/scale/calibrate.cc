// Costs adjusted to runs of the program itself, and how far the time may still be off.
//
// The terms form groups: the heaviest lines, all of the core, memory near (caches) and far (beyond the last of them),
// the system. Each group g is multiplied by exp(x_g). What the engine is known to miss is the prior of x; the runs
// determine as much of it as they exercise:
//
//   minimise  sum over runs of w (log(T(x) / t) / noise)^2 + sum over groups of (x_g / prior_g)^2
//
// by Gauss and Newton; d log T / d x_g is the group's share of the time. A run far off the others was disturbed: its weight
// w = 1 / (1 + (residual / (2 noise))^2) falls with the square of how far (Student's distribution in place of Gauss's), the
// noise being what the middle one of the residuals tells. The inverse of the normal matrix is the
// covariance of x, and so at any size  sd(log T)^2 = shares' C shares:  a group that the runs fixed adds little there, one
// they never met adds all that is not known about it. Without runs C is the prior.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "expr/program.h"
#include "methods/scale/model.h"

namespace perfcast::scale {
namespace {

// sd of log(measured / predicted): of the core on the calibration kernels (docs/predict.md), of one line against the
// others, of programs that wait for caches and for memory, of page faults and the start. Those of caches and memory are 1.25
// times the mean error of kernels that nobody fitted anything on (docs/accuracy.md: 17 to 20 % in caches, 14 % in memory, of
// which memory itself is a good half).
constexpr double core_prior = 0.16, line_prior = 0.12, near_prior = 0.25, far_prior = 0.3, system_prior = 0.3, message_prior = 0.3;
// What a process takes to start differs with what else the system does.
constexpr double start_prior = 1;
// Groups before those of single lines: core, near, far, system, messages, start.
constexpr int whole_groups = 6;
constexpr double least_noise = 0.02;  // of a timed run
constexpr std::size_t most_lines = 6;

struct Group {
  double prior = 0;
  std::vector<std::pair<std::size_t, expr::Expr ModelTerm::*>> parts;  // terms, and which of their parts
};

std::vector<Group> groups_of(const TimeModel& model, const std::vector<Setting>& settings) {
  std::vector<std::pair<double, std::size_t>> heaviest;
  std::vector<double> totals;
  totals.reserve(settings.size());
  const expr::Expr whole = model.seconds();
  for (const Setting& set : settings) totals.push_back(std::max(1e-300, value_at(whole, set)));
  for (std::size_t k = 0; k < model.terms.size(); k++) {
    double most = 0;
    for (std::size_t i = 0; i < settings.size(); i++) most = std::max(most, value_at(model.terms[k].core, settings[i]) / totals[i]);
    if (most > 0.02) heaviest.emplace_back(-most, k);
  }
  std::ranges::sort(heaviest);
  if (heaviest.size() > most_lines) heaviest.resize(most_lines);
  std::vector<Group> groups(whole_groups);
  groups[0].prior = core_prior, groups[1].prior = near_prior, groups[2].prior = far_prior, groups[3].prior = system_prior, groups[4].prior = message_prior, groups[5].prior = start_prior;
  for (std::size_t k = 0; k < model.terms.size(); k++) {
    groups[0].parts.emplace_back(k, &ModelTerm::core), groups[1].parts.emplace_back(k, &ModelTerm::memory), groups[2].parts.emplace_back(k, &ModelTerm::far);
    groups[model.terms[k].kind == "communication" ? 4 : model.terms[k].name == start_term ? 5 : 3].parts.emplace_back(k, &ModelTerm::other);
  }
  if (heaviest.size() > 1)  // a single line is all of the core
    for (auto [share, k] : heaviest) groups.push_back({line_prior, {{k, &ModelTerm::core}}});
  return groups;
}

expr::Expr seconds_of(const TimeModel& model, const Group& group) {
  std::vector<expr::Expr> all;
  all.reserve(group.parts.size());
  for (auto [k, part] : group.parts) all.push_back(model.terms[k].*part);
  return expr::substitute(expr::sum(std::move(all)), model.costs);
}

// sd of residuals by the middle one of their sizes; with three or fewer by all of them.
double usual_size(const Eigen::VectorXd& residual) {
  const auto n = residual.size();
  if (n <= 3) return std::sqrt(residual.squaredNorm() / std::max(1.0, static_cast<double>(n) - 1));
  std::vector<double> sizes(residual.data(), residual.data() + n);
  for (double& size : sizes) size = std::abs(size);
  constexpr double middle_to_sd = 1.4826;
  return middle_to_sd * median(sizes);
}

void remember(TimeModel& model, const std::vector<Group>& groups, const Eigen::MatrixXd& covariance) {
  model.groups.clear(), model.covariance.clear();
  for (const Group& group : groups) model.groups.push_back(seconds_of(model, group));
  for (Eigen::Index g = 0; g < covariance.rows(); g++) {
    model.covariance.emplace_back();
    for (Eigen::Index h = 0; h < covariance.cols(); h++) model.covariance.back().push_back(covariance(g, h));
  }
}

}  // namespace

void assume_priors(TimeModel& model) {
  auto groups = groups_of(model, {});
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(groups.size()), static_cast<Eigen::Index>(groups.size()));
  for (std::size_t g = 0; g < groups.size(); g++) covariance(static_cast<Eigen::Index>(g), static_cast<Eigen::Index>(g)) = groups[g].prior * groups[g].prior;
  remember(model, groups, covariance);
}

double spread_at(const TimeModel& model, const Setting& set) {
  const double total = value_at(model.seconds(), set);
  if (!(total > 0)) return 0;
  std::vector<double> shares;
  shares.reserve(model.groups.size());
  for (const expr::Expr& group : model.groups) shares.push_back(value_at(group, set) / total);
  double variance = 0;
  for (std::size_t g = 0; g < shares.size(); g++)
    for (std::size_t h = 0; h < shares.size(); h++) variance += shares[g] * model.covariance[g][h] * shares[h];
  return std::sqrt(std::max(0.0, variance));
}

Calibration calibrate(TimeModel& model, const std::vector<EquationPoint>& measured) {
  Calibration calibration;
  std::vector<Setting> settings;
  std::vector<double> seconds;
  for (const EquationPoint& point : measured) {
    Setting set = point.set;
    if (std::ranges::find(model.parameters, "P") != model.parameters.end()) set.try_emplace("P", 1);
    if (point.seconds > 0) settings.push_back(set), seconds.push_back(point.seconds);
  }
  if (settings.empty()) return calibration;
  const auto groups = groups_of(model, settings);
  const auto n = static_cast<Eigen::Index>(settings.size()), k = static_cast<Eigen::Index>(groups.size());
  // Lines are in two groups: their own and that of the whole core. Parts that no group multiplies alone are kept apart.
  std::vector<std::vector<double>> base(groups.size());
  for (std::size_t g = 0; g < groups.size(); g++)
    for (const Setting& set : settings) base[g].push_back(value_at(seconds_of(model, groups[g]), set));
  Eigen::VectorXd x = Eigen::VectorXd::Zero(k);
  Eigen::MatrixXd shares(n, k), precision = Eigen::MatrixXd::Zero(k, k), normal;
  Eigen::VectorXd residual(n);
  for (Eigen::Index g = 0; g < k; g++) precision(g, g) = 1 / (groups[static_cast<std::size_t>(g)].prior * groups[static_cast<std::size_t>(g)].prior);
  auto evaluate = [&] {
    for (Eigen::Index i = 0; i < n; i++) {
      auto b = [&](Eigen::Index g) { return base[static_cast<std::size_t>(g)][static_cast<std::size_t>(i)]; };
      double lines = 0, own = 0, total = 0;
      for (Eigen::Index g = whole_groups; g < k; g++) lines += b(g), own += b(g) * std::exp(x(g));
      const double core = std::exp(x(0)) * (b(0) - lines + own);
      total = core;
      for (Eigen::Index g = 1; g < whole_groups; g++) total += b(g) * std::exp(x(g));
      shares(i, 0) = core / total;
      for (Eigen::Index g = 1; g < whole_groups; g++) shares(i, g) = b(g) * std::exp(x(g)) / total;
      for (Eigen::Index g = whole_groups; g < k; g++) shares(i, g) = b(g) * std::exp(x(0) + x(g)) / total;
      residual(i) = std::log(total / seconds[static_cast<std::size_t>(i)]);
    }
  };
  double noise = least_noise;
  Eigen::VectorXd weights = Eigen::VectorXd::Ones(n);
  for (int round = 0; round < 60; round++) {
    evaluate();
    // Residuals above the noise of timing tell that the terms cannot follow the runs better than that.
    if (round % 10 == 9) {
      noise = std::max(least_noise, usual_size(residual));
      for (Eigen::Index i = 0; i < n; i++) weights(i) = 1 / (1 + std::pow(residual(i) / (2 * noise), 2));
    }
    normal = shares.transpose() * weights.asDiagonal() * shares / (noise * noise) + precision;
    Eigen::VectorXd step = normal.ldlt().solve(shares.transpose() * weights.cwiseProduct(residual) / (noise * noise) + precision * x);
    const double longest = step.cwiseAbs().maxCoeff();
    x -= longest > 0.5 ? Eigen::VectorXd(step * (0.5 / longest)) : step;
  }
  evaluate();
  calibration.runs = static_cast<int>(n);
  calibration.spread = std::sqrt(weights.dot(residual.cwiseAbs2()) / std::max(1.0, weights.sum()));
  calibration.core = std::exp(x(0)), calibration.memory = std::exp(x(1)), calibration.far = std::exp(x(2)), calibration.system = std::exp(x(3));
  for (Eigen::Index g = 0; g < k; g++)
    for (auto [term, part] : groups[static_cast<std::size_t>(g)].parts) model.terms[term].*part = model.terms[term].*part * expr::Expr(std::exp(x(g)));
  remember(model, groups, normal.inverse());
  return calibration;
}

}  // namespace perfcast::scale
