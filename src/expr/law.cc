// Empirical laws. Each candidate is fitted on the smaller samples and judged on the larger ones, in ratios: what extrapolates best
// from small to large is what will be asked of it. Then it is fitted on all. A sample weighs as much as the stretch of sizes it
// stands for, so that sixty sizes around 100 do not outvote the few near the largest; sizes far below that are left out where enough
// are left: laws hold for large sizes.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "expr/program.h"
#include "expr/reconstruct.h"

namespace perfcast::expr {
namespace {

using Rows = std::vector<std::size_t>;
struct Samples {
  const std::vector<std::string>& names;
  const std::vector<std::vector<double>>& points;
  std::span<const double> values;
  std::vector<double> weights = {};  // none: all the same
  double weight(std::size_t r) const { return weights.empty() ? 1 : weights[r]; }
};
using Candidate = std::function<std::optional<Expr>(const Samples&, const Rows&)>;

// value = scale(point) * constant, the constant by the median of ratios.
Candidate share_of(const Scale& scale) {
  return [&scale](const Samples& s, const Rows& rows) -> std::optional<Expr> {
    double above = 0, below = 0;
    for (std::size_t r : rows) above += s.values[r], below += scale.values[r];
    if (below <= 0) return {};
    return Expr(above / below) * scale.expression;
  };
}

// c * N^a * M^b * log2(N)^k, by least squares of logarithms.
Candidate power_law(int logarithms) {
  return [logarithms](const Samples& s, const Rows& rows) -> std::optional<Expr> {
    const auto n = static_cast<Eigen::Index>(rows.size()), p = static_cast<Eigen::Index>(s.names.size());
    if (n < p + 2) return {};
    Eigen::MatrixXd x(n, p + 1);
    Eigen::VectorXd y(n);
    for (Eigen::Index i = 0; i < n; i++) {
      std::size_t r = rows[static_cast<std::size_t>(i)];
      if (s.values[r] <= 0) return {};
      x(i, 0) = 1, y(i) = std::log(s.values[r]);
      for (Eigen::Index j = 0; j < p; j++) {
        double at = s.points[r][static_cast<std::size_t>(j)];
        if (at <= 1) return {};
        x(i, j + 1) = std::log(at);
        if (j == 0) y(i) -= logarithms * std::log(std::log2(at));
      }
      const double weight = std::sqrt(s.weight(r));
      x.row(i) *= weight, y(i) *= weight;
    }
    Eigen::VectorXd b = x.colPivHouseholderQr().solve(y);
    Expr law(std::exp(b(0)));
    for (Eigen::Index j = 0; j < p; j++) law = law * power(symbol(s.names[static_cast<std::size_t>(j)]), Expr(b(j + 1)));
    return logarithms ? law * power(call(Function::log2, {symbol(s.names[0])}), logarithms) : law;
  };
}

// Linear in the given functions, relative weights. A coefficient may be negative (N log2 N - N comparisons): see keeps_growing.
Candidate linear_in(const std::vector<Expr>& functions) {
  return [functions](const Samples& s, const Rows& rows) -> std::optional<Expr> {
    const auto n = static_cast<Eigen::Index>(rows.size()), p = static_cast<Eigen::Index>(functions.size());
    if (n < p + 1) return {};
    Eigen::MatrixXd x(n, p);
    Eigen::VectorXd y = Eigen::VectorXd::Ones(n);
    std::vector<Program> programs;
    for (const Expr& f : functions) {
      auto program = Program::compile(f, s.names);
      if (!program) return {};
      programs.push_back(std::move(*program));
    }
    for (Eigen::Index i = 0; i < n; i++) {
      std::size_t r = rows[static_cast<std::size_t>(i)];
      if (s.values[r] <= 0) return {};
      for (Eigen::Index j = 0; j < p; j++) x(i, j) = programs[static_cast<std::size_t>(j)](s.points[r]) / s.values[r];
    }
    if (!x.allFinite()) return {};
    Eigen::VectorXd weights(n);
    for (Eigen::Index i = 0; i < n; i++) weights(i) = std::sqrt(s.weight(rows[static_cast<std::size_t>(i)]));
    Eigen::VectorXd b = (weights.asDiagonal() * x).colPivHouseholderQr().solve(weights.cwiseProduct(y));
    constexpr double nothing = 1e-9;  // of the value, in every sample: rounding, no term
    std::vector<Expr> terms;
    for (Eigen::Index j = 0; j < p; j++)
      if ((b(j) * x.col(j)).cwiseAbs().maxCoeff() > nothing) terms.push_back(Expr(b(j)) * functions[static_cast<std::size_t>(j)]);
    return sum(std::move(terms));
  };
}

// a + c * b^N, as in calls that call themselves for N - 1 and N - 2: the base by the larger half of the samples, where a is
// little; one parameter that is small enough to be an exponent.
Candidate exponential() {
  return [](const Samples& s, const Rows& rows) -> std::optional<Expr> {
    constexpr double largest = 200;
    if (s.names.size() != 1 || rows.size() < 6) return {};
    const std::size_t half = rows.size() / 2;
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (std::size_t k = half; k < rows.size(); k++) {
      const double at = s.points[rows[k]][0];
      if (at > largest || s.values[rows[k]] <= 0) return {};
      const double value = std::log(s.values[rows[k]]);
      n++, x += at, y += value, xx += at * at, xy += at * value;
    }
    const double slope = (n * xy - x * y) / (n * xx - x * x);
    if (!std::isfinite(slope) || slope < 0.01) return {};
    return linear_in({1, power(Expr(std::exp(slope)), symbol(s.names[0]))})(s, rows);
  };
}

// Root mean square of log(law / value) over rows; infinite where the law gives nothing sensible.
double miss(const Expr& law, const Samples& s, const Rows& rows) {
  auto program = Program::compile(law, s.names);
  if (!program) return INFINITY;
  double total = 0, weights = 0;
  for (std::size_t r : rows) {
    double at = (*program)(s.points[r]);
    if (!(at > 0) || !std::isfinite(at) || s.values[r] <= 0) return INFINITY;
    total += s.weight(r) * std::pow(std::log(at / s.values[r]), 2), weights += s.weight(r);
  }
  return weights > 0 ? std::sqrt(total / weights) : INFINITY;
}

// Far beyond the samples, all parameters multiplied, a law stays above zero; one that grew over the samples never falls. What
// does not is bent to the samples and says nothing about larger sizes. `rows` from the smallest size on.
bool keeps_growing(const Expr& law, const Samples& s, const Rows& rows) {
  constexpr double farthest = 4096, rounding = 1e-9;
  auto program = Program::compile(law, s.names);
  if (!program) return false;
  double before = (*program)(s.points[rows.back()]);
  const bool grew = before >= (*program)(s.points[rows.front()]);
  for (double factor = 2; factor <= farthest; factor *= 2) {
    std::vector<double> point = s.points[rows.back()];
    for (double& x : point) x *= factor;
    const double now = (*program)(point);
    if (!(now > 0) || (grew && now < (1 - rounding) * before)) return false;
    before = now;
  }
  return true;
}

double size_of(const std::vector<double>& point) {
  return std::accumulate(point.begin(), point.end(), 0.0, [](double sum, double x) { return sum + std::log(std::max(1.0, x)); });
}

// Rows in order of size; `size` is the sum of the parameters' logarithms.
struct BySize {
  Rows rows;
  std::vector<double> size;  // of each row

  BySize(const std::vector<std::vector<double>>& points, std::span<const double> values) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t k = 0; k < points.size(); k++)
      if (values[k] > 0) order.emplace_back(size_of(points[k]), k);
    std::ranges::sort(order);
    for (auto [s, k] : order) rows.push_back(k), size.push_back(s);
  }
  std::size_t below(double limit) const { return static_cast<std::size_t>(std::ranges::lower_bound(size, limit) - size.begin()); }
  void forget(std::size_t first) {
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(first)), size.erase(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(first));
  }
  // Half the way to the next smaller and to the next larger one. Settings of one size share what it stands for.
  std::vector<double> weights(std::size_t points) const {
    std::vector<double> all(points, 0.0);
    const std::size_t n = rows.size();
    for (std::size_t from = 0, to = 0; from < n; from = to) {
      while (to < n && size[to] - size[from] < 1e-9) to++;
      const double here = std::exp(size[from]), left = from > 0 ? std::exp(size[from - 1]) : here, right = to < n ? std::exp(size[to]) : here;
      for (std::size_t k = from; k < to; k++) all[rows[k]] = std::max(1e-9 * here, (right - left) / 2) / static_cast<double>(to - from);
    }
    return all;
  }
};

// A count that is nothing at sizes where others of it are something, or that no law foretells, depends on the data: on the whole it is a
// share of something exact. Of these the one from which it differs least.
std::optional<Law> share_on_the_whole(std::span<const double> values, std::span<const Scale> scales) {
  std::optional<Law> best;
  double least = INFINITY;
  for (const Scale& scale : scales) {
    double above = 0, below = 0, squares = 0;
    for (std::size_t k = 0; k < values.size(); k++) above += values[k], below += scale.values[k];
    if (!(above > 0) || !(below > 0)) continue;
    const double share = above / below;
    for (std::size_t k = 0; k < values.size(); k++) squares += std::pow(values[k] - share * scale.values[k], 2);
    if (squares >= 0.999 * least) continue;
    least = squares;
    best = Law{Expr(share) * scale.expression, std::min(1.0, std::sqrt(squares * static_cast<double>(values.size())) / above)};
  }
  return best;
}

// Zeros beyond the middle one of the sizes at which there is something.
bool comes_and_goes(const std::vector<std::vector<double>>& points, std::span<const double> values, const BySize& order) {
  constexpr double some = 0.25;
  const double middle = order.size[order.size.size() / 2];
  double zeros = 0;
  for (std::size_t k = 0; k < points.size(); k++) zeros += values[k] <= 0 && size_of(points[k]) > middle;
  return zeros > some * static_cast<double>(order.size.size());
}

}  // namespace

Law law_of(const std::vector<std::string>& names, const std::vector<std::vector<double>>& points, std::span<const double> values, std::span<const Scale> scales) {
  BySize order(points, values);
  if (order.rows.size() < 3) {
    double mean = 0;
    for (double v : values) mean += v / static_cast<double>(std::max<std::size_t>(1, values.size()));
    return {Expr(mean), 1};
  }
  if (comes_and_goes(points, values, order))
    if (auto share = share_on_the_whole(values, scales)) return *share;
  constexpr double far_below = 32;
  constexpr std::size_t enough = 8, enough_to_fit = 12;
  const double largest = order.size.back();
  if (std::size_t first = order.below(largest - std::log(far_below)); order.rows.size() - first >= enough) order.forget(first);
  const Samples samples{names, points, values, order.weights(points.size())};
  const Rows& all = order.rows;
  // Judged on the two largest octaves where enough is left below them, on the largest, or on a third.
  std::size_t split = 2 * all.size() / 3;
  for (double octaves : {1.0, 2.0})
    if (std::size_t below = order.below(largest - octaves * std::log(2.0)); below >= enough_to_fit) split = below;
  const Rows train(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(split)), test(all.begin() + static_cast<std::ptrdiff_t>(split), all.end());
  std::vector<Candidate> candidates;
  for (const Scale& scale : scales) candidates.push_back(share_of(scale));
  const Expr n = symbol(names[0]);
  candidates.push_back(linear_in({1}));
  candidates.push_back(linear_in({1, n}));
  candidates.push_back(linear_in({1, call(Function::log2, {n})}));
  candidates.push_back(linear_in({n, n * call(Function::log2, {n})}));
  // What lies in all the parts of N that is halved until nothing is left: N f + 2 N - 2^(f+1) with f = floor(log2 N).
  const Expr f = call(Function::floor, {call(Function::log2, {n})});
  candidates.push_back(linear_in({n, n * f - 2 * power(2, f)}));
  candidates.push_back(linear_in({1, n, n * n}));
  candidates.push_back(linear_in({n * n, n * n * call(Function::log2, {n})}));
  // Every prime crosses out its multiples: N times the sum of 1/p.
  candidates.push_back(linear_in({n, n * call(Function::log2, {call(Function::log2, {n})})}));
  const std::size_t by_powers = candidates.size();
  candidates.push_back(exponential());
  candidates.push_back(power_law(0));
  candidates.push_back(power_law(1));
  Law best{Expr(values[all.back()]), 1};
  double least = INFINITY;
  for (std::size_t k = 0; k < candidates.size(); k++) {
    const Candidate& candidate = candidates[k];
    auto tried = candidate(samples, train);
    if (!tried) continue;
    double error = miss(*tried, samples, test);
    constexpr double foretold = 0.1;  // what grows beyond all measure must have done so as foretold
    if (error >= 0.999 * least || (k == by_powers && error > foretold)) continue;
    auto fitted = candidate(samples, all);
    if (!fitted || !std::isfinite(miss(*fitted, samples, all)) || !keeps_growing(*fitted, samples, all)) continue;
    least = error, best = {*fitted, error};
  }
  constexpr double no_law = 0.5;
  if (least > no_law)
    if (auto share = share_on_the_whole(values, scales); share && share->spread < least) return *share;
  return best;
}

namespace {

// The samples with a value, from the smallest size on.
Rows usable(const Samples& s) { return BySize(s.points, s.values).rows; }

bool has_negative_term(const Expr& law) {
  return std::ranges::any_of(law.kind() == Kind::sum ? law.parts() : std::vector<Expr>{law}, [](const Expr& term) { return split_number(term).number.value < 0; });
}

// Whether smaller samples tell a growth: the law found without the largest one foretells it, and what grows is most of it, or grows
// by the law from each sample to the next. Beside a large constant anything foretells the value itself: the digits of a number that is
// printed are no cube.
bool is_foretold(const std::vector<Expr>& functions, const Samples& s, const Rows& all) {
  constexpr double last = 0.2, each = 0.3, most = 0.5;
  if (all.size() < 3) return false;
  const Rows smaller(all.begin(), all.end() - 1), largest{all.back()};
  auto without = linear_in(functions)(s, smaller), with = linear_in(functions)(s, all);
  if (!without || !with || !(miss(*without, s, largest) < last)) return false;
  auto program = Program::compile(*with, s.names);
  if (!program) return false;
  auto seen = [&](std::size_t k) { return s.values[all[k]]; };
  auto told = [&](std::size_t k) { return (*program)(s.points[all[k]]); };
  if (told(all.size() - 1) - told(0) > most * told(all.size() - 1)) return true;
  for (std::size_t k = 1; k < all.size(); k++)
    if (const double growth = told(k) - told(k - 1); std::abs(seen(k) - seen(k - 1) - growth) > each * growth) return false;
  return true;
}

// The values scatter around the law by far less than it grows over the samples.
bool stands_out(const Expr& law, const Samples& s, const Rows& all) {
  constexpr double several = 4;
  auto program = Program::compile(law, s.names);
  if (!program) return false;
  double squares = 0, lowest = INFINITY, highest = 0;
  for (std::size_t r : all) {
    const double at = (*program)(s.points[r]);
    squares += std::pow(at - s.values[r], 2), lowest = std::min(lowest, at), highest = std::max(highest, at);
  }
  return highest - lowest > several * std::sqrt(squares / static_cast<double>(all.size()));
}

// A function grows about as the size or slower, when every parameter does.
bool is_mild(const Expr& function, const Samples& s, const Rows& all) {
  constexpr double factor = 8, most = 9;
  auto program = Program::compile(function, s.names);
  if (!program) return false;
  std::vector<double> point = s.points[all.back()];
  const double here = (*program)(point);
  for (double& x : point) x *= factor;
  return (*program)(point) <= most * here;
}

}  // namespace

Law law_in_scales(const std::vector<std::string>& names, const std::vector<std::vector<double>>& points, std::span<const double> values, std::span<const Scale> scales) {
  const Samples samples{names, points, values};
  const Rows all = usable(samples);
  Law best{all.empty() ? Expr(0) : Expr(values[all.back()]), 1};
  if (all.empty()) return best;
  double least = INFINITY;
  // Three samples go through nearly everything: what outgrows the size must have been foretold by the smaller ones.
  auto consider = [&](const std::vector<Expr>& functions) {
    auto fitted = linear_in(functions)(samples, all);
    if (!fitted || has_negative_term(*fitted)) return;
    if (!is_mild(functions.back(), samples, all) && !is_foretold(functions, samples, all)) return;
    // Simple ones come first: what follows must be clearly better.
    double error = miss(*fitted, samples, all);
    if (error < 0.7 * least - 1e-6) least = error, best = {*fitted, error};
  };
  consider({1});
  for (const Scale& scale : scales) consider({scale.expression});
  for (const Scale& scale : scales) consider({1, scale.expression});
  return best;
}

Law growth_law(const std::vector<std::string>& names, const std::vector<std::vector<double>>& points, std::span<const double> values, int most_degree) {
  const Samples samples{names, points, values};
  const Rows all = usable(samples);
  // Products of the parameters' powers, each beside a constant; low degrees first.
  struct Shape {
    Expr function;
    int degree = 0;
  };
  std::vector<Shape> shapes{{1, 0}};
  for (const auto& name : names) {
    std::vector<Shape> next;
    for (const Shape& shape : shapes)
      for (int k = 0; k <= 3; k++) next.push_back({shape.function * power(symbol(name), k), shape.degree + k});
    shapes = std::move(next);
  }
  std::ranges::stable_sort(shapes, {}, &Shape::degree);
  Law best{all.empty() ? Expr(0) : Expr(values[all.back()]), 1};
  double least = INFINITY;
  for (const Shape& shape : shapes) {
    if (shape.degree > most_degree) break;
    std::vector<Expr> functions{1, shape.function};
    if (shape.degree == 0) functions = {1};
    auto fitted = linear_in(functions)(samples, all);
    if (!fitted || has_negative_term(*fitted) || (shape.degree > 0 && !stands_out(*fitted, samples, all))) continue;
    double error = miss(*fitted, samples, all);
    if (error < 0.95 * least) least = error, best = {*fitted, error};
  }
  return best;
}

}  // namespace perfcast::expr
