// From expressions to straight-line code, each subexpression once.
#pragma once

#include <map>
#include <tuple>

#include "expr/program.h"

namespace perfcast::expr {

class Compiler {
 public:
  explicit Compiler(const std::vector<std::string>& variables);
  Result<int> value(const Expr& expression);
  Program finish(const std::vector<int>& results);

 private:
  int constant(double value);
  int emit(Op op, int a, int b = 0, int c = 0, double limit = 0);
  Result<int> compute(const Expr& expression);
  Result<int> sum_of(const Expr& expression);
  Result<int> product_of(const Expr& expression);
  Result<int> power_of(const Expr& expression);
  Result<int> call_of(const Expr& expression);
  int whole_power(int base, unsigned exponent);

  std::map<std::string, int> variables_;
  std::map<const Node*, int> known_;                       // by identity, before by content
  std::map<double, int> constants_;                        // registers: -1 - index, until finish()
  std::vector<double> constant_values_;
  std::map<std::tuple<Op, int, int, int, double>, int> emitted_;
  std::vector<Instruction> code_;                          // `to` is the position
  std::vector<Expr> kept_;                                 // keeps the nodes of known_ alive
};

}  // namespace perfcast::expr
