// Expressions as text that parse() reads back, as LaTeX, and as C. Terms come in one order whatever made them: by
// falling degree, then by name; so that equal expressions print alike and golden files hold.
#pragma once

#include <string>
#include <vector>

#include "expr/expr.h"

namespace perfcast::expr {

struct PrintOptions {
  int digits = 17;  // of numbers that are not exact; fewer round them
};

std::string text(const Expr& expression, const PrintOptions& options = {});
std::string latex(const Expr& expression, const PrintOptions& options = {});

// A complete C file with `double name(double N, double P)`: arguments in the order given, which names every symbol.
std::string c_source(const Expr& expression, const std::string& name, const std::vector<std::string>& arguments,
                     const std::string& comment = {});

}  // namespace perfcast::expr
