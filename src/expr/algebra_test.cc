#include "expr/algebra.h"

#include <gtest/gtest.h>

#include "expr/parse.h"
#include "expr/print.h"
#include "expr/test_gauss.h"

namespace perfcast::expr {
namespace {

Expr parsed(const std::string& text) { return parse(text).value(); }
double at(const Expr& e, const std::map<std::string, double>& values) { return evaluate(e, values).value(); }

TEST(Simplify, KeepsTheValue) {
  const std::map<std::string, double> point{{"N", 37}, {"P", 8}, {"beta_ops", 3}, {"beta_vp", 7}, {"beta_l1", 11}, {"beta_l2", 2},
                                            {"beta_st", 5}, {"beta_bw", 13}, {"L1", 4096}, {"L2", 33554432}};
  for (const char* text : {"(N+1)^3 - (N-1)^3", "N*(N*(N+P)/P)/3", "exp(log(N))", "min(N, P)*max(N, 3)", "2^N*2^(-N)", clement_gauss}) {
    double before = at(parsed(text), point), after = at(simplify(parsed(text)), point);
    EXPECT_NEAR(after, before, 1e-9 * std::abs(before)) << text;
  }
  EXPECT_EQ(text(simplify(parsed("N + N + 2*N"))), "4*N");
  EXPECT_EQ(text(normal(parsed("(N^2 - 1)/(N - 1)"))), "N + 1");
}

TEST(LikeTerms, ArePutTogether) {
  EXPECT_EQ(text(collect_like_terms(parsed("3*N^2 + 2*(N^2 + N) + N*N*P/P"))), "6*N^2 + 2*N");
  EXPECT_EQ(text(collect_like_terms(parsed("0.5*(N - 1)^2 + N"))), "N^2/2 + 1/2");
  // Steps keep their place; choices by one remainder are added number by number.
  EXPECT_EQ(text(collect_like_terms(parsed("(N^2 + N)*(1 + 3/(1 + (100/N)^4)) + 2*N/(1 + (100/N)^4) + N^2"))), "2*N^2 + 3*N^2/(1 + (100/N)^4) + 5*N/(1 + (100/N)^4) + N");
  EXPECT_EQ(text(collect_like_terms(parsed("3*pick(mod(N, 2), 0, 1) + N*pick(mod(N, 2), 1, 2) + 2*pick(mod(N, 2), 1, 0)"))), "N*pick(mod(N, 2), 1, 2) + pick(mod(N, 2), 2, 3)");
  EXPECT_TRUE(collect_like_terms(parsed("N*pick(mod(N, 2), 1, 2) - N*pick(mod(N, 2), 1, 2)")).is_number(0));
  EXPECT_EQ(text(collect_like_terms(parsed("(N^2 + log2(N) + P)*(1/(1 + (9/N)^4) + 1/(1 + (8/N)^4) + P) + 2*(N^2 + log2(N) + P)*(1/(1 + (7/N)^4) + 1/(1 + (8/N)^4) + 3)"))),
            "(N^2 + P + log2(N))*(P + 1/(1 + (9/N)^4) + 2/(1 + (7/N)^4) + 3/(1 + (8/N)^4) + 6)");
  const std::map<std::string, double> point{{"N", 37}, {"P", 8}};
  for (const char* text : {"(N+1)*(P+2) + 3*(N+1)*(N+P) - (P+2)*N", "(N+P)^3*(N-1)/P", "min(N, P)*(N + 1) + min(N, P)", "((N + P)*(N - P) + 1)^2", "N^P*(N + 1) - N^P"})
    EXPECT_NEAR(at(collect_like_terms(parsed(text)), point), at(parsed(text), point), 1e-9 * at(parsed(text), point)) << text;
}

TEST(Derivative, OfEveryFunction) {
  // Against a central difference, away from the steps.
  for (const char* text : {"N^3 - 2*N", "log(N)*N", "N*log2(N)", "exp(N/7)", "sqrt(N)", "N^P", "2^N", "abs(N - 40)*N", "min(N, P, N^2/9)",
                           "max(N^2, 100*N)", "mod(N, 4)", "N*floor(N/4)", "pick(mod(floor(N), 2), N, N^2)*N", "step(N - 5)*N^2"}) {
    const double n = 13.4, h = 1e-5;
    Expr e = parsed(text);
    double slope = (at(e, {{"N", n + h}, {"P", 2.5}}) - at(e, {{"N", n - h}, {"P", 2.5}})) / (2 * h);
    EXPECT_NEAR(at(derivative(e, "N"), {{"N", n}, {"P", 2.5}}), slope, 1e-4 * std::abs(slope) + 1e-4) << text;
  }
  EXPECT_EQ(text(derivative(parsed("step(N - 5)"), "N")), "dirac(N - 5)");
  EXPECT_TRUE(derivative(parsed("P^2"), "N").is_number(0));
}

TEST(Sums, Faulhaber) {
  Expr closed = sum_over(parsed("i^3 + 2*i"), "i", 1, symbol("N")).value();
  for (int n : {0, 1, 2, 17}) {
    double total = 0;
    for (int i = 1; i <= n; i++) total += i * i * i + 2 * i;
    EXPECT_DOUBLE_EQ(at(closed, {{"N", double(n)}}), total);
  }
  // Clement's count of the parallel part sums N + 2 - i terms; triangular loops come out exactly.
  EXPECT_TRUE(equal(parsed("sum(i, 0, N - 1, N - i)"), parsed("N*(N+1)/2")));
  EXPECT_FALSE(sum_over(parsed("log2(i)"), "i", 1, 5));
}

TEST(Coefficients, OfPolynomials) {
  auto list = coefficients(parsed("(N + P)^2 + floor(P)*N"), "N");
  ASSERT_TRUE(list);
  ASSERT_EQ(list->size(), 3u);
  EXPECT_EQ(text((*list)[1]), "2*P + floor(P)");
  EXPECT_FALSE(coefficients(parsed("1/N"), "N"));
  EXPECT_FALSE(coefficients(parsed("floor(N)"), "N"));
}

// Golden: Clement chapter 4, recomputed (X_Ops and the coefficient of the L1 term).
TEST(Clement, GaussOperationCounts) {
  Expr t = parsed(clement_gauss);
  Expr ops = derivative(t, "beta_ops") * 1e9;
  EXPECT_TRUE(equal(ops, parsed("12*N + (3046/25*N^2 + 16*N^3)/P")));
  EXPECT_TRUE(equal(derivative(t, "beta_vp") * 1e9, parsed("6*N^2")));
  EXPECT_TRUE(equal(derivative(t, "beta_st") * 1e9, parsed("4*N*log2(P)")));
  EXPECT_TRUE(equal(derivative(t, "beta_bw") * 1e9, parsed("8*N^2*log2(P) + 36*N*log2(P)")));
  // Beyond all steps X_L1 is 48 N^3 / (P L1) + ..., and 4/4096 N^2 (8N + 12)/P of it is the printed 0.00097.
  std::map<std::string, double> far{{"N", 1000}, {"P", 1}, {"L1", 4096}};
  Expr l1 = derivative(t, "beta_l1") * 1e9;
  EXPECT_NEAR(at(l1, far), 1000.0 * (8e6 + 5 * 8012.0 * 1000) / 4096, 1e-3);
}

}  // namespace
}  // namespace perfcast::expr
