// Reading expressions as people write them: 16*N^3/P + 121.84*N^2/P + 4*N*log2(P)*startup.
//
//   numbers     12, 0.5, 1e-9; whole numbers and short decimals stay exact
//   operators   + - * / ^ (also **), parentheses; ^ binds tightest and to the right
//   functions   those of expr.h, sqrt(x), and sum(i, from, to, body) with a body polynomial in i (Faulhaber)
//   names       letters, digits, _ and . ; must not begin with a digit
//
// Input is never trusted: length, depth and number of nodes are limited, and an error names the column.
#pragma once

#include <string>

#include "expr/expr.h"

namespace perfcast::expr {

struct ParseLimits {
  std::size_t characters = 1 << 20;
  std::size_t depth = 200;
  std::size_t nodes = 100'000;
};

// `name` says where the text stands ("topology hypercube, broadcast"), for errors.
Result<Expr> parse(const std::string& text, const std::string& name = {}, const ParseLimits& limits = {});

// For text that we wrote ourselves; anything else is our mistake.
Expr parse_trusted(const std::string& text);

// A name that parse() reads as one symbol, and that is no function.
bool is_symbol_name(const std::string& text);

}  // namespace perfcast::expr
