// How many evaluations per second of Clement's Gauss equation: GiNaC's own evalf, our program one point at a time, in
// batches, and as machine code.
#include <fmt/core.h>

#include <chrono>

#include "expr/algebra.h"
#include "expr/native.h"
#include "expr/parse.h"
#include "expr/test_gauss.h"

using namespace perfcast::expr;

namespace {

template <class Work>
double per_second(double evaluations, Work work) {
  double best = 1e300;
  for (int i = 0; i < 3; i++) {
    auto begin = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return evaluations / best;
}

}  // namespace

int main() {
  const std::vector<std::string> names{"N", "P", "L1", "L2", "beta_ops", "beta_vp", "beta_l1", "beta_l2", "beta_st", "beta_bw"};
  Expr gauss = parse(clement_gauss).value();
  Program program = Program::compile(gauss, names).value();
  const std::size_t n = 1'000'000;
  std::vector<std::vector<double>> columns(names.size(), std::vector<double>(n));
  for (std::size_t v = 0; v < names.size(); v++)
    for (std::size_t k = 0; k < n; k++) columns[v][k] = 1 + static_cast<double>((k * (v + 3)) % 1000);
  std::vector<const double*> pointers;
  for (auto& column : columns) pointers.push_back(column.data());
  std::vector<double> out(n);
  std::vector<double> values(names.size());
  double sum = 0;
  auto one_by_one = [&](auto& f) {
    for (std::size_t k = 0; k < n; k++) {
      for (std::size_t v = 0; v < names.size(); v++) values[v] = columns[v][k];
      sum += f(values);
    }
  };
  fmt::print("{} instructions\n", program.instructions());
  std::map<std::string, double> named;
  for (std::size_t v = 0; v < names.size(); v++) named[names[v]] = columns[v][5];
  fmt::print("GiNaC evalf           {:10.0f} /s\n", per_second(200, [&] { for (int k = 0; k < 200; k++) sum += evaluate_by_substitution(gauss, named); }));
  fmt::print("program, one by one   {:10.0f} /s\n", per_second(n, [&] { one_by_one(program); }));
  fmt::print("program, in batches   {:10.0f} /s\n", per_second(n, [&] { program.batch(pointers, out); }));
  auto native = NativeProgram::compile(program);
  if (!native) return fmt::print("no machine code: {}\n", native.error().message()), 0;
  fmt::print("machine code, one     {:10.0f} /s\n", per_second(n, [&] { one_by_one(*native); }));
  fmt::print("machine code, batches {:10.0f} /s\n", per_second(n, [&] { native->batch(pointers, out); }));
  return sum == 1 ? 1 : 0;
}
