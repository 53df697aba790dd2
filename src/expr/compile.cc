#include "expr/compile.h"

#include <algorithm>
#include <cmath>

namespace perfcast::expr {
namespace {

// While compiling, a register is coded by what it is: variables 0, 1, ...; constants and results of instructions are
// told apart by an offset, because their numbers are known only at the end.
constexpr int constant_base = 1 << 20, instruction_base = 1 << 24;

bool commutes(Op op) { return op == Op::add || op == Op::multiply || op == Op::min || op == Op::max; }

}  // namespace

Compiler::Compiler(const std::vector<std::string>& variables) {
  for (std::size_t i = 0; i < variables.size(); i++) variables_.emplace(variables[i], static_cast<int>(i));
}

int Compiler::constant(double value) {
  auto [it, fresh] = constants_.try_emplace(value, constant_base + static_cast<int>(constant_values_.size()));
  if (fresh) constant_values_.push_back(value);
  return it->second;
}

int Compiler::emit(Op op, int a, int b, int c, double limit) {
  if (commutes(op) && b < a) std::swap(a, b);
  auto [it, fresh] = emitted_.try_emplace({op, a, b, c, limit}, instruction_base + static_cast<int>(code_.size()));
  if (fresh) code_.push_back({op, it->second, a, b, c, limit});
  return it->second;
}

Result<int> Compiler::value(const Expr& expression) {
  if (auto it = known_.find(&expression.node()); it != known_.end()) return it->second;
  TRY(int at, compute(expression));
  known_.emplace(&expression.node(), at);
  kept_.push_back(expression);
  return at;
}

Result<int> Compiler::compute(const Expr& e) {
  switch (e.kind()) {
    case Kind::number:
      if (!std::isfinite(e.node().number.value)) return unfit("a number in the expression is too large");
      return constant(e.node().number.value);
    case Kind::symbol: {
      auto it = variables_.find(e.node().name);
      if (it == variables_.end()) return unfit("no value for \"" + e.node().name + "\"", {}, "give it a value, for example with --at or --set");
      return it->second;
    }
    case Kind::sum: return sum_of(e);
    case Kind::product: return product_of(e);
    case Kind::power: return power_of(e);
    case Kind::call: return call_of(e);
  }
  return constant(0);
}

Result<int> Compiler::sum_of(const Expr& e) {
  std::vector<int> plus, minus;
  for (const Expr& part : e.parts()) {
    bool negative = split_number(part).number.value < 0;
    TRY(int at, value(negative ? -part : part));
    (negative ? minus : plus).push_back(at);
  }
  // Operands in the order they were made: like sums of like parts become one.
  std::ranges::sort(plus), std::ranges::sort(minus);
  int total = plus.empty() ? constant(0) : plus[0];
  for (std::size_t i = 1; i < plus.size(); i++) total = emit(Op::add, total, plus[i]);
  for (int at : minus) total = emit(Op::subtract, total, at);
  return total;
}

int Compiler::whole_power(int base, unsigned exponent) {
  if (exponent == 1) return base;
  int half = whole_power(base, exponent / 2), square = emit(Op::multiply, half, half);
  return exponent % 2 ? emit(Op::multiply, square, base) : square;
}

Result<int> Compiler::product_of(const Expr& e) {
  std::vector<int> above, below;
  for (const Expr& part : e.parts()) {
    bool under = part.kind() == Kind::power && part.parts()[1].is_number() && part.parts()[1].node().number.value < 0;
    TRY(int at, value(under ? power(part.parts()[0], -part.parts()[1]) : part));
    (under ? below : above).push_back(at);
  }
  // Products of variables first, the constant last: terms of a polynomial share their powers.
  std::ranges::sort(above, {}, [](int r) { return std::pair(r >= constant_base && r < instruction_base, r); });
  std::ranges::sort(below);
  auto multiply_all = [&](const std::vector<int>& list) {
    int total = list[0];
    for (std::size_t i = 1; i < list.size(); i++) total = emit(Op::multiply, total, list[i]);
    return total;
  };
  if (below.empty()) return multiply_all(above);
  return emit(Op::divide, above.empty() ? constant(1) : multiply_all(above), multiply_all(below));
}

Result<int> Compiler::power_of(const Expr& e) {
  const Expr &base = e.parts()[0], &exponent = e.parts()[1];
  if (exponent.is_number()) {
    double n = exponent.node().number.value;
    if (n < 0) {
      TRY(int below, value(power(base, -exponent)));
      return emit(Op::divide, constant(1), below);
    }
    TRY(int at, value(base));
    if (n == std::floor(n) && n >= 1 && n <= 64) return whole_power(at, static_cast<unsigned>(n));
    if (2 * n == std::floor(2 * n) && n <= 32) {
      int root = emit(Op::square_root, at);
      return n < 1 ? root : emit(Op::multiply, whole_power(at, static_cast<unsigned>(n)), root);
    }
    return emit(Op::power, at, constant(n));
  }
  TRY(int at, value(base));
  TRY(int up, value(exponent));
  return emit(Op::power, at, up);
}

Result<int> Compiler::call_of(const Expr& e) {
  std::vector<int> arguments;
  for (const Expr& part : e.parts()) {
    TRY(int at, value(part));
    arguments.push_back(at);
  }
  auto fold = [&](Op op) {
    int total = arguments[0];
    for (std::size_t i = 1; i < arguments.size(); i++) total = emit(op, total, arguments[i]);
    return total;
  };
  switch (e.node().function) {
    case Function::log: return emit(Op::log, arguments[0]);
    case Function::log2: return emit(Op::log2, arguments[0]);
    case Function::exp: return emit(Op::exp, arguments[0]);
    case Function::floor: return emit(Op::floor, arguments[0]);
    case Function::ceil: return emit(Op::ceil, arguments[0]);
    case Function::abs: return emit(Op::abs, arguments[0]);
    case Function::min: return fold(Op::min);
    case Function::max: return fold(Op::max);
    case Function::mod: return emit(Op::mod, arguments[0], arguments[1]);
    case Function::step: return emit(Op::step, arguments[0]);
    case Function::dirac: return constant(0);  // nothing almost everywhere
    case Function::pick: {
      int chosen = arguments.back();
      for (std::size_t i = arguments.size() - 2; i >= 1; i--)
        chosen = emit(Op::select, arguments[0], arguments[i], chosen, static_cast<double>(i) - 0.5);
      return chosen;
    }
  }
  return constant(0);
}

Program Compiler::finish(const std::vector<int>& results) {
  Program program;
  int variables = static_cast<int>(variables_.size()), constants = static_cast<int>(constant_values_.size());
  auto placed = [&](int coded) {
    if (coded >= instruction_base) return variables + constants + (coded - instruction_base);
    return coded >= constant_base ? variables + (coded - constant_base) : coded;
  };
  program.variables_ = variables;
  program.constants_ = constant_values_;
  for (Instruction instruction : code_) {
    instruction.to = placed(instruction.to), instruction.a = placed(instruction.a);
    instruction.b = placed(instruction.b), instruction.c = placed(instruction.c);
    program.code_.push_back(instruction);
  }
  for (int result : results) program.results_.push_back(placed(result));
  program.assign_registers();
  return program;
}

}  // namespace perfcast::expr
