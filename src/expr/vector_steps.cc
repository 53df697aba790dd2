// Counts of loops that take p elements at once while they last, then q at once where the compiler made a second such loop, then
// the rest one by one. Vectors of narrow elements make p 128 and more, for which a table of all residues would need more runs than
// there are. With x = N less the edges, a = x mod p and b = x mod q (q divides p), such loops run (x - a)/p, (a - b)/q and b times,
// and are entered where a > 0, a >= q, b > 0. Nests of them, triangular ones too, are polynomials in x, a and b: few unknowns, so that
// nearly every sample is a check.
#include <algorithm>
#include <cmath>

#include "expr/exact_system.h"
#include "expr/reconstruct.h"

namespace perfcast::expr {
namespace {

// The loops of one kind: what is missing at the edges, elements taken at once by the first and by the second (1: there is none).
struct StepSizes {
  int edge = 0, first = 1, second = 1;
};

enum class Where { always, left, second_runs, last_left };  // a > 0, a >= q, b > 0

// x^x a^left b^last, counted only where that holds.
struct StepTerm {
  int x = 0, left = 0, last = 0;
  Where where = Where::always;
};

double rest_of(double x, int step) { return x - step * std::floor(x / step); }

bool holds(Where where, double left, double last, const StepSizes& sizes) {
  switch (where) {
    case Where::always: return true;
    case Where::left: return left > 0;
    case Where::second_runs: return left >= sizes.second;
    case Where::last_left: return last > 0;
  }
  return false;
}

// All products up to a degree; with `entries` also how often the loops are entered.
std::vector<StepTerm> step_terms(const StepSizes& sizes, int degree, bool entries) {
  const bool two = sizes.second > 1;
  std::vector<StepTerm> terms;
  for (int x = 0; x <= degree; x++)
    for (int left = 0; x + left <= degree; left++)
      for (int last = 0; last <= (two ? degree - x - left : 0); last++) terms.push_back({x, left, last});
  for (int x = 0; entries && x < degree; x++) {
    terms.push_back({x, 0, 0, Where::left});
    if (!two) continue;
    terms.push_back({x, 0, 0, Where::second_runs});
    if (sizes.second > 2) terms.push_back({x, 0, 0, Where::last_left});  // of two elements none or one is left
    if (x + 1 < degree) terms.push_back({x, 1, 0, Where::second_runs});
  }
  return terms;
}

template <class Value>
Value term_value(const StepTerm& term, double n, const StepSizes& sizes, auto power_of, auto multiply) {
  const double x = n - sizes.edge, left = rest_of(x, sizes.first), last = rest_of(x, sizes.second);
  if (!holds(term.where, left, last, sizes)) return Value(0);
  return multiply(power_of(x, term.x), multiply(power_of(left, term.left), power_of(last, term.last)));
}

Expr term_expression(const StepTerm& term, const Expr& n, const StepSizes& sizes) {
  const Expr x = n - sizes.edge, left = call(Function::mod, {x, Expr(sizes.first)}), last = call(Function::mod, {x, Expr(sizes.second)});
  const Expr product = power(x, term.x) * power(left, term.left) * power(last, term.last);
  switch (term.where) {
    case Where::always: return product;
    case Where::left: return product * call(Function::min, {1, left});
    case Where::second_runs: return product * call(Function::step, {left - sizes.second});
    case Where::last_left: return product * call(Function::min, {1, last});
  }
  return product;
}

// How the largest values grow over two octaves, and one more: a rest that is multiplied does not grow itself. No form of a lower degree
// is left out, and few of higher ones are tried.
int step_degree(const std::vector<std::pair<double, double>>& samples) {
  constexpr int most = 3;
  constexpr double octaves = 2, below_a_whole = 0.3;
  double largest = 0, now = 0, then = 0;
  for (auto [n, value] : samples) largest = std::max(largest, n), now = std::max(now, value);
  for (auto [n, value] : samples)
    if (n <= largest / std::exp2(octaves)) then = std::max(then, value);
  if (!(then > 0)) return most;
  return std::clamp(1 + static_cast<int>(std::ceil(std::log2(now / then) / octaves - below_a_whole)), 1, most);
}

// Those of which the samples span more steps than a polynomial of the degree goes through, whatever it stands for.
std::vector<StepSizes> all_step_sizes(double span, int degree) {
  const double few = degree + 1.5;
  constexpr int edges[] = {0, 1, 2, -1}, firsts[] = {8, 16, 32, 64, 128, 256, 512, 12, 24, 48, 96, 192};
  std::vector<StepSizes> all;
  for (int first : firsts) {
    if (few * first > span) continue;
    const bool power_of_two = (first & (first - 1)) == 0;
    for (int second = 1; second < first; second *= 2)
      for (int edge : edges)
        if (second == 1 || power_of_two) all.push_back({edge, first, second});
  }
  return all;
}

}  // namespace

std::optional<ExactForm> Reconstructor::by_steps(std::span<const double> values, const std::vector<std::size_t>& rows) const {
  std::vector<std::pair<double, double>> samples;
  double largest = 0, smallest = INFINITY;
  for (std::size_t r : rows) samples.emplace_back(points_[r][0], values[r]), largest = std::max(largest, points_[r][0]), smallest = std::min(smallest, points_[r][0]);
  std::size_t found = 0;
  const std::vector<std::size_t> ordered = largest_last(rows, found);
  for (int degree = 1; degree <= step_degree(samples); degree++)
    for (bool entries : {false, true})
      for (const StepSizes& sizes : all_step_sizes(largest - smallest, degree)) {
        const std::vector<StepTerm> terms = step_terms(sizes, degree, entries);
        // Below p nothing tells what the first loop does; and as many samples as there are unknowns have to confirm them.
        const auto telling = std::ranges::count_if(samples, [&](const auto& sample) { return sample.first >= sizes.first; });
        if (telling < 2 * static_cast<std::ptrdiff_t>(terms.size())) continue;
        ModularSystem quick(terms.size());
        const bool possible = std::ranges::all_of(rows, [&](std::size_t r) {
          std::vector<std::uint64_t> row;
          for (const StepTerm& term : terms) row.push_back(term_value<std::uint64_t>(term, points_[r][0], sizes, ModularSystem::to_the, ModularSystem::multiply));
          row.push_back(ModularSystem::residue(values[r]));
          return quick.add(std::move(row));
        });
        if (!possible) continue;
        const auto solved = through_all(terms.size(), ordered, found, least_checks_, [&](std::size_t r) {
          std::vector<Rational> row;
          for (const StepTerm& term : terms) row.push_back(term_value<Rational>(term, points_[r][0], sizes, to_the, [](const Rational& a, const Rational& b) { return Rational(a * b); }));
          row.emplace_back(values[r]);
          return row;
        });
        if (!solved) continue;
        ExactForm form{{}, static_cast<int>(terms.size()), solved->checks, 0, degree, sizes.first};
        std::vector<Expr> all;
        for (std::size_t k = 0; k < terms.size(); k++) {
          auto number = to_expr(solved->values[k]);
          if (!number) return {};
          form.functions.push_back(term_expression(terms[k], symbol(names_[0]), sizes)), all.push_back(*number * form.functions.back());
        }
        form.expression = sum(std::move(all));
        return form;
      }
  return {};
}

}  // namespace perfcast::expr
