// Arithmetic of Number, and of the functions of an expression on doubles: one meaning for every evaluator.
#pragma once

#include <cmath>

#include "expr/expr.h"

namespace perfcast::expr {

Number add(const Number& a, const Number& b);
Number multiply(const Number& a, const Number& b);
Number divide(const Number& a, const Number& b);  // b is not 0
Number negate(const Number& a);

inline double modulo(double a, double b) { return a - b * std::floor(a / b); }
inline double step(double x) { return x >= 0 ? 1.0 : 0.0; }

}  // namespace perfcast::expr
