#include "expr/expr.h"

#include <gtest/gtest.h>

#include <random>

#include "expr/algebra.h"
#include "expr/parse.h"
#include "expr/print.h"
#include "expr/test_gauss.h"

namespace perfcast::expr {
namespace {

Expr read(const std::string& text) {
  auto e = parse(text);
  EXPECT_TRUE(e) << (e ? "" : e.error().message());
  return e.value_or(Expr());
}
double value(const std::string& text, const std::map<std::string, double>& at = {}) {
  auto v = evaluate(read(text), at);
  EXPECT_TRUE(v) << text;
  return v.value_or(-1);
}

TEST(Parse, PrecedenceAsPeopleWriteIt) {
  EXPECT_DOUBLE_EQ(value("2+3*4^2"), 50);
  EXPECT_DOUBLE_EQ(value("-2^2"), -4);
  EXPECT_DOUBLE_EQ(value("2^3^2"), 512);
  EXPECT_DOUBLE_EQ(value("2**3"), 8);
  EXPECT_DOUBLE_EQ(value("12/3/2"), 2);
  EXPECT_DOUBLE_EQ(value("10 - 3 - 2"), 5);
  EXPECT_DOUBLE_EQ(value("2^-1"), 0.5);
  EXPECT_DOUBLE_EQ(value("a*b", {{"a", 3}, {"b", 4}}), 12);
}

TEST(Parse, Functions) {
  EXPECT_DOUBLE_EQ(value("log2(8) + ln(1) + sqrt(9)"), 6);
  EXPECT_DOUBLE_EQ(value("floor(7/2) + ceil(7/2) + abs(-3)"), 10);
  EXPECT_DOUBLE_EQ(value("min(3, 1, 2) + max(3, 1, 2)"), 4);
  EXPECT_DOUBLE_EQ(value("mod(-1, 4)"), 3);
  EXPECT_DOUBLE_EQ(value("step(0) + step(-1e-9)"), 1);  // Heaviside of 0 is 1 (Clement 4.2.2)
  EXPECT_DOUBLE_EQ(value("pick(mod(N, 3), 10, 20, 30)", {{"N", 7}}), 20);
  EXPECT_DOUBLE_EQ(value("sum(i, 1, N, i^2)", {{"N", 10}}), 385);
}

TEST(Parse, ErrorsNameThePlace) {
  for (auto [text, column] : {std::pair("2 + ", 5), {"2 $ 3", 3}, {"(1 + 2", 1}, {"foo(1)", 1}, {"log2", 1}, {"1/0", 2},
                              {"3N", 2}, {"", 1}, {"log2(1, 2)", 1}, {"1e999", 1}, {"1..2", 3}, {"sum(1, 2, 3, 4)", 1}}) {
    auto e = parse(text, "there");
    ASSERT_FALSE(e) << text;
    EXPECT_NE(e.error().where.find("there: column " + std::to_string(column)), std::string::npos) << text << ": " << e.error().message();
  }
}

TEST(Parse, HostileInputEndsQuickly) {
  EXPECT_FALSE(parse(std::string(100'000, '(')));
  EXPECT_FALSE(parse(std::string(100'000, '-') + "1"));
  EXPECT_FALSE(parse(std::string(3'000'000, '1')));
  std::string towers = "2";
  for (int i = 0; i < 150; i++) towers = "(" + towers + ")^9";
  if (auto e = parse(towers)) simplify(*e);
  if (auto e = parse("2^2^2^2^2^2^2^2")) simplify(*e), derivative(*e, "x");
  if (auto e = parse("(a+b+c+d)^1000*(a-b)^1000")) {
    simplify(*e);
    EXPECT_FALSE(derivative(*e, "a").is_number(0));
  }
  std::mt19937 random(1);
  const std::string letters = "NP0123456789.+-*/^(), eelogsumfrpickmod2";
  for (int i = 0; i < 3000; i++) {
    std::string text;
    for (unsigned k = random() % 40; k; k--) text += letters[random() % letters.size()];
    auto e = parse(text);
    if (!e) continue;
    Expr simple = simplify(*e);
    ASSERT_TRUE(parse(expr::text(simple))) << text << " -> " << expr::text(simple);
    derivative(*e, "N");
  }
}

TEST(Print, ReadsBackAsTheSame) {
  for (const char* text : {"N^3/3 - N/3", "-N", "2*N/(P*(N + 1))", "a - (b - c)", "a/(b/c)", "(-2)^N", "2^(-N)", "1.5e-9*N",
                           "sqrt(N + 1)", "N^(2/3)", "log2(P)*4*N", clement_gauss}) {
    Expr e = read(text), again = read(expr::text(e));
    EXPECT_TRUE(equal(e, again)) << text << " -> " << expr::text(e);
  }
}

TEST(Print, OneOrderWhateverMadeIt) {
  EXPECT_EQ(text(read("1 + N + N^3 + N^2")), "N^3 + N^2 + N + 1");
  EXPECT_EQ(text(simplify(read("(N+1)*(N-1)/3"))), text(simplify(read("N^2/3 - 1/3"))));
  EXPECT_EQ(text(read("3*N/2 - 5")), "3*N/2 - 5");
  EXPECT_EQ(text(read("121.84*N^2/P")), "121.84*N^2/P");
}

TEST(Print, LatexAndC) {
  EXPECT_EQ(latex(read("16*N^3/P")), "\\frac{16 \\, N^{3}}{P}");
  EXPECT_EQ(latex(read("beta_ops*log2(P)")), "\\beta_{\\mathrm{ops}} \\, \\log_2\\left(P\\right)");
  std::string c = c_source(read("N^3/3 + mod(N, 4)*step(N - 1)"), "seconds", {"N"});
  EXPECT_NE(c.find("double seconds(double N)"), std::string::npos);
  EXPECT_NE(c.find("static double modulo"), std::string::npos);
}

TEST(Evaluate, SaysWhatIsMissing) {
  auto v = evaluate(read("N*P"), {{"N", 1}});
  ASSERT_FALSE(v);
  EXPECT_NE(v.error().what.find("\"P\""), std::string::npos);
  EXPECT_FALSE(evaluate(read("log2(N)"), {{"N", 0}}));
}

}  // namespace
}  // namespace perfcast::expr
