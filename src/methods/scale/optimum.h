// The maximum of an expression over ranges of its variables: hill climbing along the gradient where it has a single
// maximum, exhaustive search otherwise (Clement 6.2.1; his Theorem 6.1 asks for concave performance and convex cost, which
// holds in speed, not in time per operation, so unimodality is looked for on a grid instead of assumed).
#pragma once

#include <array>
#include <map>
#include <string>

#include "expr/expr.h"
#include "record/equation.h"

namespace perfcast::scale {

Result<OptimumRecord> maximise(const expr::Expr& objective, const std::map<std::string, std::array<double, 2>>& variables, const std::map<std::string, double>& values);

}  // namespace perfcast::scale
