#include "expr/reconstruct.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "expr/parse.h"
#include "expr/print.h"

namespace perfcast::expr {
namespace {

std::vector<std::vector<double>> sizes(std::initializer_list<std::pair<int, int>> ranges, int step = 1) {
  std::vector<std::vector<double>> all;
  for (auto [from, to] : ranges)
    for (int n = from; n <= to; n += step) all.push_back({static_cast<double>(n)});
  return all;
}
std::vector<double> at(const std::string& law, const std::vector<std::string>& names, const std::vector<std::vector<double>>& points) {
  std::vector<double> values;
  for (const auto& point : points) {
    std::map<std::string, double> named;
    for (std::size_t k = 0; k < names.size(); k++) named[names[k]] = point[k];
    values.push_back(std::round(evaluate(parse(law).value(), named).value()));
  }
  return values;
}

// Planted forms are found again, and hold far away.
TEST(Reconstruct, OneParameter) {
  auto points = sizes({{40, 119}, {128, 128}, {150, 150}, {200, 200}, {256, 256}, {512, 512}});
  Reconstructor reconstructor({"N"}, points);
  for (const char* law : {"7", "N - 1", "N^3/3 - N/3", "N*(N-1)/2 + 5", "2*N^4 - N", "floor(N/4)", "N*mod(N,4)", "N^2*floor(N/8) + mod(N,8)", "floor((N-1)/2)*N",
                          "floor(log2(N))", "N*(floor(log2(N)) + 2) - 2^(floor(log2(N)) + 1)", "200*N + 13", "floor(N/16)*N"}) {
    auto form = reconstructor.exact(at(law, {"N"}, points));
    ASSERT_TRUE(form) << law;
    EXPECT_GE(form->checks, 2);
    for (double n : {1000.0, 1023.0, 2047.0, 3001.0})
      EXPECT_EQ(std::round(evaluate(form->expression, {{"N", n}}).value()), at(law, {"N"}, {{n}})[0]) << law << " became " << text(form->expression);
  }
}

TEST(Reconstruct, SixRunsSufficeForPolynomials) {
  auto points = sizes({{32, 112}}, 16);
  Reconstructor reconstructor({"N"}, points);
  auto form = reconstructor.exact(at("N^3/6 - N/6 + 2*N", {"N"}, points));
  ASSERT_TRUE(form);
  EXPECT_EQ(text(form->expression), "N^3/6 + 11*N/6");
  EXPECT_EQ(form->checks, 2);
}

TEST(Reconstruct, PowersOfTwoOnly) {
  std::vector<std::vector<double>> points;
  for (int k = 2; k <= 11; k++) points.push_back({std::exp2(k)});
  auto form = Reconstructor({"N"}, points).exact(at("N*log2(N)/2 + N - 1", {"N"}, points));
  ASSERT_TRUE(form);
  EXPECT_EQ(text(form->expression), "N*log2(N)/2 + N - 1");
}

TEST(Reconstruct, ExponentialInASmallParameter) {
  auto points = sizes({{3, 14}});
  auto form = Reconstructor({"L"}, points).exact(at("3*2^L - L", {"L"}, points));
  ASSERT_TRUE(form);
  EXPECT_EQ(evaluate(form->expression, {{"L", 20}}).value(), 3 * 1048576.0 - 20);
}

TEST(Reconstruct, SeveralParameters) {
  std::vector<std::vector<double>> points;
  for (int n : {16, 17, 18, 19, 21, 23, 26}) for (int m : {8, 9, 10, 11, 13, 15}) points.push_back({double(n), double(m)});
  Reconstructor reconstructor({"N", "M"}, points);
  for (const char* law : {"N*M", "N^2*M - 3*M + 1", "M*floor(N/4)", "M*(N-2)^2", "5", "N"}) {
    auto form = reconstructor.exact(at(law, {"N", "M"}, points));
    ASSERT_TRUE(form) << law;
    EXPECT_EQ(evaluate(form->expression, {{"N", 1003}, {"M", 77}}).value(), at(law, {"N", "M"}, {{1003, 77}})[0]) << law;
  }
}

TEST(Reconstruct, NoFalseExactForm) {
  auto points = sizes({{40, 119}});
  Reconstructor reconstructor({"N"}, points);
  std::mt19937 random(3);
  for (int trial = 0; trial < 20; trial++) {
    std::vector<double> values;
    for (const auto& p : points) values.push_back(std::floor(p[0] * p[0] / 3) + static_cast<double>(random() % 3));
    EXPECT_FALSE(reconstructor.exact(values));
  }
}

// Five terms in the octave go through any five octaves: what no further one has confirmed is no form.
TEST(Reconstruct, AnOctaveIsCheckedByAnother) {
  auto points = sizes({{1, 16}});
  std::vector<double> once;
  for (const auto& p : points) once.push_back(p[0] == 1);
  auto form = Reconstructor({"L"}, points).exact(once);
  if (form) EXPECT_EQ(evaluate(form->expression, {{"L", 40}}).value(), 0);
  std::vector<double> steps;
  points = sizes({{40, 79}});
  for (const auto& p : points) steps.push_back(p[0] < 64 ? 3 : 11);
  EXPECT_FALSE(Reconstructor({"N"}, points).exact(steps));
  points = sizes({{4, 79}});
  auto halvings = Reconstructor({"N"}, points).exact(at("3*floor(log2(N)) + 2^floor(log2(N))", {"N"}, points));
  ASSERT_TRUE(halvings);
  EXPECT_EQ(evaluate(halvings->expression, {{"N", 5000}}).value(), 36 + 4096);
}

// On the line of samples with N = 24 some counts vanish.
TEST(Reconstruct, RemaindersOfAParameterTimesAnother) {
  std::vector<std::vector<double>> points;
  for (double n : {20, 21, 22, 23, 24, 25, 26, 27, 28, 30, 31, 33, 35, 36, 41}) points.push_back({24, n}), points.push_back({n, 24});
  for (double n : {20, 22, 26, 28, 31, 35, 41}) for (double m : {21, 23, 25, 27, 30, 33, 36}) points.push_back({n, m});
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  Reconstructor reconstructor({"N", "M"}, points);
  for (const char* law : {"M*pick(mod(N, 4), 0, 1, 1, 1)", "3*(M-mod(M,4))/2 + pick(mod(M, 4), 0, 1, 3, 6)", "N*mod(M, 4)"}) {
    auto form = reconstructor.exact(at(law, {"N", "M"}, points));
    ASSERT_TRUE(form) << law;
    for (double n : {401.0, 402.0, 403.0, 404.0}) EXPECT_EQ(evaluate(form->expression, {{"N", n}, {"M", n + 1}}).value(), at(law, {"N", "M"}, {{n, n + 1}})[0]) << law;
  }
}

TEST(Reconstruct, HiddenVariable) {
  auto points = sizes({{40, 79}});
  std::vector<double> hidden, values;
  std::mt19937 random(5);
  for (const auto& p : points) hidden.push_back(20 + std::floor(p[0] / 3) + static_cast<double>(random() % 4)), values.push_back(p[0] * p[0] * hidden.back() + 3 * p[0]);
  Reconstructor reconstructor({"N"}, points);
  EXPECT_FALSE(reconstructor.exact(values));
  std::vector<Reconstructor::Hidden> one{{"H1", hidden}};
  auto form = reconstructor.exact_with(values, one);
  ASSERT_TRUE(form);
  EXPECT_EQ(evaluate(form->expression, {{"N", 100}, {"H1", 60}}).value(), 600300);
  // A second one, and logarithms beside it; those show over some octaves only.
  points = sizes({{10, 79}}), hidden.clear(), reconstructor = Reconstructor({"N"}, points);
  for (const auto& p : points) hidden.push_back(20 + std::floor(p[0] / 3) + static_cast<double>(random() % 4));
  one = {{"H1", hidden}};
  std::vector<double> other, both;
  for (std::size_t k = 0; k < points.size(); k++)
    other.push_back(static_cast<double>(random() % 50)), both.push_back(2 * points[k][0] * hidden[k] - 3 * other[k] + 7 + std::floor(std::log2(points[k][0])));
  std::vector<Reconstructor::Hidden> two{{"H1", hidden}, {"H2", other}};
  EXPECT_FALSE(reconstructor.exact_with(both, one));
  auto more = reconstructor.exact_with(both, two);
  ASSERT_TRUE(more);
  EXPECT_EQ(evaluate(more->expression, {{"N", 70}, {"H1", 30}, {"H2", 5}}).value(), 2 * 70 * 30 - 15 + 7 + 6);
}

TEST(Law, InScalesPrefersTheSimple) {
  std::vector<std::vector<double>> points{{100}, {200}, {400}, {800}};
  const Expr n = symbol("N");
  std::vector<Scale> scales{{n, {}}, {n * n, {}}};
  Law flat = law_in_scales({"N"}, points, std::vector<double>{50, 50, 51, 50}, scales);
  EXPECT_TRUE(flat.expression.is_number());
  Law square = law_in_scales({"N"}, points, std::vector<double>{30000, 120000, 480000, 1920000}, scales);
  EXPECT_NEAR(evaluate(square.expression, {{"N", 1600}}).value(), 7680000, 1);
  Law both = law_in_scales({"N"}, points, std::vector<double>{1000 + 200, 1000 + 400, 1000 + 800, 1000 + 1600}, scales);
  EXPECT_NEAR(evaluate(both.expression, {{"N", 1600}}).value(), 4200, 1);
  EXPECT_LT(both.spread, 1e-9);
}

// Calls that call themselves twice grow by a factor per step, not by a power.
TEST(Law, RecursionByStepsIsExponential) {
  std::vector<std::vector<double>> points;
  std::vector<double> values;
  double before = 1, now = 1;  // calls of fib(0), fib(1)
  for (int n = 2; n <= 25; n++) {
    double next = 1 + before + now;
    before = now, now = next;
    points.push_back({static_cast<double>(n)}), values.push_back(now);
  }
  Law law = law_of({"N"}, points, values);
  EXPECT_NEAR(evaluate(law.expression, {{"N", 30}}).value() / 2692537, 1, 0.02);  // calls of fib(30)
}

// Loops over tiles of 24: the tiles themselves are counted exactly, whatever is left over.
TEST(Reconstruct, TilesOfTwentyFour) {
  std::vector<std::vector<double>> points;
  std::vector<double> values;
  for (int n = 40; n < 120; n++) points.push_back({static_cast<double>(n)}), values.push_back((n + 23) / 24);
  auto form = Reconstructor({"N"}, points).exact(values);
  ASSERT_TRUE(form);
  EXPECT_NEAR(evaluate(form->expression, {{"N", 1001}}).value(), 42, 1e-9);
}

// Nests over float: periods of which few residues were seen more than twice.
TEST(Reconstruct, LongPeriodsShareTheirTerms) {
  auto points = sizes({{40, 119}, {128, 128}, {254, 262}, {382, 390}, {510, 518}});
  for (int n = 129; n <= 700; n += 11) points.push_back({static_cast<double>(n)});
  Reconstructor reconstructor({"N"}, points);
  for (const char* law : {"N^2*floor(N/32)", "floor(N*N/32)", "N*mod(N, 32) + 3*N", "(N-2)^2*floor((N-2)/32)"}) {
    auto form = reconstructor.exact(at(law, {"N"}, points));
    ASSERT_TRUE(form) << law;
    for (double n : {1000.0, 1023.0, 2048.0, 3001.0})
      EXPECT_EQ(std::round(evaluate(form->expression, {{"N", n}}).value()), at(law, {"N"}, {{n}})[0]) << law << " became " << text(form->expression);
  }
}

// Loops over bytes: 128 or 256 at once, then 8, then one; what is entered, and nests and triangles of them.
TEST(Reconstruct, StepsOfVectorsOfNarrowElements) {
  auto points = sizes({{40, 119}, {128, 128}, {254, 262}, {382, 390}, {510, 518}});
  for (int n = 129; n <= 1600; n += 31) points.push_back({static_cast<double>(n)});
  Reconstructor reconstructor({"N"}, points);
  for (const char* law : {"20*floor(N/128)", "floor(mod(N, 128)/8)", "3*mod(N, 16) + floor(N/256)", "floor((N-2)/128) + 7*min(1, mod(N-2, 128))",
                          "step(mod(N, 128) - 16) + min(1, mod(N, 16))", "N*floor(N/128) + N", "N*floor(mod(N, 128)/8)",
                          "128*floor(N/128)*(floor(N/128) - 1)/2 + floor(N/128)*mod(N, 128)"}) {
    auto form = reconstructor.exact(at(law, {"N"}, points));
    ASSERT_TRUE(form) << law;
    EXPECT_GE(form->checks, 30) << law;
    for (double n : {2000.0, 2047.0, 4096.0, 10007.0})
      EXPECT_EQ(std::round(evaluate(form->expression, {{"N", n}}).value()), at(law, {"N"}, {{n}})[0]) << law << " became " << text(form->expression);
  }
  std::vector<double> noisy = at("floor(N/128)", {"N"}, points);
  noisy.back() += 1;
  EXPECT_FALSE(reconstructor.exact(noisy));
}

TEST(Reconstruct, StepsInOneOfTwoParameters) {
  std::vector<std::vector<double>> points;
  const std::vector<double> near = {20, 21, 22, 23, 24, 25, 26, 27, 28, 30, 33, 34, 35, 36, 37, 39};
  const std::vector<double> far = {64, 70, 97, 101, 128, 131, 150, 161, 193, 200, 255, 257, 300, 333, 384, 390};
  for (double m : near) points.push_back({24, m}), points.push_back({m, 24});
  for (double n : {24, 21, 26, 35}) for (double m : far) points.push_back({n, m}), points.push_back({m, n});
  for (double n : {20, 22, 28, 33}) for (double m : {21, 25, 30, 36}) points.push_back({n, m});
  for (double n : {70, 150, 301}) points.push_back({n, 2 * n - 37});
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  Reconstructor reconstructor({"N", "M"}, points);
  for (const char* law : {"(N-2)*floor((M-2)/32)", "3*N*mod(M, 32) + N", "N*floor(M/128)", "N*floor(mod(M, 64)/8)", "floor(N*M/32)", "mod(N*M, 8)",
                          "(N-2)*floor((M-2)/32)*step(M - 42)", "(N-2)*step(M - 50)"}) {
    auto form = reconstructor.exact(at(law, {"N", "M"}, points));
    ASSERT_TRUE(form) << law;
    for (double n : {401.0, 1000.0}) EXPECT_EQ(evaluate(form->expression, {{"N", n}, {"M", n + 90}}).value(), at(law, {"N", "M"}, {{n, n + 90}})[0]) << law;
  }
}

// A count that is zero but for a few samples goes through any form with as many unknowns.
TEST(Reconstruct, HiddenCountsThatAreMostlyZeroExplainNothing) {
  std::vector<std::vector<double>> points;
  std::vector<double> hidden, values;
  for (double n = 20; n < 40; n += 2)
    for (double m = 20; m < 40; m += 3) points.push_back({n, m}), hidden.push_back(0), values.push_back(0);
  hidden[hidden.size() - 1] = 7, hidden[hidden.size() - 2] = 3, values[values.size() - 1] = 38, values[values.size() - 2] = 11;
  std::vector<Reconstructor::Hidden> one{{"H1", hidden}};
  EXPECT_FALSE(Reconstructor({"N", "M"}, points).exact_with(values, one));
}

// Samples that bend downwards at their end make no law that is negative, or falls, beyond them.
TEST(Law, NeverFallsBelowZero) {
  std::vector<std::vector<double>> points;
  std::vector<double> values;
  for (double n = 40; n <= 400; n += 8) points.push_back({n}), values.push_back(n * n - n * n * n / 900);
  Law law = law_of({"N"}, points, values);
  for (double n : {1000.0, 10000.0, 1000000.0}) EXPECT_GT(evaluate(law.expression, {{"N", n}}).value(), 1000) << text(law.expression);
}

TEST(Law, JitterIsNoGrowth) {
  std::vector<std::vector<double>> points;
  std::vector<double> jitter, growing;
  for (double n = 40; n < 120; n++) points.push_back({n});
  for (double n : {250.0, 500.0, 1000.0}) points.push_back({n});
  for (std::size_t k = 0; k < points.size(); k++) jitter.push_back(14 + static_cast<double>(k * 7 % 5) - 2), growing.push_back(jitter.back() + points[k][0] / 10);
  EXPECT_TRUE(growth_law({"N"}, points, jitter).expression.is_number());
  EXPECT_NEAR(evaluate(growth_law({"N"}, points, growing).expression, {{"N", 10000}}).value(), 1014, 150);
  // What the heap did once, at the largest of four sizes, is no cube.
  const Expr n = symbol("N");
  std::vector<Scale> scales{{n, {}}, {n * n, {}}, {n * n * n, {}}};
  Law heap = law_in_scales({"N"}, {{2500}, {5000}, {10000}, {20000}}, std::vector<double>{900, 905, 960, 2100}, scales);
  EXPECT_LT(evaluate(heap.expression, {{"N", 2000000}}).value(), 300000) << text(heap.expression);
  // Nor are the digits of a number that is printed; a square beside a constant is one.
  Law digits = law_in_scales({"N"}, {{2500}, {5000}, {10000}, {20000}}, std::vector<double>{861, 861, 890, 1088}, scales);
  EXPECT_LT(evaluate(digits.expression, {{"N", 20000000}}).value(), 300000) << text(digits.expression);
  Law filled = law_in_scales({"N"}, {{25}, {50}, {100}, {200}}, std::vector<double>{1010, 1039, 1156, 1625}, scales);
  EXPECT_NEAR(evaluate(filled.expression, {{"N", 20000}}).value(), 6251000, 100000) << text(filled.expression);
}

TEST(Law, ChosenByHowItExtrapolates) {
  auto points = sizes({{40, 119}}, 3);
  std::vector<double> values;
  std::mt19937 random(2);
  for (const auto& p : points) values.push_back(std::round(1.6 * p[0] + 10 + 0.5 * (random() % 3)));
  Law law = law_of({"N"}, points, values);
  EXPECT_NEAR(evaluate(law.expression, {{"N", 1000}}).value(), 1610, 80);
  EXPECT_LT(law.spread, 0.05);
}

// A filter of K x K over an image of N x M: degree 1 in two parameters, 4 in the third.
TEST(Reconstruct, DegreesThatDifferBetweenParameters) {
  std::vector<std::vector<double>> points;
  std::vector<double> values;
  auto add = [&](double n, double m, double k) { points.push_back({n, m, k}), values.push_back((n - k + 1) * (m - k + 1) * k * k); };
  for (double x : {20, 21, 22, 23, 25, 28, 33}) add(x, 24, 5), add(24, x, 5);
  for (double k : {1, 2, 3, 4, 5, 6, 7, 8}) add(24, 24, k);
  for (int t = 0; t < 24; t++) add(20 + t % 7, 20 + 5 * t % 9, 1 + 3 * t % 8);
  auto form = Reconstructor({"N", "M", "K"}, points).exact(values);
  ASSERT_TRUE(form);
  EXPECT_DOUBLE_EQ(evaluate(form->expression, {{"N", 1000}, {"M", 700}, {"K", 31}}).value(), 970.0 * 670 * 961);
}

// Collisions in a table: many at some sizes, none at others, and nothing that could be continued to larger ones. What is sure is
// how many keys there are.
TEST(Law, WhatComesAndGoesIsAShareOfSomethingExact) {
  std::vector<std::vector<double>> points;
  for (double n = 40; n < 120; n++) points.push_back({n});
  for (double n = 128; n <= 4096; n *= 2) points.push_back({n});
  std::vector<double> values;
  Scale keys{4 * symbol("N"), {}};
  for (const auto& p : points) values.push_back(std::fmod(p[0], 3) == 0 ? std::round(p[0] * p[0] / 500) : 0), keys.values.push_back(4 * p[0]);
  values[points.size() - 2] = 700;
  Law law = law_of({"N"}, points, values, std::span(&keys, 1));
  EXPECT_DOUBLE_EQ(evaluate(law.expression, {{"N", 1e6}}).value(), 10 * evaluate(law.expression, {{"N", 1e5}}).value());
  EXPECT_LT(evaluate(law.expression, {{"N", 1e6}}).value(), 1e6);
  EXPECT_GT(law.spread, 0.5);
}

// Blocks of 32: what is done for each of them comes in steps, the first of which look like powers.
TEST(Law, StepsAreNoPowers) {
  std::vector<std::vector<double>> points;
  for (double n = 33; n <= 71; n++) points.push_back({n});
  for (double n : {80.0, 96.0}) points.push_back({n});
  std::vector<double> values;
  for (const auto& p : points) values.push_back(p[0] * p[0] * (std::ceil(p[0] / 32) - 1) - (p[0] > 40 ? 900 : 1000));
  EXPECT_LT(evaluate(law_of({"N"}, points, values).expression, {{"N", 512}}).value(), 512.0 * 512 * 512);
}

// Comparisons of a sort, 0.9 N log2 N - 2 N, once small parts are sorted otherwise: many small sizes where that is not so yet, and
// few large ones, which decide.
TEST(Law, LargeSizesCountMore) {
  std::vector<std::vector<double>> points;
  for (double n = 40; n < 120; n++) points.push_back({n});
  for (double n = 128; n <= 100000; n *= 2) points.push_back({n});
  for (double n : {12500.0, 25000.0, 50000.0, 66667.0, 100000.0}) points.push_back({n});
  std::vector<double> values;
  for (const auto& p : points) values.push_back(std::round(std::max(1.3 * p[0], 0.9 * p[0] * std::log2(p[0]) - 2 * p[0])));
  Law law = law_of({"N"}, points, values);
  const double at = 1600000;
  EXPECT_NEAR(evaluate(law.expression, {{"N", at}}).value() / (0.9 * at * std::log2(at) - 2 * at), 1, 0.02);
}

}  // namespace
}  // namespace perfcast::expr
