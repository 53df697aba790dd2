#include "report/statistics.h"

#include <gtest/gtest.h>

namespace perfcast::report {
namespace {

Block block(const std::string& kind, int line, double count, std::map<std::string, double> usage, std::optional<int> loop = {}) {
  Block made;
  made.kind = kind;
  made.name = kind + std::to_string(line);
  made.at = {"src/a.c", line, 1};
  made.count.value = count;
  made.usage = std::move(usage);
  made.loop = loop;
  return made;
}

// f(): line 3 a loop of 10 entered twice, line 4 its body; line 6 a call into a header's function.
Profile sample() {
  Profile profile;
  profile.program = "sample";
  profile.source.emplace();
  Function f;
  f.name = "f";
  f.calls.value = 2;
  f.blocks = {block("for-init", 3, 2, {{"LOIN", 1}}), block("for-test", 3, 22, {}, 0), block("assign", 4, 20, {{"ARDL", 2}, {"SRDL", 1}}, 0),
              block("for-step", 3, 20, {{"LOOV", 1}}, 0), block("call", 6, 2, {{"PROC", 1}})};
  f.blocks[4].calls = {{"g", 1}};
  f.loops.push_back({});
  f.loops[0].at = {"src/a.c", 3, 3};
  f.loops[0].header = 1;
  f.loops[0].entries.value = 2;
  Function g;
  g.name = "g";
  g.readable = "std::g<int>";
  g.library = true;
  g.calls.value = 2;
  g.blocks = {block("return", 90, 2, {{"AISL", 5}})};
  g.blocks[0].at.file = "/usr/include/g.h";
  profile.source->functions = {f, g};
  profile.regions = {{"kernel", "src/a.c", 3, 5}};
  return profile;
}

TEST(Statistics, DynamicIsSortedWithFractions) {
  auto statistics = source_statistics(sample());
  ASSERT_EQ(statistics.operations.size(), 6u);
  EXPECT_EQ(statistics.operations[0].name, "ARDL");
  EXPECT_EQ(statistics.operations[0].executed, 40);
  EXPECT_EQ(statistics.operations[0].in_text, 2);
  EXPECT_DOUBLE_EQ(statistics.operations[0].fraction, 40.0 / 94);
  EXPECT_DOUBLE_EQ(statistics.operations.back().cumulative, 1);
  EXPECT_EQ(statistics.in_library, 10);
  EXPECT_EQ(statistics.coverage, 1);
}

TEST(Statistics, TheTextIsTheUsersOwn) {
  double in_text = 0;
  for (auto& operation : source_statistics(sample()).operations) in_text += operation.in_text;
  EXPECT_EQ(in_text, 6);  // without the header's AISL
}

TEST(Statistics, StatementsCountLoopsByTheirEntries) {
  std::map<std::string, std::pair<double, double>> found;
  for (auto& s : source_statistics(sample()).statements) found[s.kind] = {s.in_text, s.executed};
  EXPECT_EQ(found.size(), 4u);
  EXPECT_EQ(found["assignment"], std::pair(1.0, 20.0));
  EXPECT_EQ(found["loop"], std::pair(1.0, 2.0));
  EXPECT_EQ(found["call standard"], std::pair(1.0, 2.0));
  EXPECT_EQ(found["return"], std::pair(0.0, 2.0));
}

TEST(Statistics, ElementsAndIterationsAreNoStatements) {
  auto profile = sample();
  for (auto kind : {"elements", "elements-of-matmul", "do-iterate", "entry"})
    profile.source->functions[0].blocks.push_back(block(kind, 4, 1000, {{"LOOV", 1}}));
  EXPECT_EQ(source_statistics(profile).statements.size(), 4u);
}

double executed(const Profile& profile, const std::string& text) {
  auto scope = scope_named(text, profile);
  EXPECT_TRUE(scope) << text;
  double sum = 0;
  for (auto& operation : source_statistics(profile, *scope).operations) sum += operation.executed;
  return sum;
}

TEST(Statistics, PartsOfTheProgram) {
  auto profile = sample();
  EXPECT_EQ(executed(profile, "program"), 94);
  EXPECT_EQ(executed(profile, "f"), 84);
  EXPECT_EQ(executed(profile, "std::g<int>"), 10);
  EXPECT_EQ(executed(profile, "g<int>"), 10);        // only one function ends so
  EXPECT_EQ(executed(profile, "f:3"), 80);           // the loop
  EXPECT_EQ(executed(profile, "a.c:4-6"), 62);
  EXPECT_EQ(executed(profile, "src/a.c:4"), 60);
  EXPECT_EQ(executed(profile, "kernel"), 82);
  EXPECT_FALSE(scope_named("nothing", profile));
  EXPECT_EQ(scope_named("a.c:9-4", profile).error().kind, Trouble::usage);
}

TEST(Statistics, GapsLowerTheCoverage) {
  auto profile = sample();
  profile.gaps = {{"inline assembler", {"src/a.c", 4, 1}, 6}};
  EXPECT_DOUBLE_EQ(source_statistics(profile).coverage, 0.94);
  EXPECT_TRUE(source_statistics(profile, *scope_named("a.c:6", profile)).gaps.empty());
  EXPECT_NE(source_statistics_text(profile).find("src/a.c:4: inline assembler, executed 6 times"), std::string::npos);
}

TEST(Statistics, AProfileWithoutSourceSaysSo) {
  Profile profile;
  profile.program = "binary";
  EXPECT_NE(source_statistics_text(profile).find("no source level"), std::string::npos);
  EXPECT_FALSE(scope_named("main", profile));
}

}  // namespace
}  // namespace perfcast::report
