// Trees of parallel programs: of a dilation, with local clocks, and of levels of parallelism.
#include <gtest/gtest.h>

#include "methods/tree/build.h"
#include "methods/tree/tree.h"

namespace perfcast::tree {
namespace {

UseTree demand_tree(std::optional<double> seconds) {
  DemandProfile demand;
  demand.program = "p", demand.processors = 2, demand.seconds = seconds, demand.modes = {{1, 0.2, {}, {}}, {2, 0.8, {}, {}}};
  return *make_tree(demand);
}

// a = b = 1 of the law E/D = a + b/D.
Dilation lawful_dilation() {
  Dilation dilation;
  dilation.program = "ring";
  for (double d : {1.0, 2.0, 4.0, 6.0}) {
    DilationPoint point;
    point.d = d, point.elapsed = d + 1, point.normalized = point.elapsed / d;
    point.times = {0.8 * d, 0, point.elapsed - 0.8 * d - 0.1, 0.1, 0, 0, 0};
    dilation.points.push_back(point);
  }
  dilation.transport_share = 0.5, dilation.logic_share = 0.1;
  return dilation;
}

}  // namespace

// Parts of a whole do not say how much work there is.
TEST(Signature, LevelsOfParallelismAreNotJudgedByDemand) {
  UseTree quick = demand_tree(0.1), untimed = demand_tree({});
  SignatureComparison long_one = compare(quick, demand_tree(10));
  EXPECT_FALSE(long_one.lacks_detail);
  EXPECT_EQ(long_one.finding, "similar signature, takes 100 times as long");
  SignatureComparison unknown = compare(quick, untimed);
  EXPECT_FALSE(unknown.lacks_detail);
  EXPECT_DOUBLE_EQ(unknown.relative_time, 1);
  EXPECT_NE(unknown.finding.find("only the signatures compare"), std::string::npos);
}

TEST(Tree, OfADilationFollowsItsLaw) {
  TreeOptions options;
  options.rank = false, options.upgrades = {"network=0.5", "network=2", "network=6", "network=6.01", "network=100"};
  auto tree = make_tree(lawful_dilation(), options);
  ASSERT_TRUE(tree) << tree.error().message();
  const double factors[] = {0.5, 2, 6, 6.01, 100};
  for (std::size_t i = 0; i < 5; i++) EXPECT_NEAR(*tree->upgrades[i].costed_again, 1 + 1 / factors[i], 1e-12) << factors[i];
  EXPECT_EQ(tree->upgrades[2].remark.find("beyond"), std::string::npos);
  EXPECT_NE(tree->upgrades[3].remark.find("beyond the 6 times"), std::string::npos);
}

// Nothing was found out: the network may gain nothing, or what it would if all of the waiting were transport.
TEST(Tree, OfAnUnclearDilationAFasterNetworkMayServeAllWaiting) {
  Dilation dilation = lawful_dilation();
  dilation.transport_share.reset(), dilation.logic_share.reset();
  const DilatedTimes& times = dilation.points[0].times;
  TreeOptions options;
  options.rank = false, options.upgrades = {"network=4", "transport=4"};
  auto tree = make_tree(dilation, options);
  ASSERT_TRUE(tree) << tree.error().message();
  EXPECT_NEAR(tree->upgrades[0].best, tree->root.seconds - 0.75 * (times.wait_receive + times.send), 1e-12);
  EXPECT_NEAR(tree->upgrades[1].best, tree->root.seconds - 0.75 * times.wait_receive, 1e-12);
  EXPECT_DOUBLE_EQ(tree->upgrades[0].worst, tree->root.seconds);
  EXPECT_FALSE(tree->upgrades[0].costed_again);
  EXPECT_NE(tree->remarks.back().find("could not tell"), std::string::npos);
}

TEST(Tree, OfADilationGainsNoLessWithTwoUpgrades) {
  TreeOptions options;
  options.rank = false, options.upgrades = {"network=2", "send=2", "transport=3", "user=2"};
  auto tree = make_tree(lawful_dilation(), options);
  ASSERT_TRUE(tree && tree->crossed);
  const auto& speedup = tree->crossed->speedup;
  for (std::size_t i = 0; i < 4; i++)
    for (std::size_t j = 0; j < 4; j++) EXPECT_GE(speedup[i][j] + 1e-12, speedup[i][i]) << i << " with " << j;
}

TEST(Tree, OfADilationHasLogicalAndTransport) {
  Dilation dilation;
  dilation.program = "ring";
  DilationPoint one, two;
  one.d = 1, one.elapsed = one.normalized = 10;
  one.times = {4, 0.5, 4, 1, 0.3, 0, 0.2};
  two = one, two.d = 2, two.elapsed = 16, two.normalized = 8;
  dilation.points = {one, two};
  dilation.transport_share = 0.4, dilation.logic_share = 0.13;
  TreeOptions options;
  options.upgrades = {"network=2"};
  auto tree = make_tree(dilation, options);
  ASSERT_TRUE(tree) << tree.error().message();
  EXPECT_NEAR(find_node(tree->root, "transport")->node->seconds, 3, 1e-12);
  EXPECT_NEAR(find_node(tree->root, "logical")->node->seconds, 1.3, 1e-12);
  EXPECT_NEAR(tree->root.residue, 0.2, 1e-12);
  EXPECT_NEAR(*tree->upgrades[0].costed_again, 8, 1e-12);
  options.skeleton = "hypercube", options.upgrades.clear();
  auto cube = make_tree(dilation, options);
  ASSERT_TRUE(cube);
  EXPECT_TRUE(broken_fan_outs(cube->root).empty());
}

TEST(Tree, PartsOfADilationBeyondWhatElapsed) {
  Dilation dilation;
  DilationPoint point;
  point.d = 1, point.elapsed = 10, point.times = {4, 0.5, 4, 1, 0.7, 0, -0.2};
  dilation.points = {point};
  auto tree = make_tree(dilation, {});
  ASSERT_TRUE(tree) << tree.error().message();  // by the ranks' clocks, 2 % more
  EXPECT_NEAR(tree->root.seconds, 10, 1e-12);
  EXPECT_TRUE(broken_fan_outs(tree->root).empty());
  dilation.points[0].elapsed = 5;
  EXPECT_FALSE(make_tree(dilation, {}));
  dilation.points[0] = point, dilation.points[0].times.other = -1;
  EXPECT_FALSE(make_tree(dilation, {}));
}

}  // namespace perfcast::tree
