#include <gtest/gtest.h>

#include "base/files.h"
#include "expr/parse.h"
#include "frontends/analyze.h"
#include "frontends/scaling/sizes.h"

namespace perfcast {
namespace {

Profile analyzed(const std::string& source, std::vector<std::string> arguments, std::map<std::string, int> parameters, const std::string& flags = "-O1") {
  auto folder = TemporaryFolder::make("scaling").value();
  EXPECT_TRUE(write_file(folder.file("p.c"), source));
  AnalyzeOptions options;
  options.sources = {folder.file("p.c")}, options.cflags = flags, options.arguments = std::move(arguments), options.parameters = std::move(parameters);
  options.source_level = false, options.memory_level = false;
  auto profile = analyze(options);
  EXPECT_TRUE(profile) << (profile ? "" : profile.error().message());
  return profile.value_or(Profile{});
}

double executed_at(const Profile& profile, const std::map<std::string, double>& set) {
  double total = 0;
  for (const auto& function : profile.ir->functions)
    for (const auto& block : function.blocks) total += expr::evaluate(expr::parse(block.count.expression).value(), set).value_or(-1e18);
  return total;
}
double executed(const Profile& profile) {
  double total = 0;
  for (const auto& function : profile.ir->functions)
    for (const auto& block : function.blocks) total += block.count.value;
  return total;
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
  bool told = false;
  for (const auto& remark : wrong.scaling->remarks) told = told || remark.find("changes no count") != std::string::npos;
  EXPECT_TRUE(told);
  EXPECT_GT(executed(wrong), 0);

  std::string powers = triangular;
  powers.insert(powers.find("double *a"), "if (n & (n - 1)) return 3; ");
  Profile choosy = analyzed(powers, {"128"}, {{"N", 1}});
  EXPECT_GT(choosy.scaling->shares["interpolated"] + choosy.scaling->shares["proved"], 0.99);
  EXPECT_FALSE(choosy.scaling->remarks.empty());

  std::string one = triangular;
  one.insert(one.find("double *a"), "if (n != 100) abort(); ");
  Profile refused = analyzed(one, {"100"}, {{"N", 1}});
  EXPECT_TRUE(refused.scaling->shares.empty());
  EXPECT_FALSE(refused.gaps.empty());
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
