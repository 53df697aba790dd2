// Systems of equations and polynomials that hold exactly, or not at all.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "expr/expr.h"

namespace perfcast::expr {

using Rational = boost::multiprecision::cpp_rational;

bool is_whole(double x);                          // and small enough to be exact
std::optional<Expr> to_expr(const Rational& r);   // none: too long a fraction
Rational to_the(double base, int exponent);

// Rows added one by one to an echelon form; a row that contradicts the others ends it.
class ExactSystem {
 public:
  explicit ExactSystem(std::size_t unknowns) : unknowns_(unknowns), pivots_(unknowns) {}
  // False: contradiction.
  bool add(std::vector<Rational> row) {  // coefficients, then the right side
    for (std::size_t c = 0; c < unknowns_; c++) {
      if (row[c] == 0) continue;
      if (!pivots_[c].empty()) {
        const Rational factor = row[c];
        for (std::size_t k = c; k <= unknowns_; k++)
          if (pivots_[c][k] != 0) row[k] -= factor * pivots_[c][k];
        continue;
      }
      const Rational lead = row[c];
      for (std::size_t k = c; k <= unknowns_; k++) row[k] /= lead;
      pivots_[c] = std::move(row);
      rank_++;
      return true;
    }
    if (row[unknowns_] != 0) return false;
    checks_++;
    return true;
  }
  bool determined() const { return rank_ == unknowns_; }
  int checks() const { return checks_; }
  std::vector<Rational> solution() const {
    std::vector<Rational> x(unknowns_);
    for (std::size_t c = unknowns_; c-- > 0;) {
      x[c] = pivots_[c][unknowns_];
      for (std::size_t k = c + 1; k < unknowns_; k++) x[c] -= pivots_[c][k] * x[k];
    }
    return x;
  }

 private:
  std::size_t unknowns_, rank_ = 0;
  int checks_ = 0;
  std::vector<std::vector<Rational>> pivots_;
};

// The same modulo a prime: a contradiction there is one in fractions, and is found a thousand times faster. Most forms
// that are tried end here.
class ModularSystem {
 public:
  explicit ModularSystem(std::size_t unknowns) : unknowns_(unknowns), pivots_(unknowns) {}
  bool add(std::vector<std::uint64_t> row) {
    for (std::size_t c = 0; c < unknowns_; c++) {
      if (row[c] == 0) continue;
      if (!pivots_[c].empty()) {
        const std::uint64_t factor = prime - row[c];
        for (std::size_t k = c; k <= unknowns_; k++) row[k] = (row[k] + multiply(factor, pivots_[c][k])) % prime;
        continue;
      }
      const std::uint64_t inverse = power(row[c], prime - 2);
      for (std::size_t k = c; k <= unknowns_; k++) row[k] = multiply(row[k], inverse);
      pivots_[c] = std::move(row);
      return true;
    }
    return row[unknowns_] == 0;
  }
  static std::uint64_t residue(double x) { return x >= 0 ? static_cast<std::uint64_t>(x) % prime : prime - static_cast<std::uint64_t>(-x) % prime; }
  static std::uint64_t difference(std::uint64_t a, std::uint64_t b) { return (a + prime - b) % prime; }
  // 2^61 is 1 modulo the prime: what lies above the low 61 bits is added to them.
  static std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
    const Wide product = static_cast<Wide>(a) * b;
    const std::uint64_t folded = (static_cast<std::uint64_t>(product) & prime) + static_cast<std::uint64_t>(product >> 61);
    return folded >= prime ? folded - prime : folded;
  }
  static std::uint64_t to_the(double base, int exponent) { return power(residue(base), static_cast<std::uint64_t>(exponent)); }

 private:
  __extension__ typedef unsigned __int128 Wide;
  static constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
  static std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
    std::uint64_t result = 1;
    for (; exponent; exponent >>= 1, base = multiply(base, base))
      if (exponent & 1) result = multiply(result, base);
    return result;
  }
  std::size_t unknowns_;
  std::vector<std::vector<std::uint64_t>> pivots_;
};

// Coefficients that go through all samples, with how many of these were not needed to find them.
struct Coefficients {
  std::vector<Rational> values;
  int checks = 0;
};

// `row_of` gives the equation of a sample: coefficients, then the right side; empty where it has none. The first `found` samples
// have to determine the coefficients, the rest are checks.
std::optional<Coefficients> through_all(std::size_t unknowns, const std::vector<std::size_t>& samples, std::size_t found, int least_checks, auto row_of) {
  ExactSystem system(unknowns);
  for (std::size_t k = 0; k < samples.size(); k++) {
    if (k == found && !system.determined()) return {};
    std::vector<Rational> row = row_of(samples[k]);
    if (row.empty() || !system.add(std::move(row))) return {};
  }
  if (!system.determined() || system.checks() < least_checks) return {};
  return Coefficients{system.solution(), system.checks()};
}

// The polynomial of least degree through all (x, y), by divided differences; none when it has more than `most`
// coefficients or leaves no check.
std::optional<std::vector<Rational>> polynomial(const std::vector<std::pair<double, double>>& samples, int most, int least_checks, int& checks);

}  // namespace perfcast::expr
