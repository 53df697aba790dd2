// Algebra on expressions: what GiNaC does well, kept behind this header. Functions it does not know (floor, step,
// pick, ...) are carried through as unknowns and differentiated by our own rules:
//
//   step(u)' = dirac(u) u'    floor, ceil: 0 almost everywhere    min, max: the derivative of the one that counts
//   mod(a, b)' = a' - floor(a/b) b'    pick(k, a...)' = pick(k, a'...)
//
// Results do not depend on GiNaC's order of terms: printing sorts (print.h). What would grow beyond reason, such as
// (a + b)^1000 expanded, is left as it is.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "expr/expr.h"

namespace perfcast::expr {

// Like terms collected, products of powers joined, fractions exact; expanded where that is shorter.
Expr simplify(const Expr& expression);
// Terms that differ in their number only put together, products multiplied out where that is shorter; steps and choices stay
// readable. For sums of many terms: it takes time in proportion to them.
Expr collect_like_terms(const Expr& expression);
// Products multiplied out.
Expr expand(const Expr& expression);
// Over one denominator, common factors cancelled.
Expr normal(const Expr& expression);
// As the polynomial it is in `name`, powers collected: c0 + c1 name + c2 name^2; an error when it is no polynomial.
Result<std::vector<Expr>> coefficients(const Expr& expression, const std::string& name);
Expr collect(const Expr& expression, const std::string& name);

Expr derivative(const Expr& expression, const std::string& name);
std::map<std::string, Expr> gradient(const Expr& expression);

// body(from) + ... + body(to), in closed form for a body polynomial in `name` (Faulhaber).
Result<Expr> sum_over(const Expr& body, const std::string& name, const Expr& from, const Expr& to);

// Whether the difference vanishes identically, as far as expansion can tell.
bool equal(const Expr& a, const Expr& b);

// By GiNaC's own arithmetic: what the compiled programs are measured against.
double evaluate_by_substitution(const Expr& expression, const std::map<std::string, double>& values);

}  // namespace perfcast::expr
