#include "expr/exact_system.h"

#include <algorithm>
#include <cmath>

namespace perfcast::expr {

bool is_whole(double x) { return x == std::floor(x) && std::abs(x) < 9e15; }

std::optional<Expr> to_expr(const Rational& r) {
  using Integer = boost::multiprecision::cpp_int;
  const Integer top = boost::multiprecision::numerator(r), bottom = boost::multiprecision::denominator(r);
  const Integer most = Integer(1) << 61;
  if (abs(top) > most || bottom > most) return {};
  return Expr(fraction(top.convert_to<std::int64_t>(), bottom.convert_to<std::int64_t>()));
}

Rational to_the(double base, int exponent) {
  Rational all = 1;
  for (int k = 0; k < exponent; k++) all *= Rational(base);
  return all;
}

std::optional<std::vector<Rational>> polynomial(const std::vector<std::pair<double, double>>& samples, int most, int least_checks, int& checks) {
  std::vector<Rational> newton;
  std::vector<Rational> nodes;
  auto at = [&](const Rational& x) {
    Rational value = 0;
    for (std::size_t k = newton.size(); k-- > 0;) value = value * (x - nodes[k]) + newton[k];
    return value;
  };
  checks = 0;
  for (auto [x, y] : samples) {
    Rational rx(x), miss = Rational(y) - at(rx);
    if (miss == 0) {
      checks++;
      continue;
    }
    if (static_cast<int>(newton.size()) == most) return {};
    // A new node: everything before agrees with the polynomial so far at the old nodes only.
    Rational scale = 1;
    for (const auto& node : nodes) scale *= rx - node;
    newton.push_back(miss / scale), nodes.push_back(rx);
    checks = 0;
  }
  // A check counts only if the final polynomial goes through it: verify all, since nodes came late.
  int agreeing = 0;
  for (auto [x, y] : samples) {
    if (at(Rational(x)) != Rational(y)) return {};
    agreeing++;
  }
  checks = agreeing - static_cast<int>(std::max<std::size_t>(newton.size(), 1));
  if (checks < least_checks) return {};
  std::vector<Rational> coefficients{0};
  for (std::size_t k = newton.size(); k-- > 0;) {  // Horner: c = c * (x - node) + newton
    std::vector<Rational> next(coefficients.size() + 1, 0);
    for (std::size_t i = 0; i < coefficients.size(); i++) next[i + 1] += coefficients[i], next[i] -= nodes[k] * coefficients[i];
    next[0] += newton[k];
    coefficients = std::move(next);
  }
  while (coefficients.size() > 1 && coefficients.back() == 0) coefficients.pop_back();
  return coefficients;
}

}  // namespace perfcast::expr
