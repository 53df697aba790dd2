// Symbolic expressions in named parameters: counts such as "N^3/3 - N/3", costs such as "startup + bytes*per_byte", and
// the time of a whole program. An Expr is an immutable value, cheap to copy. Sums and products are kept flat, numbers
// are folded, exact fractions stay exact; deeper algebra (expand, collect, differentiate) is in algebra.h, evaluation
// at many points in program.h, text in print.h, reading in parse.h.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace perfcast::expr {

enum class Kind { number, symbol, sum, product, power, call };

// What can be called besides + - * / ^. step(x) is 0 below 0 and 1 from 0 on (Clement 4.2.2), dirac its derivative;
// mod(a, b) lies in [0, b); pick(k, a0, a1, ...) is a_k.
enum class Function { log, log2, exp, floor, ceil, abs, min, max, mod, step, dirac, pick };

// A fraction of 64-bit integers where that is exact, else a double.
struct Number {
  std::int64_t top = 0, bottom = 1;
  double value = 0;
  bool exact = true;
  bool operator==(const Number& other) const {
    return exact == other.exact && (exact ? top == other.top && bottom == other.bottom : value == other.value);
  }
};
Number whole(std::int64_t value);
Number fraction(std::int64_t top, std::int64_t bottom);  // bottom is not 0
Number approximate(double value);                         // exact when it is a whole number below 2^53

class Expr;
struct Node {
  Kind kind = Kind::number;
  Number number;
  std::string name;             // of a symbol
  Function function = Function::log;
  std::vector<Expr> parts;      // terms; factors; base and exponent; arguments
  std::size_t size = 1, depth = 1;
};

class Expr {
 public:
  Expr();                       // zero
  Expr(double value);           // NOLINT: numbers are expressions
  Expr(int value);              // NOLINT
  Expr(Number value);           // NOLINT
  explicit Expr(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  const Node& node() const { return *node_; }
  Kind kind() const { return node_->kind; }
  std::size_t size() const { return node_->size; }  // nodes of the tree
  bool is_number() const { return node_->kind == Kind::number; }
  bool is_number(std::int64_t value) const;
  const std::vector<Expr>& parts() const { return node_->parts; }
  // Same shape, same numbers; mathematically equal expressions may differ (see algebra.h: equal).
  bool operator==(const Expr& other) const;

 private:
  std::shared_ptr<const Node> node_;
};

Expr symbol(const std::string& name);
Expr sum(std::vector<Expr> terms);
Expr product(std::vector<Expr> factors);
Expr power(const Expr& base, const Expr& exponent);
Expr call(Function function, std::vector<Expr> arguments);

Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b);
Expr operator-(const Expr& a);

// Names and numbers of arguments: log(x), log2(x), ..., min(a, b, ...), pick(k, a0, ...).
const char* name_of(Function function);
std::optional<Function> function_named(const std::string& name);  // aliases too: ln, lg, lg2, Heaviside, ceiling
bool takes(Function function, std::size_t arguments);

std::set<std::string> symbols_of(const Expr& expression);
bool depends_on(const Expr& expression, const std::string& name);
// Every symbol that is in the map replaced.
Expr substitute(const Expr& expression, const std::map<std::string, Expr>& values);
Expr substitute(const Expr& expression, const std::map<std::string, double>& values);

// The value; an error names a symbol without one, or a result that is no finite number.
Result<double> evaluate(const Expr& expression, const std::map<std::string, double>& values);

// The split of a term into its number and the rest.
struct Term {
  Number number;
  Expr rest;
};
Term split_number(const Expr& expression);

}  // namespace perfcast::expr
