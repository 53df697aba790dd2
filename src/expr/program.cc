#include "expr/program.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/assert.h"
#include "expr/arithmetic.h"
#include "expr/compile.h"

namespace perfcast::expr {
namespace {

constexpr std::size_t block = 128;  // points at a time: a register of them is 1 KiB
constexpr int small = 192;          // registers that fit on the stack

int operands(Op op) {
  switch (op) {
    case Op::multiply_add: case Op::select: return 3;
    case Op::add: case Op::subtract: case Op::multiply: case Op::divide: case Op::power: case Op::min: case Op::max: case Op::mod: return 2;
    default: return 1;
  }
}

// The meaning of every instruction, once: `each` applies a function of up to three operands.
template <class Each>
inline void perform(const Instruction& i, Each each) {
  switch (i.op) {
    case Op::add: return each([](double a, double b, double) { return a + b; });
    case Op::subtract: return each([](double a, double b, double) { return a - b; });
    case Op::multiply: return each([](double a, double b, double) { return a * b; });
    case Op::divide: return each([](double a, double b, double) { return a / b; });
    case Op::multiply_add: return each([](double a, double b, double c) { return a * b + c; });
    case Op::power: return each([](double a, double b, double) { return std::pow(a, b); });
    case Op::square_root: return each([](double a, double, double) { return std::sqrt(a); });
    case Op::log: return each([](double a, double, double) { return std::log(a); });
    case Op::log2: return each([](double a, double, double) { return std::log2(a); });
    case Op::exp: return each([](double a, double, double) { return std::exp(a); });
    case Op::floor: return each([](double a, double, double) { return std::floor(a); });
    case Op::ceil: return each([](double a, double, double) { return std::ceil(a); });
    case Op::abs: return each([](double a, double, double) { return std::abs(a); });
    case Op::min: return each([](double a, double b, double) { return a < b ? a : b; });
    case Op::max: return each([](double a, double b, double) { return a > b ? a : b; });
    case Op::mod: return each([](double a, double b, double) { return modulo(a, b); });
    case Op::step: return each([](double a, double, double) { return step(a); });
    case Op::select: return each([limit = i.limit](double a, double b, double c) { return a < limit ? b : c; });
  }
}

// a*b + c in one instruction where the product has no other use.
void fuse(std::vector<Instruction>& code, const std::vector<int>& results, int first, std::vector<bool>& dropped) {
  std::vector<int> uses(static_cast<std::size_t>(first) + code.size(), 0);
  for (const Instruction& i : code) {
    int n = operands(i.op);
    uses[static_cast<std::size_t>(i.a)]++;
    if (n > 1) uses[static_cast<std::size_t>(i.b)]++;
    if (n > 2) uses[static_cast<std::size_t>(i.c)]++;
  }
  for (int r : results) uses[static_cast<std::size_t>(r)]++;
  for (Instruction& i : code) {
    if (i.op != Op::add) continue;
    for (auto [product, other] : {std::pair(i.a, i.b), std::pair(i.b, i.a)}) {
      if (product < first || uses[static_cast<std::size_t>(product)] != 1) continue;
      const Instruction& made = code[static_cast<std::size_t>(product - first)];
      if (made.op != Op::multiply || dropped[static_cast<std::size_t>(product - first)]) continue;
      dropped[static_cast<std::size_t>(product - first)] = true;
      i = {Op::multiply_add, i.to, made.a, made.b, other, 0};
      break;
    }
  }
}

}  // namespace

Result<Program> Program::compile(std::span<const Expr> expressions, const std::vector<std::string>& variables) {
  Compiler compiler(variables);
  std::vector<int> results;
  for (const Expr& expression : expressions) {
    TRY(int at, compiler.value(expression));
    results.push_back(at);
  }
  return compiler.finish(results);
}

Result<Program> Program::compile(const Expr& expression, const std::vector<std::string>& variables) {
  return compile(std::span(&expression, 1), variables);
}

// Registers of values that are used no more hold later ones, so that a block of points stays in the first cache.
void Program::assign_registers() {
  const int fixed = variables_ + static_cast<int>(constants_.size());
  std::vector<Instruction> code = code_;
  std::vector<bool> dropped(code.size(), false);
  fuse(code, results_, fixed, dropped);
  std::vector<std::size_t> last(static_cast<std::size_t>(fixed) + code.size(), 0);
  auto each_operand = [](const Instruction& i, auto visit) {
    int n = operands(i.op);
    visit(i.a);
    if (n > 1) visit(i.b);
    if (n > 2) visit(i.c);
  };
  for (std::size_t k = 0; k < code.size(); k++)
    if (!dropped[k]) each_operand(code[k], [&](int r) { last[static_cast<std::size_t>(r)] = k; });
  for (int r : results_) last[static_cast<std::size_t>(r)] = code.size();
  std::vector<int> place(static_cast<std::size_t>(fixed) + code.size(), 0), unused;
  for (int r = 0; r < fixed; r++) place[static_cast<std::size_t>(r)] = r;
  registers_ = fixed;
  for (std::size_t k = 0; k < code.size(); k++) {
    if (dropped[k]) continue;
    Instruction i = code[k];
    std::vector<int> ending;
    each_operand(code[k], [&](int r) {
      if (r >= fixed && last[static_cast<std::size_t>(r)] == k && std::ranges::find(ending, r) == ending.end()) ending.push_back(r);
    });
    i.a = place[static_cast<std::size_t>(i.a)], i.b = place[static_cast<std::size_t>(i.b)], i.c = place[static_cast<std::size_t>(i.c)];
    for (int r : ending) unused.push_back(place[static_cast<std::size_t>(r)]);
    if (unused.empty()) unused.push_back(registers_++);
    i.to = place[static_cast<std::size_t>(code[k].to)] = unused.back();
    unused.pop_back();
    compact_.push_back(i);
  }
  for (int r : results_) compact_results_.push_back(place[static_cast<std::size_t>(r)]);
}

void Program::evaluate(std::span<const double> values, std::span<double> results) const {
  ensure(values.size() == variables() && results.size() == compact_results_.size(), "a compiled expression is given all its values");
  std::array<double, small> stack;
  std::vector<double> heap;
  double* r = stack.data();
  if (registers_ > small) heap.resize(static_cast<std::size_t>(registers_)), r = heap.data();
  std::copy(values.begin(), values.end(), r);
  std::copy(constants_.begin(), constants_.end(), r + variables_);
  for (const Instruction& i : compact_)
    perform(i, [&](auto f) { r[i.to] = f(r[i.a], r[i.b], r[i.c]); });
  for (std::size_t k = 0; k < results.size(); k++) results[k] = r[compact_results_[k]];
}

double Program::operator()(std::span<const double> values) const {
  double result = 0;
  evaluate(values, std::span(&result, 1));
  return result;
}

void Program::batch(std::span<const double* const> values, std::span<double> results) const {
  ensure(values.size() == variables() && compact_results_.size() == 1, "a batch has one result and all its values");
  std::vector<double> storage(static_cast<std::size_t>(registers_) * block);
  std::vector<double*> r(static_cast<std::size_t>(registers_));
  for (std::size_t k = 0; k < r.size(); k++) r[k] = storage.data() + k * block;
  for (std::size_t k = 0; k < constants_.size(); k++) std::fill_n(r[k + variables()], block, constants_[k]);
  for (std::size_t begin = 0; begin < results.size(); begin += block) {
    std::size_t n = std::min(block, results.size() - begin);
    for (std::size_t v = 0; v < variables(); v++) std::copy_n(values[v] + begin, n, r[v]);
    for (const Instruction& i : compact_) {
      double* to = r[static_cast<std::size_t>(i.to)];
      const double *a = r[static_cast<std::size_t>(i.a)], *b = r[static_cast<std::size_t>(i.b)], *c = r[static_cast<std::size_t>(i.c)];
      perform(i, [&](auto f) {
        // A register may be source and target at once, but only at the same place: the loop has no dependence.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#endif
        for (std::size_t k = 0; k < block; k++) to[k] = f(a[k], b[k], c[k]);
      });
    }
    std::copy_n(r[static_cast<std::size_t>(compact_results_[0])], n, results.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

Result<double> evaluate(const Expr& expression, const std::map<std::string, double>& values) {
  std::vector<std::string> names;
  std::vector<double> numbers;
  for (const auto& [name, value] : values) names.push_back(name), numbers.push_back(value);
  TRY(Program program, Program::compile(expression, names));
  double result = program(numbers);
  if (!std::isfinite(result)) return unfit("the value of the expression is not a finite number");
  return result;
}

}  // namespace perfcast::expr
