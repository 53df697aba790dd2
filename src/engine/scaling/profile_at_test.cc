#include "engine/scaling/profile_at.h"

#include <gtest/gtest.h>

namespace perfcast::engine {
namespace {

Profile sample() {
  Profile p;
  p.program = "p";
  p.run.parameters = {{"N", 100}}, p.run.page_faults = 20;
  p.scaling.emplace();
  p.scaling->shares = {{"interpolated", 1}};
  p.scaling->page_faults = "10 + N/10";
  p.scaling->hidden = {{"H1", "iterations", "N/2", 0.1}};
  p.scaling->runs = {{{{"N", 100}}, 20, 0, true, {}}};
  Function f;
  f.name = "main";
  Block b;
  b.name = "loop", b.count = {10000, "N^2", Certainty::interpolated};
  b.next = {{0, {9900, "N^2 - N", Certainty::interpolated}}, {1, {100, "N", Certainty::interpolated}}};
  b.mispredicted = 100;
  Access a;
  a.count = 10000, a.lines = {{1250, 1, 0}};
  b.accesses = {a};
  Block end;
  end.name = "end", end.count = {50, "H1", Certainty::ratio};
  f.blocks = {b, end};
  p.ir = Graph{{f}};
  Access half = a;
  half.count = 2500, half.lines = {{312, 1, 0}};
  p.scaling->memory = {{{{"N", 50}}, {{"main", "loop", half}}}};
  return p;
}

TEST(ProfileAt, CountsDistancesAndFaultsGrow) {
  auto at = profile_at(sample(), {{"N", 1000}});
  ASSERT_TRUE(at) << at.error().message();
  const auto& blocks = at->profile.ir->functions[0].blocks;
  EXPECT_EQ(blocks[0].count.value, 1e6);
  EXPECT_EQ(blocks[0].next[1].count.value, 1000);
  EXPECT_DOUBLE_EQ(blocks[0].mispredicted->large, 1000);                    // with the exits of the loop, not its iterations
  EXPECT_DOUBLE_EQ(blocks[0].accesses[0].count, 1e6);
  EXPECT_NEAR(blocks[0].accesses[0].lines[0].distance, 125000, 1);     // a plane: N^2
  EXPECT_EQ(blocks[1].count.value, 500);
  EXPECT_NEAR(at->profile.run.page_faults, 110, 1e-9);
  ASSERT_EQ(at->warnings.size(), 1u);
  EXPECT_NE(at->warnings[0].find("10 times"), std::string::npos);
}

// Bursts at the recorded size meet hardly any first touches; whole runs at smaller ones meet them all. That is no growth of memory,
// and limits none.
TEST(ProfileAt, FirstTouchesOfWholeRunsSayNothingOfBursts) {
  Profile mixed = sample();
  mixed.scaling->memory[0].accesses[0].access.cold = 0.1;
  auto at = profile_at(mixed, {{"N", 1000}});
  ASSERT_TRUE(at) << at.error().message();
  EXPECT_NEAR(at->profile.ir->functions[0].blocks[0].accesses[0].lines[0].distance, 125000, 1);
}

// A choice that became a branch is mispredicted as often as it is made, not as often as its loop ends.
TEST(ProfileAt, BranchesOfChoicesGrowWithTheirBlocks) {
  Profile choices = sample();
  choices.ir->functions[0].blocks[0].mispredicted = 3000;
  auto at = profile_at(choices, {{"N", 1000}});
  ASSERT_TRUE(at) << at.error().message();
  EXPECT_DOUBLE_EQ(at->profile.ir->functions[0].blocks[0].mispredicted->large, 300000);
}

TEST(ProfileAt, SaysWhatIsWrong) {
  EXPECT_FALSE(profile_at(sample(), {{"M", 3}}));
  EXPECT_FALSE(profile_at(sample(), {{"N", 0}}));
  EXPECT_FALSE(profile_at(sample(), {{"N", 1e200}}));
  Profile plain = sample();
  plain.scaling.reset();
  EXPECT_FALSE(profile_at(plain, {{"N", 5}}));
}

TEST(ProfileAt, CountsWithoutAValueAreTold) {
  Profile p = sample();
  p.ir->functions[0].blocks[1].count = {1024, "2^N", Certainty::interpolated};
  auto at = profile_at(p, {{"N", 5000}});
  ASSERT_TRUE(at) << at.error().message();
  EXPECT_EQ(at->profile.ir->functions[0].blocks[1].count.value, 1024);
  EXPECT_NE(at->warnings.back().find("2^N"), std::string::npos);
}

TEST(ProfileAt, MemoryOfSizesThatSayNothingIsPassedOver) {
  for (const std::map<std::string, double>& size : {std::map<std::string, double>{}, {{"M", 50}}, {{"N", 0}}, {{"N", -5}}}) {
    Profile odd = sample();
    odd.scaling->memory.push_back(odd.scaling->memory[0]);
    odd.scaling->memory.back().set = size;
    auto at = profile_at(odd, {{"N", 1000}});
    ASSERT_TRUE(at) << at.error().message();
    EXPECT_TRUE(at->profile.ir == profile_at(sample(), {{"N", 1000}})->profile.ir);
  }
}

}  // namespace
}  // namespace perfcast::engine
