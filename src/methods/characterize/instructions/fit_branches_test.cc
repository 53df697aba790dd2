// What is seen of branches in the timings of a processor of a known family.
#include <gtest/gtest.h>

#include "methods/characterize/instructions/fitted_kin.h"

namespace perfcast::instructions {
namespace {

// Ends of loops of up to forty iterations are predicted, or of all that were tried.
TEST_F(FittedKin, TheLongestLearnedLoopIsSeen) {
  for (int longest : {40, 1000}) {
    Timings timings;
    for (int n : {8, 16, 24, 32, 40, 48, 64, 96, 128, 192, 256}) timings.of["branch/ends/" + std::to_string(n)] = steady(n + (n > longest ? 22 : 2));
    const auto fitted = kin.fitted(timings);
    const auto& loop = fitted.core.branches.learned_loop;
    EXPECT_EQ(loop.has_value(), longest == 40);
    if (loop) EXPECT_NEAR(loop->value, 44, 1e-9);
  }
}

// Patterns of eight branches are learned up to 12000, or all that were tried.
TEST_F(FittedKin, TheLongestPatternOfManyBranchesIsSeen) {
  for (int longest : {12000, 100000}) {
    Timings timings;
    for (int n : {800, 4000, 8000, 12000, 16000, 24000})
      timings.of["branch/pattern.branches/" + std::to_string(n)] = steady(n > longest ? 9 : 1.5);
    const auto branches = kin.fitted(timings).core.branches.learned_branches;
    ASSERT_TRUE(branches);
    EXPECT_NEAR(branches->value, longest == 12000 ? 12600 : 24000, 1e-9);
  }
}

// Loops of up to fourteen jumps and their own take half a cycle for each; or all of them one.
TEST_F(FittedKin, LoopsThatAreReplayedAreSeen) {
  for (int longest : {14, 0}) {
    Timings timings;
    for (int n : {4, 6, 8, 10, 12, 14, 16, 20, 24}) timings.of["branch/jumps.ahead/" + std::to_string(n)] = steady(n <= longest ? 1.3 + 0.5 * n : n + 1);
    timings.of["branch/call.return.many/32"] = steady(3.4);
    const auto core = kin.fitted(timings).core;
    ASSERT_EQ(core.front_end.replayed_taken_branches.has_value(), longest > 0);
    EXPECT_NEAR(core.branches.call_return->value, 3.4, 1e-9);
    if (!longest) continue;
    EXPECT_EQ(core.front_end.replayed_taken_branches->value, 15);
    EXPECT_EQ(core.front_end.replayed_taken_per_cycle->value, 2);
    EXPECT_EQ(core.branches.taken_ports, "p0 p6");
  }
}

// 64 bytes with a jump across their middle take four cycles, or as long as without; then nothing is left of what the family is said
// to lose there.
TEST_F(FittedKin, CodeThatIsDecodedEachTimeIsSeen) {
  for (double cycles : {4.05, 2.5}) {
    Timings timings;
    timings.of["rename/boundary/24"] = steady(cycles), timings.of["rename/no.boundary/24"] = steady(2.5);
    const auto front_end = kin.fitted(timings).core.front_end;
    ASSERT_EQ(front_end.boundary_bytes.has_value(), cycles > 4);
    ASSERT_EQ(front_end.decode_bytes.has_value(), cycles > 4);
    if (cycles < 4) continue;
    EXPECT_EQ(front_end.decode_bytes->value, 16);
    EXPECT_EQ(front_end.boundary_bytes->value, 32);
  }
}

// Who names the stack pointer after a push takes a slot of four more, or none.
TEST_F(FittedKin, WhatNamingTheStackPointerTakesIsSeen) {
  for (double slots : {1.0, 0.0}) {
    Timings timings;
    const double width = kin.frame->front_end.rename_width.value;
    timings.of["rename/stack.moved/12"] = steady((11 + slots) / width), timings.of["rename/stack.still/12"] = steady(11 / width);
    const auto sync = kin.fitted(timings).core.rename.stack_sync;
    ASSERT_EQ(sync.has_value(), slots > 0);
    if (sync) EXPECT_EQ(sync->value, 1);
  }
}

// Up to 64 lines of code jump in a cycle each, more in two; two jumps in 32 bytes are one too many. Whether few of them are
// replayed in less says nothing of it.
TEST_F(FittedKin, BranchesForeseenAtOnceAreSeen) {
  for (const auto [longest, replayed] : {std::pair{64, 0}, {64, 16}, {256, 0}, {256, 16}}) {
    Timings timings;
    for (int n : {16, 32, 64, 128, 256}) timings.of["branch/taken.lines/" + std::to_string(n)] = steady((n + 1) * (n <= replayed ? 0.71 : n <= longest ? 1.02 : n < 256 ? 1.6 : 1.98));
    timings.of["branch/taken.jmp.32/16"] = steady(1.03), timings.of["branch/taken.jmp.16/16"] = steady(1.64);
    const auto front_end = kin.fitted(timings).core.front_end;
    ASSERT_EQ(front_end.near_branches.has_value(), longest < 256);
    if (!front_end.near_branches) continue;
    EXPECT_EQ(front_end.near_branches->value, 128);
    EXPECT_EQ(front_end.near_branch_bytes->value, 32);
    EXPECT_NEAR(front_end.far_branch->value, 1.98, 1e-9);
  }
}

}  // namespace
}  // namespace perfcast::instructions
