#include "methods/tree/upgrade.h"

#include <gtest/gtest.h>

#include "methods/tree/build.h"
#include "methods/tree/change.h"
#include "methods/tree/test_small.h"

namespace perfcast::tree {

TEST(Upgrade, BestAndWorstScheduleByTheTree) {
  UseNode root;
  root.name = "program", root.seconds = 10;
  UseNode a, b;
  a.name = "a", a.seconds = 6, b.name = "b", b.seconds = 4;
  root.children = {a, b};
  Upgrade u = upgrade_tree(root, {{{"a", {"a"}, "", false}, 3}});
  EXPECT_DOUBLE_EQ(u.best, 6);
  EXPECT_DOUBLE_EQ(u.worst, 10);
  EXPECT_DOUBLE_EQ(u.improvement, (1 + 10.0 / 6) / 2);
  EXPECT_DOUBLE_EQ(u.tolerance, (10.0 / 6 - 1) / (10.0 / 6 + 1));
  EXPECT_LE(u.interval[0], u.seconds);
  EXPECT_GE(u.interval[1], u.seconds);
}

TEST(Upgrade, AFactorBelowOneIsSlower) {
  UseNode root;
  root.name = "program", root.seconds = 10;
  UseNode a, b;
  a.name = "a", a.seconds = 6, b.name = "b", b.seconds = 4;
  root.children = {a, b};
  Upgrade u = upgrade_tree(root, {{{"a", {"a"}, "", false}, 0.5}});
  EXPECT_DOUBLE_EQ(u.best, 10);
  EXPECT_DOUBLE_EQ(u.worst, 16);
  EXPECT_DOUBLE_EQ(u.speedup, (1 + 10.0 / 16) / 2);
  EXPECT_DOUBLE_EQ(u.tolerance, (1 - 10.0 / 16) / (1 + 10.0 / 16));
}

// Crossed with one that changes nothing, an upgrade that is only arithmetic gains what it gains alone.
TEST(Upgrade, ArithmeticGainsAsMuchBesideWhatIsCostedAgain) {
  UseNode root;
  root.name = "program", root.seconds = 10;
  UseNode a, b;
  a.name = "a", a.seconds = 6, b.name = "b", b.seconds = 4;
  root.children = {a, b};
  const Step arithmetic{{"a", {"a"}, "", false}, 3}, idle{{"idle", {}, "idle", true}, 2};
  const Recost recost = [&](const std::vector<Step>& steps) -> std::optional<NewTree> {
    if (steps.size() < 2) return {};
    return NewTree{root, {arithmetic}, "", false};
  };
  EXPECT_DOUBLE_EQ(upgrade_tree(root, {arithmetic, idle}, recost).speedup, upgrade_tree(root, {arithmetic}, recost).speedup);
}

TEST(Upgrade, FasterMemoryIsCostedAgainAndNeverSlower) {
  TreeOptions options;
  options.upgrades = {"DRAM=2", "clock=2", "page faults=4"};
  UseTree tree = small_tree(options);
  ASSERT_EQ(tree.upgrades.size(), 3u);
  for (const auto& u : tree.upgrades) {
    ASSERT_TRUE(u.costed_again) << u.change;
    EXPECT_LT(*u.costed_again, tree.root.seconds) << u.change;
    EXPECT_GT(*u.costed_again, 0.2 * tree.root.seconds) << u.change;
  }
  ASSERT_TRUE(tree.crossed);
  for (std::size_t i = 0; i < 3; i++)
    for (std::size_t j = 0; j < 3; j++) EXPECT_GE(tree.crossed->speedup[i][j] + 1e-9, tree.crossed->speedup[i][i]);
}

TEST(Upgrade, ALargerCacheMovesOperands) {
  TreeOptions options;
  options.upgrades = {"operands/DRAM=1"};
  Machine machine = small_machine();
  Profile profile = small_profile();
  Changed changed;
  changed.machine = machine;
  EXPECT_TRUE(apply_change("size:L1", 1e5, profile, changed));
  auto before = make_tree(profile, machine), after = make_tree(profile, changed.machine);
  ASSERT_TRUE(before && after);
  EXPECT_GT(find_node(before->root, "DRAM")->node->seconds, 0);
  auto gone = find_node(after->root, "DRAM");
  EXPECT_TRUE(!gone || gone->node->share < 0.01);
}

TEST(Upgrade, WiderVectorsRunFewerIterations) {
  Profile profile = small_profile();
  Changed changed;
  changed.machine = small_machine();
  ASSERT_TRUE(apply_change("vector-width", 2, profile, changed));
  EXPECT_DOUBLE_EQ(changed.profile->machine->functions[0].blocks[0].count.value, 5e5);
  EXPECT_TRUE(changed.core);
  EXPECT_FALSE(apply_change("no such thing", 2, profile, changed));
  EXPECT_FALSE(apply_change("size:DRAM", 2, profile, changed));  // it has no capacity to grow
}

TEST(Upgrade, EveryChangeOfTheCoreCanBeSimulated) {
  for (const char* change : {"front-end", "window", "ports", "latency", "load-latency", "misprediction", "predictor"}) {
    Profile profile = small_profile();
    Changed changed;
    changed.machine = small_machine();
    ASSERT_TRUE(apply_change(change, 2, profile, changed)) << change;
    double before = engine::simulate_program(profile, small_machine())->cycles;
    auto after = engine::simulate_program(changed.profile ? *changed.profile : profile, changed.machine);
    ASSERT_TRUE(after) << change << after.error().message();
    EXPECT_LE(after->cycles, before * 1.001) << change;
  }
}

TEST(Upgrade, PortsComeWhole) {
  Changed changed;
  changed.machine = small_machine();
  ASSERT_TRUE(apply_change("ports", 1.5, small_profile(), changed));
  EXPECT_NE(changed.assumption.find("2 instead of 1.5"), std::string::npos) << changed.assumption;
}

// A faster scalar unit is not a faster clock: vector loops keep their time.
TEST(Upgrade, ScalarIsNotTheClock) {
  TreeOptions options;
  options.skeleton = "vector-pipeline", options.rank = false, options.upgrades = {"scalar=2", "clock=2"};
  UseTree tree = small_tree(options);
  EXPECT_LT(find_node(tree.root, "scalar")->node->share, 0.01);
  EXPECT_LT(tree.upgrades[0].speedup, 1.01);
  EXPECT_FALSE(tree.upgrades[0].costed_again);
  EXPECT_TRUE(tree.upgrades[1].costed_again);
}

TEST(Upgrade, TheRankingIsSorted) {
  UseTree tree = small_tree();
  ASSERT_GT(tree.ranking.size(), 3u);
  for (std::size_t i = 1; i < tree.ranking.size(); i++) EXPECT_GE(tree.ranking[i - 1].speedup, tree.ranking[i].speedup);
}

TEST(Upgrade, WordsAreCheckedAndNodesFound) {
  for (const char* wrong : {"DRAM", "=2", "DRAM=", "DRAM=-1", "DRAM=two", "no-such=2", "processors=2@3", "DRAM=1e9", "DRAM=1e-9", "DRAM=nan"}) {
    TreeOptions options;
    options.upgrades = {wrong}, options.rank = false;
    auto tree = make_tree(small_profile(), small_machine(), options);
    ASSERT_FALSE(tree) << wrong;
    EXPECT_EQ(tree.error().kind, Trouble::usage) << wrong;
  }
}

TEST(Upgrade, NodesAreFoundByTheEndOfTheirPaths) {
  TreeOptions options;
  options.rank = false, options.upgrades = {"dram/bandwidth=2", "operands/DRAM/bandwidth=2", "DRAM.bandwidth=2"};
  UseTree tree = small_tree(options);
  ASSERT_EQ(tree.upgrades.size(), 3u);
  for (const auto& upgrade : tree.upgrades) EXPECT_DOUBLE_EQ(upgrade.speedup, tree.upgrades[0].speedup) << upgrade.change;
  EXPECT_EQ(tree.upgrades[0].node, "operands/DRAM/bandwidth");
  EXPECT_FALSE(find_node(tree.root, "bandwidth/DRAM"));
}

}  // namespace perfcast::tree
