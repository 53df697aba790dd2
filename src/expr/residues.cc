// Counts that depend on what is left of N by a period: loops that are vectorised, unrolled or tiled, with their remainders.
//
// A polynomial of its own for every residue needs several samples of each, which long periods do not have. What a vectorised
// nest executes, N^2 floor(N/p) = N^3/p - N^2 mod(N, p)/p, has one term only that depends on the residue; the others are
// shared, so every sample beyond the first of a residue helps to find them.
#include <algorithm>
#include <cmath>
#include <map>

#include "expr/exact_system.h"
#include "expr/reconstruct.h"

namespace perfcast::expr {
namespace {

constexpr int most_coefficients = 7;

// pick(mod(N, period), ...), or the number itself where all are the same.
Expr by_residue(const Expr& n, const std::vector<Expr>& numbers) {
  if (std::ranges::all_of(numbers, [&](const Expr& number) { return number == numbers[0]; })) return numbers[0];
  std::vector<Expr> chosen{call(Function::mod, {n, Expr(static_cast<int>(numbers.size()))})};
  chosen.insert(chosen.end(), numbers.begin(), numbers.end());
  return call(Function::pick, chosen);
}

using Pairs = std::vector<std::pair<double, double>>;  // size and value

// Two samples of one residue without the term of power m that is theirs alone:
// x^m (value' - sum a_k x'^k) = x'^m (value - sum a_k x^k). One unknown for every other power up to `degree`.
template <class Value>
std::vector<Value> without_own_term(std::pair<double, double> first, std::pair<double, double> other, int m, int degree, auto power_of, auto number, auto difference) {
  const Value here = power_of(first.first, m), there = power_of(other.first, m);
  std::vector<Value> row;
  for (int k = 0; k <= degree; k++)
    if (k != m) row.push_back(difference(here, power_of(other.first, k), there, power_of(first.first, k)));
  row.push_back(difference(here, number(other.second), there, number(first.second)));
  return row;
}

// The shared coefficients, in the order of without_own_term; none where the samples contradict each other or are too few.
std::optional<std::vector<Rational>> shared_terms(const std::map<int, Pairs>& groups, int m, int degree, int least_checks, int& checks) {
  auto in_all_pairs = [&](auto use) {
    for (const auto& [residue, group] : groups)
      for (std::size_t k = 1; k < group.size(); k++)
        if (!use(group[0], group[k])) return false;
    return true;
  };
  ModularSystem quick(static_cast<std::size_t>(degree));
  auto modular_difference = [](std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) { return ModularSystem::difference(ModularSystem::multiply(a, b), ModularSystem::multiply(c, d)); };
  if (!in_all_pairs([&](auto first, auto other) { return quick.add(without_own_term<std::uint64_t>(first, other, m, degree, ModularSystem::to_the, ModularSystem::residue, modular_difference)); })) return {};
  ExactSystem exact(static_cast<std::size_t>(degree));
  auto number = [](double x) { return Rational(x); };
  auto difference = [](const Rational& a, const Rational& b, const Rational& c, const Rational& d) { return Rational(a * b - c * d); };
  if (!in_all_pairs([&](auto first, auto other) { return exact.add(without_own_term<Rational>(first, other, m, degree, to_the, number, difference)); })) return {};
  checks = exact.checks();
  if (!exact.determined() || checks < least_checks) return {};
  return exact.solution();
}

// The form of which the term of power m has a coefficient for each of `groups`, in x = N - missing; the sizes there are x.
std::optional<ExactForm> with_own_term(const std::map<int, Pairs>& groups, const Expr& n, int missing, int m, int degree, int least_checks) {
  int checks = 0;
  const auto shared = shared_terms(groups, m, degree, least_checks, checks);
  if (!shared) return {};
  const Expr x = n - missing;
  std::vector<Rational> coefficients = *shared;
  coefficients.insert(coefficients.begin() + m, 0);
  std::vector<Expr> terms, own;
  for (int k = 0; k <= degree; k++) {
    auto number = to_expr(coefficients[static_cast<std::size_t>(k)]);
    if (!number) return {};
    terms.push_back(*number * power(x, k));
  }
  for (const auto& [residue, group] : groups) {
    Rational left(group[0].second);
    for (int k = 0; k <= degree; k++) left -= coefficients[static_cast<std::size_t>(k)] * to_the(group[0].first, k);
    auto number = to_expr(left / to_the(group[0].first, m));
    if (!number) return {};
    own.push_back(*number);
  }
  terms.push_back(by_residue(n, own) * power(x, m));
  const int period = static_cast<int>(groups.size());
  return ExactForm{sum(std::move(terms)), degree + period, checks, 0, degree, period};
}

}  // namespace

// A polynomial for every residue.
std::optional<ExactForm> Reconstructor::by_residues(std::span<const double> values, const std::vector<std::size_t>& rows, int period) const {
  std::map<int, std::vector<std::pair<double, double>>> groups;
  for (std::size_t r : rows) groups[static_cast<int>(std::fmod(points_[r][0], period))].push_back({points_[r][0], values[r]});
  if (period > 1 && groups.size() < 2) return {};
  std::map<int, std::vector<Rational>> found;
  int checks = 0, unknowns = 0;
  std::size_t longest = 0;
  for (auto& [residue, group] : groups) {
    int own = 0;
    auto one = polynomial(group, most_coefficients, period == 1 ? least_checks_ : 1, own);
    if (!one) return {};
    checks += own, unknowns += static_cast<int>(one->size()), longest = std::max(longest, one->size());
    found[residue] = std::move(*one);
  }
  if (checks < least_checks_) return {};
  const Expr n = symbol(names_[0]);
  std::vector<Expr> terms;
  for (std::size_t k = 0; k < longest; k++) {
    std::vector<Expr> chosen;
    for (int residue = 0; residue < period; residue++) {
      // A residue no sample had (the program takes multiples of something only) borrows from the one below.
      auto it = found.upper_bound(residue);
      const auto& polynomial = it == found.begin() ? it->second : std::prev(it)->second;
      auto number = to_expr(k < polynomial.size() ? polynomial[k] : Rational(0));
      if (!number) return {};
      chosen.push_back(*number);
    }
    terms.push_back(by_residue(n, chosen) * power(n, static_cast<int>(k)));
  }
  return ExactForm{sum(std::move(terms)), unknowns, checks, 0, static_cast<int>(longest) - 1, period};
}

// A polynomial in N, N - 1 or N - 2 (what is left of a grid without its edges) of which one term, below the highest, has a
// coefficient for every residue. Half the residues have three samples: a single step goes through any two.
std::optional<ExactForm> Reconstructor::one_term_by_residue(std::span<const double> values, const std::vector<std::size_t>& rows, int period) const {
  constexpr int highest = 4, edges = 2;
  std::map<int, Pairs> groups;
  double smallest = INFINITY;
  for (std::size_t r : rows)
    groups[static_cast<int>(std::fmod(points_[r][0], period))].push_back({points_[r][0], values[r]}), smallest = std::min(smallest, points_[r][0]);
  const auto well_known = std::ranges::count_if(groups, [](const auto& group) { return group.second.size() >= 3; });
  if (static_cast<int>(groups.size()) < period || 2 * well_known < period) return {};
  for (int missing = 0; missing <= edges && smallest - missing >= 1; missing++) {
    for (int degree = 1; degree <= highest; degree++)
      for (int m = missing > 0 ? 1 : 0; m < degree; m++)  // a constant is the same for all
        if (auto form = with_own_term(groups, symbol(names_[0]), missing, m, degree, std::max(least_checks_, period / 2))) return form;
    for (auto& [residue, group] : groups)
      for (auto& [size, value] : group) size--;
  }
  return {};
}

}  // namespace perfcast::expr
