// An expression compiled for many evaluations: a straight-line program over registers in which every common
// subexpression is computed once, whole powers are multiplications, and negative powers share one division. It is run
//
//   one point at a time      operator()
//   many points at a time    batch(): each instruction over a block of points, so that the loop vectorises
//   as machine code          NativeProgram (native.h), by the C compiler of the machine
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "expr/expr.h"

namespace perfcast::expr {

enum class Op : unsigned char {
  add, subtract, multiply, divide, multiply_add, power, square_root, log, log2, exp, floor, ceil, abs, min, max, mod,
  step, select  // select: a < limit ? b : c
};

struct Instruction {
  Op op = Op::add;
  int to = 0, a = 0, b = 0, c = 0;  // registers
  double limit = 0;
};

class Program {
 public:
  // `variables` gives the order of the values; every symbol must be among them.
  static Result<Program> compile(const Expr& expression, const std::vector<std::string>& variables);
  // Several results from one pass, sharing what they have in common.
  static Result<Program> compile(std::span<const Expr> expressions, const std::vector<std::string>& variables);

  double operator()(std::span<const double> values) const;
  void evaluate(std::span<const double> values, std::span<double> results) const;

  // values[v] points to as many values of variable v as there are results; of several expressions, the first.
  void batch(std::span<const double* const> values, std::span<double> results) const;

  std::size_t variables() const { return static_cast<std::size_t>(variables_); }
  std::size_t instructions() const { return code_.size(); }

  // Registers before they are reused: variables, then constants, then one per instruction.
  const std::vector<Instruction>& code() const { return code_; }
  const std::vector<double>& constants() const { return constants_; }
  const std::vector<int>& results() const { return results_; }

 private:
  friend class Compiler;
  void assign_registers();

  int variables_ = 0;
  std::vector<double> constants_;
  std::vector<Instruction> code_;       // single assignment
  std::vector<int> results_;
  std::vector<Instruction> compact_;    // the same over reused registers
  std::vector<int> compact_results_;
  int registers_ = 0;
};

}  // namespace perfcast::expr
