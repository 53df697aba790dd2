// Simple forms in P and the parameters, through numbers that were counted.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "methods/parallel/parallel.h"

namespace perfcast::parallel {
namespace {

using Point = std::map<std::string, double>;

struct Monomial {
  std::string text;
  double value;
};

// Products of powers of one parameter with a power or logarithm of P.
std::vector<Monomial> monomials(const Point& at) {
  std::vector<Monomial> sizes = {{"1", 1}}, ranks = {{"1", 1}}, all;
  for (const auto& [name, v] : at) {
    if (name == "P") ranks = {{"1", 1}, {"1/P", 1 / v}, {"P", v}, {"log2(P)", std::log2(v)}, {"(P-1)", v - 1}, {"1/(P-1)", v > 1 ? 1 / (v - 1) : 0}};
    else sizes.insert(sizes.end(), {{name, v}, {name + "^2", v * v}, {name + "^3", v * v * v}});
  }
  for (const auto& s : sizes)
    for (const auto& r : ranks)
      all.push_back({s.text == "1" ? r.text : r.text == "1" ? s.text : r.text.starts_with("1/") ? s.text + r.text.substr(1) : s.text + "*" + r.text, s.value * r.value});
  return all;
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max({1e-300, std::abs(a), std::abs(b)}); }

std::string coefficient_text(double c, const std::string& term) {
  if (term == "1") return number_text(c, 9);
  if (near(c, 1)) return term;
  return number_text(c, 9) + (term.starts_with("1/") ? term.substr(1) : "*" + term);
}

}  // namespace

std::optional<Form> exact_form(const std::vector<Point>& points, const std::vector<double>& values, const Point& at) {
  if (points.empty()) return {};
  const auto wanted = monomials(at);
  std::vector<std::vector<Monomial>> seen;
  for (const auto& p : points) seen.push_back(monomials(p));
  if (std::ranges::all_of(values, [&](double v) { return near(v, values[0]); })) return Form{number_text(values[0], 9), values[0]};
  for (std::size_t t = 1; t < wanted.size(); t++) {
    if (seen[0][t].value == 0) continue;
    const double c = values[0] / seen[0][t].value;
    bool holds = true;
    for (std::size_t i = 0; i < points.size(); i++) holds = holds && near(values[i], c * seen[i][t].value);
    if (holds) return Form{coefficient_text(c, wanted[t].text), c * wanted[t].value};
  }
  // Two terms need more points than terms to be more than a guess; a constant and a term one more, any two two more.
  if (points.size() < 3) return {};
  for (std::size_t s = 0; s < (points.size() < 4 ? 1 : wanted.size()); s++)
    for (std::size_t t = s + 1; t < wanted.size(); t++) {
      const double a = seen[0][s].value, b = seen[0][t].value, c = seen.back()[s].value, d = seen.back()[t].value, det = a * d - b * c;
      if (std::abs(det) < 1e-12 * (std::abs(a * d) + std::abs(b * c))) continue;
      const double u = (values[0] * d - b * values.back()) / det, v = (a * values.back() - c * values[0]) / det;
      bool holds = true;
      for (std::size_t i = 0; i < points.size(); i++) holds = holds && near(values[i], u * seen[i][s].value + v * seen[i][t].value);
      const std::string second = coefficient_text(std::abs(v), wanted[t].text);
      if (holds) return Form{coefficient_text(u, wanted[s].text) + (v < 0 ? " - " : " + ") + second, u * wanted[s].value + v * wanted[t].value};
    }
  return {};
}

}  // namespace perfcast::parallel
