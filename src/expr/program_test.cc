#include "expr/program.h"

#include <gtest/gtest.h>

#include <random>

#include "expr/algebra.h"
#include "expr/native.h"
#include "expr/parse.h"
#include "expr/test_gauss.h"

namespace perfcast::expr {
namespace {

const std::vector<std::string> names{"N", "P", "L1", "L2", "beta_ops", "beta_vp", "beta_l1", "beta_l2", "beta_st", "beta_bw"};

std::vector<std::vector<double>> points(std::size_t n) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(1, 5000);
  std::vector<std::vector<double>> columns(names.size(), std::vector<double>(n));
  for (auto& column : columns)
    for (double& x : column) x = uniform(random);
  return columns;
}

TEST(Program, AllWaysOfEvaluatingAgree) {
  Expr gauss = parse(clement_gauss).value();
  Program program = Program::compile(gauss, names).value();
  auto native = NativeProgram::compile(program);
  const std::size_t n = 300;
  auto columns = points(n);
  std::vector<const double*> pointers;
  for (auto& column : columns) pointers.push_back(column.data());
  std::vector<double> batch(n), compiled(n);
  program.batch(pointers, batch);
  if (native) native->batch(pointers, compiled);
  for (std::size_t k = 0; k < n; k++) {
    std::vector<double> values;
    std::map<std::string, double> named;
    for (std::size_t v = 0; v < names.size(); v++) values.push_back(columns[v][k]), named[names[v]] = columns[v][k];
    double one = program(values);
    EXPECT_NEAR(batch[k], one, 1e-12 * std::abs(one));
    if (native) EXPECT_NEAR(compiled[k], one, 1e-12 * std::abs(one));
    if (native) EXPECT_NEAR((*native)(values), one, 1e-12 * std::abs(one));
    if (k < 10) EXPECT_NEAR(evaluate_by_substitution(gauss, named), one, 1e-9 * std::abs(one));
  }
}

TEST(Program, ComputesCommonPartsOnce) {
  Program program = Program::compile(parse("(N+1)^2*(N+1)^2 + (N+1)^4").value(), {"N"}).value();
  EXPECT_LE(program.instructions(), 5u);
  EXPECT_DOUBLE_EQ(program(std::vector<double>{2}), 162);
  Program gauss = Program::compile(parse(clement_gauss).value(), names).value();
  EXPECT_LT(gauss.instructions(), 80u);
}

TEST(Program, EveryFunction) {
  for (const char* text : {"log(N)", "log2(N)", "exp(-N)", "floor(N/3)", "ceil(N/3)", "abs(2-N)", "min(N,3,2)", "max(N,3,2)", "mod(N,4)",
                           "step(N-5)", "pick(mod(N,4),1,N,N^2,7)", "N^0.37", "N^2.5", "N^(-0.5)", "2^N", "N^17", "1/N - 2", "-N"}) {
    Expr e = parse(text).value();
    Program program = Program::compile(e, {"N"}).value();
    auto native = NativeProgram::compile(program);
    for (double n : {1.0, 5.0, 6.0, 7.0, 12.0}) {
      double one = program(std::vector{n});
      std::vector<double> in{n}, out{0};
      const double* pointer = in.data();
      program.batch(std::vector{pointer}, out);
      EXPECT_DOUBLE_EQ(out[0], one) << text;
      if (native) EXPECT_NEAR((*native)(in), one, 1e-13 * std::abs(one)) << text;
      EXPECT_NEAR(one, evaluate_by_substitution(e, {{"N", n}}), 1e-12 * std::abs(one)) << text << " at " << n;
    }
  }
}

TEST(Program, SeveralResults) {
  std::vector<Expr> two{parse("N^2").value(), parse("N^2 + 1").value()};
  Program program = Program::compile(two, {"N"}).value();
  std::vector<double> results(2);
  program.evaluate(std::vector{3.0}, results);
  EXPECT_EQ(results, (std::vector<double>{9, 10}));
}

}  // namespace
}  // namespace perfcast::expr
