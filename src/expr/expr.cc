#include "expr/expr.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/assert.h"
#include "expr/arithmetic.h"

namespace perfcast::expr {
namespace {

using Parts = std::vector<Expr>;

Expr make(Node node) {
  for (const Expr& part : node.parts) {
    node.size += part.size();
    node.depth = std::max(node.depth, part.node().depth + 1);
  }
  return Expr(std::make_shared<const Node>(std::move(node)));
}

Expr make_number(const Number& number) {
  Node node;
  node.number = number;
  return make(std::move(node));
}

struct FunctionInfo {
  Function function;
  const char* name;
  std::size_t fewest, most;
};
constexpr std::size_t any = 1000;
constexpr FunctionInfo functions[] = {
    {Function::log, "log", 1, 1},   {Function::log2, "log2", 1, 1},  {Function::exp, "exp", 1, 1},
    {Function::floor, "floor", 1, 1}, {Function::ceil, "ceil", 1, 1}, {Function::abs, "abs", 1, 1},
    {Function::min, "min", 1, any}, {Function::max, "max", 1, any},  {Function::mod, "mod", 2, 2},
    {Function::step, "step", 1, 1}, {Function::dirac, "dirac", 1, 1}, {Function::pick, "pick", 2, any},
};
constexpr std::pair<const char*, Function> aliases[] = {
    {"ln", Function::log},          {"lg", Function::log2},     {"lg2", Function::log2},
    {"ceiling", Function::ceil},    {"Heaviside", Function::step}, {"heaviside", Function::step},
    {"Dirac", Function::dirac},     {"fabs", Function::abs},
};
const FunctionInfo& info(Function function) {
  for (const auto& entry : functions)
    if (entry.function == function) return entry;
  throw Bug("a function without a name");
}

// base^exponent of a whole power, exactly, or as a double.
Number whole_power(const Number& base, std::int64_t exponent) {
  Number result = whole(1), factor = base;
  for (std::uint64_t n = static_cast<std::uint64_t>(std::abs(exponent)); n; n >>= 1) {
    if (n & 1) result = multiply(result, factor);
    if (n > 1) factor = multiply(factor, factor);
  }
  if (exponent >= 0) return result;
  if (result.value == 0 || !std::isfinite(result.value)) return approximate(std::pow(base.value, static_cast<double>(exponent)));
  return divide(whole(1), result);
}

}  // namespace

Expr::Expr() : Expr(make_number(whole(0))) {}
Expr::Expr(double value) : Expr(make_number(approximate(value))) {}
Expr::Expr(int value) : Expr(make_number(whole(value))) {}
Expr::Expr(Number value) : Expr(make_number(value)) {}

bool Expr::is_number(std::int64_t value) const { return is_number() && node_->number == whole(value); }

bool Expr::operator==(const Expr& other) const {
  if (node_ == other.node_) return true;
  const Node &a = *node_, &b = *other.node_;
  return a.kind == b.kind && a.size == b.size && a.name == b.name && (a.kind != Kind::number || a.number == b.number) &&
         (a.kind != Kind::call || a.function == b.function) && a.parts == b.parts;
}

const char* name_of(Function function) { return info(function).name; }
std::optional<Function> function_named(const std::string& name) {
  for (const auto& entry : functions)
    if (name == entry.name) return entry.function;
  for (const auto& [alias, function] : aliases)
    if (name == alias) return function;
  return {};
}
bool takes(Function function, std::size_t arguments) {
  return info(function).fewest <= arguments && arguments <= info(function).most;
}

Expr symbol(const std::string& name) {
  Node node;
  node.kind = Kind::symbol, node.name = name;
  return make(std::move(node));
}

Expr sum(Parts terms) {
  Number constant = whole(0);
  Parts kept;
  for (Expr& term : terms) {
    if (term.is_number()) constant = add(constant, term.node().number);
    else if (term.kind() != Kind::sum) kept.push_back(std::move(term));
    else
      for (const Expr& inner : term.parts())
        if (inner.is_number()) constant = add(constant, inner.node().number);
        else kept.push_back(inner);
  }
  if (kept.empty()) return constant;
  if (!(constant == whole(0))) kept.emplace_back(constant);
  if (kept.size() == 1) return kept.front();
  Node node;
  node.kind = Kind::sum, node.parts = std::move(kept);
  return make(std::move(node));
}

Expr product(Parts factors) {
  Number constant = whole(1);
  Parts kept;
  auto take = [&](Expr factor) {
    if (factor.is_number()) constant = multiply(constant, factor.node().number);
    else kept.push_back(std::move(factor));
  };
  for (Expr& factor : factors)
    if (factor.kind() == Kind::product) std::ranges::for_each(factor.parts(), take);
    else take(std::move(factor));
  if (kept.empty() || constant == whole(0)) return constant;
  if (!(constant == whole(1))) kept.insert(kept.begin(), Expr(constant));
  if (kept.size() == 1) return kept.front();
  Node node;
  node.kind = Kind::product, node.parts = std::move(kept);
  return make(std::move(node));
}

Expr power(const Expr& base, const Expr& exponent) {
  if (exponent.is_number(1)) return base;
  if (exponent.is_number(0)) return 1;
  if (base.is_number() && exponent.is_number()) {
    const Number &b = base.node().number, &e = exponent.node().number;
    if (e.exact && e.bottom == 1 && std::abs(e.top) <= 1024 && !(b.value == 0 && e.top < 0)) return whole_power(b, e.top);
    double value = std::pow(b.value, e.value);
    if (std::isfinite(value) && (!e.exact || !b.exact)) return value;
  }
  Node node;
  node.kind = Kind::power, node.parts = {base, exponent};
  return make(std::move(node));
}

Expr call(Function function, Parts arguments) {
  ensure(takes(function, arguments.size()), "a function called with a wrong number of arguments");
  Node node;
  node.kind = Kind::call, node.function = function, node.parts = std::move(arguments);
  return make(std::move(node));
}

Expr operator+(const Expr& a, const Expr& b) { return sum({a, b}); }
Expr operator-(const Expr& a, const Expr& b) { return sum({a, -b}); }
Expr operator*(const Expr& a, const Expr& b) { return product({a, b}); }
Expr operator/(const Expr& a, const Expr& b) {
  if (b.is_number() && b.node().number.value != 0) return product({a, Expr(divide(whole(1), b.node().number))});
  return product({a, power(b, -1)});
}
Expr operator-(const Expr& a) { return product({Expr(-1), a}); }

std::set<std::string> symbols_of(const Expr& expression) {
  std::set<std::string> names;
  if (expression.kind() == Kind::symbol) names.insert(expression.node().name);
  for (const Expr& part : expression.parts()) names.merge(symbols_of(part));
  return names;
}

bool depends_on(const Expr& expression, const std::string& name) {
  if (expression.kind() == Kind::symbol) return expression.node().name == name;
  return std::ranges::any_of(expression.parts(), [&](const Expr& part) { return depends_on(part, name); });
}

Expr substitute(const Expr& expression, const std::map<std::string, Expr>& values) {
  const Node& node = expression.node();
  if (node.kind == Kind::number) return expression;
  if (node.kind == Kind::symbol) {
    auto it = values.find(node.name);
    return it == values.end() ? expression : it->second;
  }
  Parts parts;
  for (const Expr& part : node.parts) parts.push_back(substitute(part, values));
  switch (node.kind) {
    case Kind::sum: return sum(std::move(parts));
    case Kind::product: return product(std::move(parts));
    case Kind::power: return power(parts[0], parts[1]);
    default: return call(node.function, std::move(parts));
  }
}

Expr substitute(const Expr& expression, const std::map<std::string, double>& values) {
  std::map<std::string, Expr> expressions;
  for (const auto& [name, value] : values) expressions.emplace(name, value);
  return substitute(expression, expressions);
}

Term split_number(const Expr& expression) {
  if (expression.is_number()) return {expression.node().number, 1};
  if (expression.kind() == Kind::product && expression.parts().front().is_number())
    return {expression.parts().front().node().number,
            product(Parts(expression.parts().begin() + 1, expression.parts().end()))};
  return {whole(1), expression};
}

}  // namespace perfcast::expr
