#include "expr/reconstruct.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "expr/exact_system.h"
#include "expr/program.h"

namespace perfcast::expr {
namespace {

constexpr int short_periods[] = {2, 4, 8, 3, 5, 6, 7}, long_periods[] = {16, 32, 12, 10, 24, 20, 64};

}  // namespace

Reconstructor::Reconstructor(std::vector<std::string> names, std::vector<std::vector<double>> points, int least_checks)
    : names_(std::move(names)), points_(std::move(points)), least_checks_(least_checks) {
  order_.resize(points_.size());
  std::iota(order_.begin(), order_.end(), 0u);
  // A fixed shuffle: neighbours in size come apart.
  for (std::size_t i = order_.size(); i > 1; i--) std::swap(order_[i - 1], order_[(i * 2654435761u >> 7) % i]);
  if (names_.size() != 1) return;
  const Expr n = symbol(names_[0]), f = call(Function::floor, {call(Function::log2, {n})}), l = call(Function::log2, {n});
  const Expr top = power(2, f), e = power(2, n), root = call(Function::floor, {power(n, Expr(fraction(1, 2)))});
  const Expr half = power(2, call(Function::ceil, {l / 2}));
  bool powers = std::ranges::all_of(points_, [](const auto& p) { return p[0] >= 1 && std::exp2(std::round(std::log2(p[0]))) == p[0]; });
  bool small = std::ranges::all_of(points_, [](const auto& p) { return p[0] <= 40; });
  if (powers)
    special_ = {{{1, l}}, {{1, l, n}}, {{1, n, half}}, {{1, l, n, n * l}}, {{1, l, n, half, n * l}}, {{1, l, l * l, n, n * l}}, {{1, l, n, n * l, n * n, n * n * l}}, {{1, l, l * l, n, n * l, n * l * l}}};
  else
    special_ = {{{1, f}}, {{1, n, f}}, {{1, f, top}}, {{1, n, f, n * f}}, {{1, n, f, n * f, top}}, {{1, n, n * n, f, n * f, n * n * f}}, {{1, n, f, n * f, top, f * top}},
                {{1, root}}, {{1, n, root}}, {{1, n, f, f * f, n * f, top, f * top}}};
  if (small) special_.insert(special_.begin(), {{{1, e}}, {{1, n, e}}, {{1, n, e, n * e}}, {{1, n, n * n, e, n * e}}, {{1, n, e, n * e, e * e}}});
  for (Basis& basis : special_) basis.by_octaves = true;
}

std::pair<std::vector<std::size_t>, std::size_t> Reconstructor::found_and_checked(const Basis& basis, std::vector<std::size_t> rows) const {
  if (!basis.by_octaves) return {rows, rows.size()};
  auto octave = [&](std::size_t row) { return std::floor(std::log2(std::max(1.0, points_[row][0]))); };
  double last = 0;
  for (std::size_t row : rows) last = std::max(last, octave(row));
  auto checks = std::ranges::stable_partition(rows, [&](std::size_t row) { return octave(row) < last; });
  const auto found = static_cast<std::size_t>(checks.begin() - rows.begin());
  return {std::move(rows), found};
}

std::vector<std::size_t> Reconstructor::largest_last(std::vector<std::size_t> rows, std::size_t& found) const {
  auto size = [&](std::size_t row) { return std::accumulate(points_[row].begin(), points_[row].end(), 1.0, [](double all, double x) { return all * std::max(1.0, x); }); };
  std::vector<double> sizes;
  for (std::size_t row : rows) sizes.push_back(size(row));
  std::ranges::sort(sizes);
  constexpr std::size_t part = 8;
  const double limit = sizes.empty() ? 0 : sizes[sizes.size() - 1 - (sizes.size() - 1) / part];
  auto checks = std::ranges::stable_partition(rows, [&](std::size_t row) { return size(row) < limit; });
  found = static_cast<std::size_t>(checks.begin() - rows.begin());
  return rows;
}

std::optional<ExactForm> Reconstructor::solve(const Basis& basis, std::span<const double> values, const std::vector<std::size_t>& rows) const {
  const std::size_t unknowns = basis.functions.size();
  if (rows.size() < unknowns + static_cast<std::size_t>(least_checks_)) return {};
  std::vector<Program> programs;
  for (const Expr& function : basis.functions) {
    auto program = Program::compile(function, names_);
    if (!program) return {};
    programs.push_back(std::move(*program));
  }
  const auto [ordered, found] = found_and_checked(basis, rows);
  auto row_of = [&](std::size_t r) {
    std::vector<double> row;
    for (const Program& program : programs) {
      row.push_back(program(points_[r]));
      if (!is_whole(row.back())) return std::vector<double>{};
    }
    row.push_back(values[r]);
    return row;
  };
  ModularSystem quick(unknowns);
  for (std::size_t r : ordered) {
    const std::vector<double> row = row_of(r);
    std::vector<std::uint64_t> residues;
    for (double x : row) residues.push_back(ModularSystem::residue(x));
    if (row.empty() || !quick.add(std::move(residues))) return {};
  }
  const auto solved = through_all(unknowns, ordered, found, least_checks_, [&](std::size_t r) {
    const std::vector<double> row = row_of(r);
    return std::vector<Rational>(row.begin(), row.end());
  });
  if (!solved) return {};
  std::vector<Expr> terms;
  for (std::size_t k = 0; k < unknowns; k++) {
    auto number = to_expr(solved->values[k]);
    if (!number) return {};
    terms.push_back(*number * basis.functions[k]);
  }
  return ExactForm{sum(std::move(terms)), static_cast<int>(unknowns), solved->checks, 0, basis.degree, basis.period};
}

std::optional<ExactForm> Reconstructor::one_parameter(std::span<const double> values, const std::vector<std::size_t>& rows) const {
  if (auto form = by_residues(values, rows, 1)) return form;
  auto by_any = [&](std::span<const int> periods) -> std::optional<ExactForm> {
    for (int period : periods)
      if (static_cast<int>(rows.size()) >= 2 * period + least_checks_)
        if (auto form = by_residues(values, rows, period)) return form;
    return {};
  };
  if (auto form = by_any(short_periods)) return form;
  // Long ones as the steps of a few loops, where they are that: a table of all residues has fewer checks.
  if (auto form = by_steps(values, rows)) return form;
  if (auto form = by_any(long_periods)) return form;
  for (const Basis& basis : special_)
    if (auto form = solve(basis, values, rows)) return form;
  constexpr int longest_table = 64;
  for (int period = 2; period <= longest_table; period++)
    if (auto form = one_term_by_residue(values, rows, period)) return form;
  return {};
}

// What a count is in each parameter alone, where the others stand still: a polynomial's degree and period, on the longest such line,
// or the largest it has on any of them. On one line it may vanish (what is left of M by 4, where M is a multiple of it).
std::optional<ExactForm> Reconstructor::in_one(std::size_t parameter, std::span<const double> values, bool everywhere) const {
  std::map<std::vector<double>, std::vector<std::size_t>> lines;
  for (std::size_t k = 0; k < points_.size(); k++) {
    std::vector<double> others = points_[k];
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(parameter));
    lines[others].push_back(k);
  }
  constexpr std::size_t shortest = 4;
  std::optional<ExactForm> shape;
  std::size_t longest = 0;
  for (const auto& [others, rows] : lines) longest = std::max(longest, rows.size());
  for (const auto& [others, rows] : lines) {
    if (rows.size() < (everywhere ? shortest : std::max(shortest, longest))) continue;
    std::vector<std::vector<double>> line;
    std::vector<double> there;
    for (std::size_t k : rows) line.push_back({points_[k][parameter]}), there.push_back(values[k]);
    auto form = Reconstructor({names_[parameter]}, std::move(line), 1).exact(there);
    if (!form && rows.size() == longest) return {};  // where it could have been found
    if (!form) continue;
    if (!shape) shape = form;
    // Loops that take many elements at once are seen on long lines only, and say more than a table of residues.
    if (shape->functions.size() < form->functions.size()) shape->functions = form->functions;
    shape->degree = std::max(shape->degree, form->degree), shape->period = std::lcm(shape->period, form->period);
  }
  return shape;
}

namespace {

// Powers up to the degree of a form, and those below it for each residue.
std::vector<Expr> powers_by_residue(const Expr& n, const ExactForm& shape) {
  std::vector<Expr> all;
  for (int k = 0; k <= shape.degree; k++) all.push_back(power(n, k));
  for (int residue = 1; residue < shape.period; residue++) {
    std::vector<Expr> chosen{call(Function::mod, {n, Expr(shape.period)})};
    for (int r = 0; r < shape.period; r++) chosen.emplace_back(r == residue ? 1 : 0);
    for (int k = 0; k < std::max(1, shape.degree); k++) all.push_back(power(n, k) * call(Function::pick, chosen));
  }
  return all;
}

}  // namespace

// The product of what it is in each of them, with coefficients from all samples.
std::optional<ExactForm> Reconstructor::product_of_lines(std::span<const double> values, bool everywhere) const {
  constexpr std::size_t most_unknowns = 64;
  std::vector<Expr> functions{1};
  ExactForm shape;
  for (std::size_t p = 0; p < names_.size(); p++) {
    auto line = in_one(p, values, everywhere);
    if (!line || line->degree > 6) return {};
    const std::vector<Expr> own = line->functions.empty() ? powers_by_residue(symbol(names_[p]), *line) : line->functions;
    std::vector<Expr> next;
    for (const Expr& a : functions)
      for (const Expr& b : own) next.push_back(a * b);
    functions = std::move(next);
    if (functions.size() > most_unknowns || functions.size() + static_cast<std::size_t>(least_checks_) > points_.size()) return {};
    shape.degree = std::max(shape.degree, line->degree), shape.period = std::max(shape.period, line->period);
  }
  return solve({functions, shape.degree, shape.period}, values, order_);
}

std::optional<ExactForm> Reconstructor::several_parameters(std::span<const double> values) const {
  for (bool everywhere : {false, true})
    if (auto form = product_of_lines(values, everywhere)) return form;
  // Powers of each parameter up to a degree, and its remainder by a period, multiplied with those of the others.
  for (int period : {1, 2, 4, 8})
    for (int degree : {1, 2, 3}) {
      std::vector<Expr> functions{1};
      for (const auto& name : names_) {
        const Expr n = symbol(name), rest = call(Function::mod, {n, Expr(period)});
        std::vector<Expr> own{1}, next;
        for (int k = 1; k <= degree; k++) own.push_back(power(n, k));
        if (period > 1) {
          own.push_back(rest);
          if (degree > 1) own.push_back(n * rest);
        }
        for (const Expr& a : functions)
          for (const Expr& b : own) next.push_back(a * b);
        functions = std::move(next);
      }
      if (functions.size() > 48 || functions.size() + static_cast<std::size_t>(least_checks_) > points_.size()) continue;
      if (auto form = solve({functions, degree, period}, values, order_)) return form;
    }
  return {};
}

std::optional<ExactForm> Reconstructor::exact(std::span<const double> values) const {
  for (double value : values)
    if (!is_whole(value)) return {};
  for (const auto& point : points_)
    for (double x : point)
      if (!is_whole(x)) return {};
  if (names_.size() > 1) {
    bool constant = std::ranges::all_of(values, [&](double v) { return v == values[0]; });
    if (constant && !values.empty()) return ExactForm{Expr(values[0]), 1, static_cast<int>(values.size()) - 1, 0, 0, 1};
    if (auto form = several_parameters(values)) return form;
    if (auto form = in_the_product(values)) return form;
    return beyond_short_lines(values);
  }
  if (auto form = one_parameter(values, order_)) return form;
  // Loops of fixed minimum length behave differently below it: leave out the smallest third, or two thirds.
  std::vector<double> sizes;
  for (const auto& point : points_) sizes.push_back(point[0]);
  std::ranges::sort(sizes);
  for (std::size_t third : {1u, 2u}) {
    constexpr double wide = 3;  // what is left after two thirds must still tell how it grows
    const double from = sizes[third * sizes.size() / 3];
    if (third > 1 && sizes.back() < wide * from) break;
    std::vector<std::size_t> rows;
    for (std::size_t r : order_)
      if (points_[r][0] >= from) rows.push_back(r);
    auto form = one_parameter(values, rows);
    if (!form) continue;
    form->from = from;
    return form;
  }
  return {};
}

// A loop over all elements at once depends on the product of the parameters alone.
std::optional<ExactForm> Reconstructor::in_the_product(std::span<const double> values) const {
  std::vector<Expr> all;
  for (const auto& name : names_) all.push_back(symbol(name));
  std::map<double, double> known;
  for (std::size_t k = 0; k < points_.size(); k++) {
    const double size = std::accumulate(points_[k].begin(), points_[k].end(), 1.0, std::multiplies<>());
    if (auto [it, fresh] = known.try_emplace(size, values[k]); !fresh && it->second != values[k]) return {};
  }
  std::vector<std::vector<double>> sizes;
  std::vector<double> there;
  for (auto [size, value] : known) sizes.push_back({size}), there.push_back(value);
  const std::string product_name = "product";
  auto form = Reconstructor({product_name}, std::move(sizes), least_checks_).exact(there);
  if (!form || form->from > 0) return {};
  form->expression = substitute(form->expression, std::map<std::string, Expr>{{product_name, product(std::move(all))}}), form->functions.clear();
  return form;
}

// Loops in one of the parameters that are another below a minimum length: without the samples below it.
std::optional<ExactForm> Reconstructor::beyond_short_lines(std::span<const double> values) const {
  constexpr double from = 64;  // beyond the short lines that are run (frontends/scaling/sizes.cc)
  constexpr std::size_t fewest = 24;
  for (std::size_t p = 0; p < names_.size(); p++) {
    std::vector<std::vector<double>> points;
    std::vector<double> there;
    int far = 0;  // samples beyond them in every parameter: what was left out of one must not be all that counts
    for (std::size_t k = 0; k < points_.size(); k++) {
      if (points_[k][p] < from) continue;
      points.push_back(points_[k]), there.push_back(values[k]), far += std::ranges::min(points_[k]) >= from;
    }
    if (points.size() < fewest || points.size() == points_.size() || far < least_checks_) continue;
    auto form = Reconstructor(names_, std::move(points), least_checks_).several_parameters(there);
    if (!form) continue;
    form->from = from;
    return form;
  }
  return {};
}

// The bases a hidden count may multiply, evaluated at the samples once: many counts are tried with many hidden ones.
const std::vector<Reconstructor::Evaluated>& Reconstructor::bases_with_hidden() const {
  if (!evaluated_.empty()) return evaluated_;
  std::vector<Basis> bases;
  for (int period : {1, 2, 4, 8})
    for (int degree : {0, 1, 2, 3}) {
      Basis basis{{1}, degree, period};
      for (const auto& name : names_) {
        std::vector<Expr> next;
        for (const Expr& a : basis.functions)
          for (int k = 0; k <= degree; k++)
            for (int residue = 0; residue < period; residue++) {
              std::vector<Expr> chosen{call(Function::mod, {symbol(name), Expr(period)})};
              for (int r = 0; r < period; r++) chosen.emplace_back(r == residue ? 1 : 0);
              next.push_back(period == 1 ? a * power(symbol(name), k) : a * power(symbol(name), k) * call(Function::pick, chosen));
            }
        basis.functions = std::move(next);
      }
      bases.push_back(std::move(basis));
    }
  bases.insert(bases.end(), special_.begin(), special_.end());
  for (Basis& basis : bases) {
    Evaluated evaluated{basis, {}};
    auto program = Program::compile(basis.functions, names_);
    if (!program) continue;
    bool whole = true;
    for (const auto& point : points_) {
      std::vector<double> row(basis.functions.size());
      program->evaluate(point, row);
      whole = whole && std::ranges::all_of(row, is_whole);
      evaluated.at.push_back(std::move(row));
    }
    if (whole) evaluated_.push_back(std::move(evaluated));
  }
  return evaluated_;
}

std::optional<ExactForm> Reconstructor::exact_with(std::span<const double> values, std::span<const Hidden> hidden) const {
  constexpr std::size_t most_unknowns = 48;
  if (!std::ranges::all_of(values, is_whole)) return {};
  for (const Hidden& h : hidden)
    if (!std::ranges::all_of(h.values, is_whole)) return {};
  std::size_t below_the_largest = 0;
  const std::vector<std::size_t> by_size = largest_last(order_, below_the_largest);
  for (const auto& [basis, at] : bases_with_hidden()) {
    const std::size_t each = basis.functions.size(), unknowns = each * (1 + hidden.size());
    // Where a hidden count is 0 nothing is learnt about what it multiplies.
    auto tells = [&](const Hidden& h) { return h.values.size() - static_cast<std::size_t>(std::ranges::count(h.values, 0.0)) >= each + static_cast<std::size_t>(least_checks_); };
    if (!std::ranges::all_of(hidden, tells)) continue;
    if (unknowns > most_unknowns || points_.size() < unknowns + static_cast<std::size_t>(least_checks_)) continue;
    bool holds = true;
    ModularSystem quick(unknowns);
    for (std::size_t k = 0; k < order_.size() && holds; k++) {
      const std::size_t r = order_[k];
      std::vector<std::uint64_t> row;
      for (double x : at[r]) row.push_back(ModularSystem::residue(x));
      for (const Hidden& h : hidden)
        for (std::size_t f = 0; f < each; f++) row.push_back(ModularSystem::multiply(row[f], ModularSystem::residue(h.values[r])));
      row.push_back(ModularSystem::residue(values[r]));
      holds = quick.add(std::move(row));
    }
    if (!holds) continue;
    // With so many unknowns a form must follow from smaller samples and hold at the largest.
    const auto [ordered, found] = basis.by_octaves ? found_and_checked(basis, order_) : std::pair(by_size, below_the_largest);
    const auto solved = through_all(unknowns, ordered, found, least_checks_, [&](std::size_t r) {
      std::vector<Rational> row(at[r].begin(), at[r].end());
      for (const Hidden& h : hidden)
        for (std::size_t f = 0; f < each; f++) row.push_back(row[f] * Rational(h.values[r]));
      row.emplace_back(values[r]);
      return row;
    });
    if (!solved) continue;
    std::vector<Expr> terms;
    for (std::size_t k = 0; k < unknowns; k++) {
      auto number = to_expr(solved->values[k]);
      if (!number) return {};
      const Expr term = *number * basis.functions[k % each];
      terms.push_back(k < each ? term : term * symbol(hidden[k / each - 1].name));
    }
    return ExactForm{sum(std::move(terms)), static_cast<int>(unknowns), solved->checks, 0, basis.degree, basis.period};
  }
  return {};
}

}  // namespace perfcast::expr
