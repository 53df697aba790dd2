// A cost that rises as the data outgrows the levels of memory, as an expression: a constant and a few soft steps.
//
//   cost(x) = c0 + sum of d_k / (1 + (x_k / x)^s)
//
// x is the size, x_k where a step is half done: Clement's Heaviside steps (section 4.2.2) with the soft edge that real
// caches have. Found from values at a grid of sizes, one term after the other, as long as they are worth it.
#pragma once

#include <vector>

#include "expr/expr.h"

namespace perfcast::scale {

struct StepFit {
  expr::Expr expression;
  double worst = 0;                  // largest miss, relative to `scale`
  std::vector<double> step_at;       // sizes of the steps
};

// values[k] at sizes[k] (rising), weights: how much a miss matters; `size` is the expression that stands for the size.
StepFit fit_steps(const std::vector<double>& sizes, const std::vector<double>& values, const std::vector<double>& weights, const expr::Expr& size);

}  // namespace perfcast::scale
