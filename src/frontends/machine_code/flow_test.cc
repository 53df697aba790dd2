#include "frontends/machine_code/flow.h"

#include <gtest/gtest.h>

#include "frontends/machine_code/loops.h"

namespace perfcast::machine_code {
namespace {

FlowProblem problem(double entries, std::vector<std::optional<double>> claims, std::vector<std::pair<int, int>> edges) {
  FlowProblem p;
  p.entries = entries;
  for (auto claim : claims) p.blocks.push_back({claim, 0});
  for (auto [from, to] : edges) p.edges.push_back({from, to, {}, 1});
  return p;
}

TEST(Flow, KnownBlocksGiveEdgesExactly) {
  // entry -> loop (self) -> exit
  auto s = solve_flow(problem(2, {2, 100, 2}, {{0, 1}, {1, 1}, {1, 2}}));
  EXPECT_EQ(s.edges, (std::vector<double>{2, 98, 2}));
  EXPECT_EQ(s.worst_imbalance, 0);
  EXPECT_TRUE(s.edge_exact[1]);
}

TEST(Flow, UnknownBlocksAreFilled) {
  // A diamond whose left side is not known, then a split edge.
  auto s = solve_flow(problem(10, {10, {}, 3, 10, {}}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}}));
  EXPECT_EQ(s.blocks, (std::vector<double>{10, 7, 3, 10, 10}));
  EXPECT_TRUE(s.exact[1] && s.exact[4]);
}

TEST(Flow, WhatIsNotDeterminedIsSpreadByPriorsAndMarked) {
  auto p = problem(12, {12, {}, {}, 12}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  p.edges[0].prior = p.edges[2].prior = 2;
  auto s = solve_flow(p);
  EXPECT_NEAR(s.blocks[1], 8, 1e-3);
  EXPECT_NEAR(s.blocks[2], 4, 1e-3);
  EXPECT_FALSE(s.exact[1] || s.exact[2]);
  EXPECT_TRUE(s.exact[0] && s.exact[3]);
  EXPECT_LT(s.worst_imbalance, 1e-3);
}

TEST(Flow, AClaimThatContradictsTheOthersIsDropped) {
  // Block 3 was copied into block 1: it runs 40 times, not the 100 its IR block ran.
  //   0 -> 1 (60) -> 4 or 5;  0 -> 2 (40) -> 3 -> 4 or 5
  auto p = problem(100, {100, 60, 40, 100, 70, 30}, {{0, 1}, {0, 2}, {1, 4}, {1, 5}, {2, 3}, {3, 4}, {3, 5}});
  p.edges[2].prior = 42, p.edges[3].prior = 18, p.edges[5].prior = 28, p.edges[6].prior = 12;
  auto s = solve_flow(p);
  EXPECT_EQ(s.dropped_claims, 1);
  EXPECT_EQ(s.blocks[3], 40);
  EXPECT_NEAR(s.edges[2], 42, 0.01);
  EXPECT_LT(s.worst_imbalance, 1e-3);
}

TEST(Flow, EdgeClaimsSettleWhatBlocksCannot) {
  // Two sources, two targets: only the edges' own counts tell.
  auto p = problem(10, {10, 6, 4, 5, 5}, {{0, 1}, {0, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}});
  p.edges[2].claim = 2;
  auto s = solve_flow(p);
  EXPECT_EQ(s.edges, (std::vector<double>{6, 4, 2, 4, 3, 1}));
  EXPECT_TRUE(s.edge_exact[5]);
}

TEST(Flow, ExecutionsThatLeaveInsideABlock) {
  auto p = problem(5, {5, 2}, {{0, 1}});
  p.blocks[0].left = 3;
  auto s = solve_flow(p);
  EXPECT_EQ(s.edges[0], 2);
  EXPECT_EQ(s.dropped_claims, 0);
}

TEST(Flow, FunctionsThatNeverRan) {
  auto s = solve_flow(problem(0, {{}, {}, 0}, {{0, 1}, {1, 0}, {0, 2}}));
  for (double count : s.blocks) EXPECT_EQ(count, 0);
}

Function shape(std::vector<std::vector<int>> next) {
  Function f;
  for (auto& targets : next) {
    Block b;
    for (int to : targets) b.next.push_back({to, {1, "", Certainty::counted}});
    f.blocks.push_back(b);
  }
  return f;
}

TEST(Loops, NestedLoopsAndTheirParents) {
  Function f = shape({{1}, {2}, {2, 3}, {1, 4}, {}});
  find_loops(f);
  ASSERT_EQ(f.loops.size(), 2u);
  EXPECT_EQ(f.loops[0].header, 1);
  EXPECT_EQ(f.loops[1].header, 2);
  EXPECT_EQ(f.loops[1].parent, 0);
  EXPECT_EQ(f.blocks[2].loop, 1);
  EXPECT_EQ(f.blocks[3].loop, 0);
  EXPECT_FALSE(f.blocks[4].loop || f.blocks[0].loop);
  EXPECT_EQ(f.loops[1].entries.value, 1);
}

TEST(Loops, SeveralEntriesAreReported) {
  Function f = shape({{1, 2}, {2}, {1, 3}, {}});
  find_loops(f);
  ASSERT_EQ(f.loops.size(), 1u);
  EXPECT_TRUE(f.loops[0].irreducible);
  EXPECT_TRUE(f.blocks[1].loop && f.blocks[2].loop && !f.blocks[3].loop);
}

TEST(Loops, NoBlocksNoLoops) {
  Function f;
  find_loops(f);
  EXPECT_TRUE(f.loops.empty());
}

}  // namespace
}  // namespace perfcast::machine_code
