#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/files.h"
#include "expr/parse.h"
#include "frontends/analyze.h"
#include "frontends/scaling/library_growth.h"
#include "frontends/scaling/sizes.h"
#include "frontends/scaling/symbolic_counts.h"

namespace perfcast {
namespace {

Profile analyzed(const std::string& source, std::vector<std::string> arguments, std::map<std::string, int> parameters, const std::string& flags = "-O1", bool source_level = false) {
  auto folder = TemporaryFolder::make("scaling").value();
  EXPECT_TRUE(write_file(folder.file("p.c"), source));
  AnalyzeOptions options;
  options.sources = {folder.file("p.c")}, options.cflags = flags, options.arguments = std::move(arguments), options.parameters = std::move(parameters);
  options.source_level = source_level, options.memory_level = false;
  auto profile = analyze(options);
  EXPECT_TRUE(profile) << (profile ? "" : profile.error().message());
  return profile.value_or(Profile{});
}

double executed_at(const Graph& graph, const std::map<std::string, double>& set) {
  double total = 0;
  for (const auto& function : graph.functions)
    for (const auto& block : function.blocks) total += expr::evaluate(expr::parse(block.count.expression).value(), set).value_or(-1e18);
  return total;
}
double executed(const Graph& graph) {
  double total = 0;
  for (const auto& function : graph.functions)
    for (const auto& block : function.blocks) total += block.count.value;
  return total;
}
double executed_at(const Profile& profile, const std::map<std::string, double>& set) { return executed_at(*profile.ir, set); }
double executed(const Profile& profile) { return executed(*profile.ir); }
bool told(const Profile& profile, const std::string& words) {
  return std::ranges::any_of(profile.scaling->remarks, [&](const auto& remark) { return remark.find(words) != remark.npos; });
}

const char* triangular = R"(
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int n = atoi(argv[1]); double *a = malloc(8 * (size_t)n), s = 0;
  for (int i = 0; i < n; i++) a[i] = i % 7;
  for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) s += a[i] * a[j];
  printf("%g\n", s); free(a); return 0;
})";

// Forms found from small sizes hold at a size far away that was not used: a second analysis counts it.
TEST(Scaling, FormsHoldFarAway) {
  for (const char* flags : {"-O1", "-O2"}) {
    Profile small = analyzed(triangular, {"100"}, {{"N", 1}}, flags), large = analyzed(triangular, {"1117"}, {}, flags);
    ASSERT_TRUE(small.scaling);
    EXPECT_GT(small.scaling->shares["interpolated"] + small.scaling->shares["proved"], 0.99);
    EXPECT_EQ(executed_at(small, {{"N", 1117}}), executed(large)) << flags;
  }
}

// Bytes: 64 or more at once, then 8 or 16, then one. A mask and a triangle besides.
TEST(Scaling, NarrowElementsAreExact) {
  const char* source = R"(
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int n = atoi(argv[1]), c = 0; unsigned char *restrict a = calloc(n, 1), *restrict b = calloc(n, 1), *p = calloc((size_t)n * n, 1);
  for (int i = 0; i < n; i++) a[i] = (unsigned char)(3 * i);
  for (int i = 0; i < n; i++) b[i] = (unsigned char)((a[i] * 3) >> 2);
  for (int i = 1; i < n - 1; i++) c += b[i] > 100;
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) p[i * n + j] ^= (unsigned char)(i + j);
  printf("%d %d\n", c, p[n]); return 0;
})";
  Profile small = analyzed(source, {"1100"}, {{"N", 1}}, "-O2"), large = analyzed(source, {"2999"}, {}, "-O2");
  ASSERT_TRUE(small.scaling);
  EXPECT_GT(small.scaling->shares["interpolated"] + small.scaling->shares["proved"], 0.999);
  EXPECT_EQ(executed_at(small, {{"N", 2999}}), executed(large));
}

// The compiler cannot tell how often the inner loop runs, the counts can: interpolated, not proved.
TEST(Scaling, WhatTheCompilerCannotTellIsNoWitness) {
  const char* source = R"(
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int n = atoi(argv[1]), *next = calloc(8, 4); long s = 0;
  for (int i = 1; i < 8; i++) next[i] = i / 2;
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 5; k; k = next[k]) s += k ^ j;
  printf("%ld\n", s); return 0;
})";
  Profile profile = analyzed(source, {"120"}, {{"N", 1}});
  ASSERT_TRUE(profile.scaling);
  EXPECT_GT(profile.scaling->shares["interpolated"], 0.5);
}

// Below the cap everything is a square, but the loop says otherwise.
TEST(Scaling, ACapBeyondTheSizesRunIsNotProved) {
  const char* source = R"(
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int n = atoi(argv[1]), m = n < 1000 ? n : 1000; volatile double s = 0;
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += i * j;
  printf("%g\n", s); return 0;
})";
  Profile profile = analyzed(source, {"200"}, {{"N", 1}});
  EXPECT_LT(profile.scaling->shares["proved"] + profile.scaling->shares["interpolated"], 0.1);
  EXPECT_GT(profile.scaling->shares["unknown"], 0.9);
}

TEST(Scaling, RoundSizesOnly) {
  std::string hundreds = triangular;
  hundreds.insert(hundreds.find("double *a"), "if (n % 100) return 3; ");
  Profile small = analyzed(hundreds, {"1000"}, {{"N", 1}}), large = analyzed(hundreds, {"2300"}, {});
  EXPECT_EQ(executed_at(small, {{"N", 2300}}), executed(large));
}

TEST(Scaling, TwoParameters) {
  const char* source = R"(
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int n = atoi(argv[1]), m = atoi(argv[2]); volatile double s = 0;
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += i * j;
  for (int i = 0; i < m; i++) s += i;
  printf("%g\n", s); return 0;
})";
  Profile small = analyzed(source, {"50", "60"}, {{"N", 1}, {"M", 2}}), large = analyzed(source, {"123", "456"}, {});
  EXPECT_EQ(executed_at(small, {{"N", 123}, {"M", 456}}), executed(large));
}

TEST(Scaling, BadInputIsToldAndTheRestKept) {
  Profile wrong = analyzed(triangular, {"100", "5"}, {{"M", 2}});
  ASSERT_TRUE(wrong.scaling);
  EXPECT_TRUE(told(wrong, "changes no count"));
  EXPECT_GT(executed(wrong), 0);

  std::string powers = triangular;
  powers.insert(powers.find("double *a"), "if (n & (n - 1)) return 3; ");
  Profile choosy = analyzed(powers, {"128"}, {{"N", 1}});
  EXPECT_GT(choosy.scaling->shares["interpolated"] + choosy.scaling->shares["proved"], 0.99);
  EXPECT_FALSE(choosy.scaling->remarks.empty());

  // One size among many fails: it is named, the others serve.
  std::string crash = triangular;
  crash.insert(crash.find("double *a"), "if (n == 57) abort(); ");
  Profile crashed = analyzed(crash, {"100"}, {{"N", 1}});
  EXPECT_TRUE(told(crashed, "N=57"));
  EXPECT_GT(crashed.scaling->shares["interpolated"] + crashed.scaling->shares["proved"], 0.99);

  std::string one = triangular;
  one.insert(one.find("double *a"), "if (n != 100) abort(); ");
  Profile refused = analyzed(one, {"100"}, {{"N", 1}});
  EXPECT_TRUE(refused.scaling->shares.empty());
  EXPECT_TRUE(told(refused, "too few sizes"));
  EXPECT_GT(executed(refused), 0);
  EXPECT_FALSE(refused.gaps.empty());
}

// Statements have expressions too: hllc can be asked at other sizes.
TEST(Scaling, StatementsOfTheSource) {
  Profile small = analyzed(triangular, {"100"}, {{"N", 1}}, "-O2", true), large = analyzed(triangular, {"311"}, {}, "-O2", true);
  ASSERT_TRUE(small.source && large.source);
  EXPECT_EQ(executed_at(*small.source, {{"N", 311}}), executed(*large.source));
}

// Iterations until convergence depend on the data: everything else is exact in them.
TEST(Scaling, HiddenIterations) {
  const char* source = R"(
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int n = atoi(argv[1]), rounds = 0; unsigned r = 12345u * n;
  volatile double *a = malloc(8 * (size_t)n);
  for (int i = 0; i < n; i++) a[i] = i;
  do {
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i] += j;
    r = r * 1664525u + 1013904223u, rounds++;
  } while ((r >> 16) % 7 && rounds < 50);
  printf("%d\n", rounds); return 0;
})";
  Profile profile = analyzed(source, {"100"}, {{"N", 1}});
  ASSERT_EQ(profile.scaling->hidden.size(), 1u);
  const double exact = profile.scaling->shares["interpolated"] + profile.scaling->shares["proved"];
  EXPECT_GT(exact + profile.scaling->shares["exact given hidden"], 0.99);
  EXPECT_LT(exact, 0.5);
}

// Shortest paths: how often a way is found to be shorter depends on the data. The law is one of these few times, not of the many
// when it is not, from which they would be a small difference.
TEST(Scaling, RareWayHasTheLaw) {
  std::vector<std::vector<double>> points;
  std::vector<double> often, rare, all;
  for (double n = 40; n < 150; n += 3) {
    points.push_back({n});
    rare.push_back(std::round(0.7 * n * n * std::log2(n) + std::fmod(n * 37, 11))), all.push_back(n * n * n), often.push_back(all.back() - rare.back());
  }
  scaling::CountForms forms({"N"}, points);
  forms.add(all, 5, "loop", true), forms.add(rare, 1, "then", true), forms.add(often, 0, "edge", true);
  forms.solve();
  ASSERT_EQ(forms.hidden().size(), 1u);
  EXPECT_EQ(forms.hidden()[0].about, "then");
  EXPECT_EQ(forms.of(rare).expression, "H1");
}

TEST(Library, GrowsWithTheCallsThatCauseIt) {
  Graph machine;
  auto add = [&](const char* name, double count) {
    Function& function = machine.functions.emplace_back();
    function.name = name, function.library = true, function.library_name = "lib.so";
    Block& block = function.blocks.emplace_back();
    block.count.value = count, block.code.resize(10);
  };
  add("sin", 40000), add("start", 500);
  auto at = [](double n) { return scaling::LibrarySample{{{"N", n}}, {{"sin in lib.so", 10 * n * n}, {"start in lib.so", 5000}}}; };
  double miss = scaling::grow_library(machine, {{"N", 200}}, {at(100), at(50), at(25)}, {{"sin", expr::parse("N^2").value()}, {"printf", expr::Expr(1)}});
  EXPECT_LT(miss, 1e-6);
  auto value = [&](std::size_t f) { return expr::evaluate(expr::parse(machine.functions[f].blocks[0].count.expression).value(), {{"N", 400}}).value(); };
  EXPECT_NEAR(value(0), 160000, 1);
  EXPECT_NEAR(value(1), 500, 1e-6);
}

TEST(Sizes, EndWhereRunsGetSlow) {
  double largest = 0;
  int runs = 0;
  scaling::try_sizes({{"N", 100000}}, [&](const scaling::Setting& set, bool) {
    largest = std::max(largest, set.at("N")), runs++;
    return scaling::Try{true, set.at("N") > 200 ? 1.0 : 0.01};
  });
  EXPECT_GE(runs, 80);
  EXPECT_LE(largest, 256);
}

}  // namespace
}  // namespace perfcast
