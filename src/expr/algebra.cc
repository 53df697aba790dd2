#include "expr/algebra.h"

#include <ginac/ginac.h>

#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "expr/arithmetic.h"
#include "expr/print.h"

namespace perfcast::expr {
namespace {

// Thrown where GiNaC would make a number or a sum of unreasonable size; the expression is then left as it is.
struct TooLarge {};
constexpr double most_bits = 20'000, most_terms = 20'000;

// One conversation with GiNaC: our symbols, and calls of functions it does not know, as its symbols and back.
class Bridge {
 public:
  GiNaC::ex to(const Expr& e) {
    switch (e.kind()) {
      case Kind::number: return number(e.node().number);
      case Kind::symbol: return symbol_for(e.node().name, e);
      case Kind::sum: {
        GiNaC::exvector terms;
        for (const Expr& part : e.parts()) terms.push_back(to(part));
        return GiNaC::add(terms);
      }
      case Kind::product: {
        GiNaC::ex all = 1;
        for (const Expr& part : e.parts()) all *= to(part);
        return all;
      }
      case Kind::power: return power(to(e.parts()[0]), to(e.parts()[1]));
      case Kind::call: return call(e);
    }
    throw Bug("an expression of no kind");
  }

  Expr from(const GiNaC::ex& x) const {
    if (GiNaC::is_a<GiNaC::numeric>(x)) return from_number(GiNaC::ex_to<GiNaC::numeric>(x));
    if (GiNaC::is_a<GiNaC::symbol>(x)) return meaning_.at(GiNaC::ex_to<GiNaC::symbol>(x).get_name());
    std::vector<Expr> parts;
    parts.reserve(x.nops());
    for (std::size_t i = 0; i < x.nops(); i++) parts.push_back(from(x.op(i)));
    if (GiNaC::is_a<GiNaC::add>(x)) return sum(in_order(std::move(parts)));
    if (GiNaC::is_a<GiNaC::mul>(x)) return product(in_order(std::move(parts)));
    if (GiNaC::is_a<GiNaC::power>(x)) return expr::power(parts[0], parts[1]);
    if (GiNaC::is_a<GiNaC::function>(x)) {
      std::string name = GiNaC::ex_to<GiNaC::function>(x).get_name();
      if (name == "log") return expr::call(Function::log, parts);
      if (name == "exp") return expr::call(Function::exp, parts);
    }
    throw TooLarge{};  // a form we do not use: leave the expression as it was
  }

  GiNaC::symbol symbol_for(const std::string& key, const Expr& meaning) {
    auto [it, fresh] = symbols_.try_emplace(key, key);
    if (fresh) meaning_.emplace(key, meaning);
    return it->second;
  }
  // Functions carried through as unknowns: key and what they stand for.
  const std::map<std::string, Expr>& opaque() const { return opaque_; }

 private:
  // GiNaC orders by where its types lie in memory: another order on another machine, and other last digits of a sum.
  static std::vector<Expr> in_order(std::vector<Expr> parts) {
    std::vector<std::pair<std::string, Expr>> named;
    for (Expr& part : parts) {
      std::string name = text(part);
      named.push_back({std::move(name), std::move(part)});
    }
    std::ranges::stable_sort(named, {}, &std::pair<std::string, Expr>::first);
    parts.clear();
    for (auto& [name, part] : named) parts.push_back(std::move(part));
    return parts;
  }
  static GiNaC::ex number(const Number& n) {
    if (!n.exact) return GiNaC::numeric(n.value);
    return GiNaC::numeric(static_cast<long>(n.top)) / GiNaC::numeric(static_cast<long>(n.bottom));
  }
  static GiNaC::ex power(const GiNaC::ex& base, const GiNaC::ex& exponent) {
    if (GiNaC::is_a<GiNaC::numeric>(base) && GiNaC::is_a<GiNaC::numeric>(exponent)) {
      const auto &b = GiNaC::ex_to<GiNaC::numeric>(base), &e = GiNaC::ex_to<GiNaC::numeric>(exponent);
      if (b.is_zero() && !e.is_positive()) throw TooLarge{};
      double size = std::abs(e.to_double()) * (b.is_rational() ? b.numer().int_length() + b.denom().int_length() : 64);
      if (!(size < most_bits)) throw TooLarge{};
    }
    return GiNaC::pow(base, exponent);
  }
  GiNaC::ex call(const Expr& e) {
    Function function = e.node().function;
    if (function == Function::exp) return GiNaC::exp(to(e.parts()[0]));
    if (function == Function::log) {
      GiNaC::ex inner = to(e.parts()[0]);
      if (inner.is_zero()) throw TooLarge{};
      return GiNaC::log(inner);
    }
    std::vector<Expr> arguments;
    for (const Expr& part : e.parts()) arguments.push_back(simplify(part));
    Expr canonical = expr::call(function, std::move(arguments));
    if (auto folded = fold(canonical)) return to(*folded);
    std::string key = "\x01" + text(canonical);
    opaque_.emplace(key, canonical);
    return symbol_for(key, canonical);
  }
  // Functions of numbers, where the result is exact.
  static std::optional<Expr> fold(const Expr& e) {
    bool numbers = std::ranges::all_of(e.parts(), [](const Expr& part) { return part.is_number(); });
    if (!numbers || e.node().function == Function::log2) {
      if (e.node().function == Function::pick && e.parts()[0].is_number()) return picked(e);
      if (!numbers) return {};
    }
    auto value = evaluate(e, {});
    if (!value || e.node().function == Function::dirac) return {};
    if (e.node().function == Function::log2 && *value != std::floor(*value)) return {};
    return Expr(*value);
  }
  static std::optional<Expr> picked(const Expr& e) {
    double k = e.parts()[0].node().number.value;
    if (k < 0 || k + 1 >= static_cast<double>(e.parts().size())) return {};
    return e.parts()[1 + static_cast<std::size_t>(k)];
  }
  static Expr from_number(const GiNaC::numeric& n) {
    if (!n.is_real()) throw TooLarge{};
    if (n.is_rational() && n.numer().int_length() < 62 && n.denom().int_length() < 62)
      return Expr(fraction(n.numer().to_long(), n.denom().to_long()));
    double value = n.to_double();
    if (!std::isfinite(value)) throw TooLarge{};
    return Expr(value);
  }

  std::map<std::string, GiNaC::symbol> symbols_;
  std::map<std::string, Expr> meaning_, opaque_;
};

// An upper bound on the number of terms after expansion.
double terms_after_expansion(const Expr& e) {
  double terms = 1;
  switch (e.kind()) {
    case Kind::sum:
      terms = 0;
      for (const Expr& part : e.parts()) terms += terms_after_expansion(part);
      return terms;
    case Kind::product:
      for (const Expr& part : e.parts()) terms *= terms_after_expansion(part);
      return terms;
    case Kind::power: {
      double base = terms_after_expansion(e.parts()[0]);
      if (base == 1 || !e.parts()[1].is_number()) return 1;
      double exponent = e.parts()[1].node().number.value;
      return exponent > 0 ? std::pow(base, exponent) : 1;
    }
    default: return 1;
  }
}

// Applies `work`; what GiNaC cannot do leaves the expression as it is.
template <class Work>
Expr guarded(const Expr& expression, Work work) {
  try {
    Bridge bridge;
    return bridge.from(work(bridge.to(expression)));
  } catch (const TooLarge&) {
    return expression;
  } catch (const Bug&) {
    throw;
  } catch (const std::exception&) {  // GiNaC: a pole, an overflow
    return expression;
  }
}

Expr outer_derivative(const Expr& e, const std::string& name) {
  const auto& parts = e.parts();
  auto inner = [&](std::size_t i) { return derivative(parts[i], name); };
  switch (e.node().function) {
    case Function::log2: return inner(0) / (parts[0] * call(Function::log, {2}));
    case Function::floor:
    case Function::ceil: return 0;
    case Function::abs: return (2 * call(Function::step, {parts[0]}) - 1) * inner(0);
    case Function::step: return call(Function::dirac, {parts[0]}) * inner(0);
    case Function::dirac: return 0;
    case Function::mod: return inner(0) - call(Function::floor, {parts[0] / parts[1]}) * inner(1);
    case Function::pick: {
      std::vector<Expr> all{parts[0]};
      for (std::size_t i = 1; i < parts.size(); i++) all.push_back(inner(i));
      bool zero = std::all_of(all.begin() + 1, all.end(), [](const Expr& x) { return x.is_number(0); });
      return zero ? Expr(0) : call(Function::pick, all);
    }
    case Function::min:
    case Function::max: {
      bool least = e.node().function == Function::min;
      Expr value = parts[0], slope = inner(0);
      for (std::size_t i = 1; i < parts.size(); i++) {
        Expr keep = call(Function::step, {least ? parts[i] - value : value - parts[i]});
        slope = keep * slope + (1 - keep) * inner(i);
        value = call(e.node().function, {value, parts[i]});
      }
      return slope;
    }
    default: throw Bug("GiNaC differentiates this function itself");
  }
}

// For what GiNaC refused to take: the rules of school.
Expr plain_derivative(const Expr& e, const std::string& name) {
  const auto& parts = e.parts();
  switch (e.kind()) {
    case Kind::number: return 0;
    case Kind::symbol: return e.node().name == name ? 1 : 0;
    case Kind::sum: {
      std::vector<Expr> terms;
      terms.reserve(parts.size());
      for (const Expr& part : parts) terms.push_back(plain_derivative(part, name));
      return sum(std::move(terms));
    }
    case Kind::product: {
      std::vector<Expr> terms;
      for (std::size_t i = 0; i < parts.size(); i++) {
        std::vector<Expr> factors = parts;
        factors[i] = plain_derivative(parts[i], name);
        terms.push_back(product(std::move(factors)));
      }
      return sum(std::move(terms));
    }
    case Kind::power: {
      Expr base = plain_derivative(parts[0], name), exponent = plain_derivative(parts[1], name);
      Expr result = parts[1] * power(parts[0], parts[1] - 1) * base;
      return exponent.is_number(0) ? result : result + e * call(Function::log, {parts[0]}) * exponent;
    }
    case Kind::call:
      if (e.node().function == Function::log) return plain_derivative(parts[0], name) / parts[0];
      if (e.node().function == Function::exp) return e * plain_derivative(parts[0], name);
      return outer_derivative(e, name);
  }
  return 0;
}

// 1^k + ... + n^k as a polynomial in n: sum over j of C(k+1, j) B_j n^(k+1-j) / (k+1), with B_1 = +1/2.
GiNaC::ex power_sum(unsigned k, const GiNaC::ex& n) {
  GiNaC::ex total = 0;
  for (unsigned j = 0; j <= k; j++) {
    GiNaC::numeric bernoulli = j == 1 ? GiNaC::numeric(1, 2) : GiNaC::bernoulli(GiNaC::numeric(static_cast<long>(j)));
    total += GiNaC::binomial(GiNaC::numeric(static_cast<long>(k + 1)), GiNaC::numeric(static_cast<long>(j))) * bernoulli * GiNaC::pow(n, k + 1 - j);
  }
  return total / (k + 1);
}

}  // namespace

Expr expand(const Expr& expression) {
  if (terms_after_expansion(expression) > most_terms) return expression;
  return guarded(expression, [](const GiNaC::ex& x) { return x.expand(); });
}

Expr simplify(const Expr& expression) {
  Expr joined = guarded(expression, [](const GiNaC::ex& x) { return x; });
  Expr expanded = expand(expression);
  return expanded.size() <= joined.size() ? expanded : joined;
}

Expr normal(const Expr& expression) {
  if (terms_after_expansion(expression) > 2000) return expression;
  return guarded(expression, [](const GiNaC::ex& x) { return x.normal(); });
}

Result<std::vector<Expr>> coefficients(const Expr& expression, const std::string& name) {
  auto refuse = [&](const std::string& why) { return unfit("not a polynomial in " + name + why, text(expression, {6})); };
  if (terms_after_expansion(expression) > most_terms) return refuse(": too many terms");
  try {
    Bridge bridge;
    GiNaC::symbol x = bridge.symbol_for(name, symbol(name));
    GiNaC::ex all = bridge.to(expression).expand();
    for (const auto& [key, call] : bridge.opaque())
      if (depends_on(call, name) && all.has(bridge.symbol_for(key, call))) return refuse("");
    if (!all.is_polynomial(x)) return refuse("");
    std::vector<Expr> list;
    for (int k = 0; k <= all.degree(x); k++) list.push_back(bridge.from(all.coeff(x, k)));
    return list;
  } catch (const TooLarge&) {
    return refuse("");
  } catch (const Bug&) {
    throw;
  } catch (const std::exception&) {
    return refuse("");
  }
}

Expr collect(const Expr& expression, const std::string& name) {
  auto list = coefficients(expression, name);
  if (!list) return expression;
  std::vector<Expr> terms;
  terms.reserve(list->size());
  for (std::size_t k = 0; k < list->size(); k++) terms.push_back((*list)[k] * power(symbol(name), static_cast<int>(k)));
  return sum(std::move(terms));
}

Expr derivative(const Expr& expression, const std::string& name) {
  if (!depends_on(expression, name)) return 0;
  try {
    Bridge bridge;
    GiNaC::ex all = bridge.to(expression);
    Expr result = bridge.from(all.diff(bridge.symbol_for(name, symbol(name))));
    auto opaque = bridge.opaque();
    for (const auto& [key, call] : opaque) {
      if (!depends_on(call, name)) continue;
      Expr inner = outer_derivative(call, name);
      if (!inner.is_number(0)) result = result + bridge.from(all.diff(bridge.symbol_for(key, call))) * inner;
    }
    return simplify(result);
  } catch (const TooLarge&) {
    return plain_derivative(expression, name);
  } catch (const Bug&) {
    throw;
  } catch (const std::exception&) {
    return plain_derivative(expression, name);
  }
}

std::map<std::string, Expr> gradient(const Expr& expression) {
  std::map<std::string, Expr> all;
  for (const auto& name : symbols_of(expression)) all.emplace(name, derivative(expression, name));
  return all;
}

Result<Expr> sum_over(const Expr& body, const std::string& name, const Expr& from, const Expr& to) {
  TRY(std::vector<Expr> list, coefficients(body, name));
  if (list.size() > 60) return unfit("the degree is too high to be summed", text(body, {6}));
  try {
    Bridge bridge;
    GiNaC::ex below = bridge.to(from) - 1, above = bridge.to(to), total = 0;
    for (unsigned k = 0; k < list.size(); k++)
      total += bridge.to(list[k]) * (power_sum(k, above) - power_sum(k, below));
    return bridge.from(total.expand());
  } catch (const TooLarge&) {
    return unfit("the sum has no reasonable closed form", text(body, {6}));
  } catch (const Bug&) {
    throw;
  } catch (const std::exception& error) {
    return unfit(std::string("the sum has no closed form: ") + error.what(), text(body, {6}));
  }
}

bool equal(const Expr& a, const Expr& b) { return normal(expand(a - b)).is_number(0); }

double evaluate_by_substitution(const Expr& expression, const std::map<std::string, double>& values) {
  Bridge bridge;
  GiNaC::ex all = bridge.to(expression);
  GiNaC::exmap known;
  for (const auto& [name, value] : values) known[bridge.symbol_for(name, symbol(name))] = GiNaC::numeric(value);
  for (const auto& [key, call] : bridge.opaque()) known[bridge.symbol_for(key, call)] = GiNaC::numeric(evaluate(call, values).value_or(0));
  GiNaC::ex result = GiNaC::evalf(all.subs(known));
  return GiNaC::is_a<GiNaC::numeric>(result) ? GiNaC::ex_to<GiNaC::numeric>(result).to_double() : std::nan("");
}

}  // namespace perfcast::expr
