#include "methods/tree/tree.h"

#include <gtest/gtest.h>

#include "methods/tree/build.h"
#include "methods/tree/test_small.h"

namespace perfcast::tree {
TEST(Tree, IsConservedAtEveryFanOut) {
  for (const char* skeleton : {"core", "vector-pipeline"}) {
    TreeOptions options;
    options.skeleton = skeleton, options.rank = false;
    UseTree tree = small_tree(options);
    EXPECT_EQ(broken_fan_outs(tree.root), std::vector<std::string>()) << skeleton;
    double sum = 0;
    for (const auto& entry : tree.signature) sum += entry.share;
    EXPECT_NEAR(sum, 1, 1e-9);
    EXPECT_NEAR(tree.root.residue, 0, 1e-9 * tree.root.seconds) << skeleton;
  }
}

TEST(Tree, ALostSecondIsSeen) {
  UseTree tree = small_tree();
  tree.root.children[0].seconds += 0.01 * tree.root.seconds;
  EXPECT_FALSE(broken_fan_outs(tree.root).empty());
}

TEST(Tree, WhatASkeletonDoesNotTakeIsResidue) {
  Skeleton skeleton;
  skeleton.root.name = "program";
  skeleton.root.children = {{"a", "", {"a"}, "", {}}};
  Observed observed;
  observed.all = {{"a", 3, 30}, {"b", 1, 10}}, observed.seconds = 5, observed.peak_rate = 10;
  UseNode root = decorate(skeleton, observed);
  EXPECT_DOUBLE_EQ(root.seconds, 5);
  EXPECT_DOUBLE_EQ(root.residue, 2);  // one second of b, one that nothing accounts for
  EXPECT_TRUE(broken_fan_outs(root).empty());
}

TEST(Tree, TimeIsDemandOverRate) {
  UseTree tree = small_tree();
  double sum = 0;
  std::function<void(const UseNode&)> add = [&](const UseNode& node) {
    if (node.children.empty() && node.capacity) sum += node.frequency / *node.capacity;
    for (const auto& child : node.children) add(child);
  };
  add(tree.root);
  EXPECT_NEAR(sum * tree.root.demand / tree.peak_rate, tree.root.seconds, 1e-6 * tree.root.seconds);
}

// Half the operands come from DRAM: in a stream, or each waited for by the next. Both are demand of the level, and nothing is
// faster than the peak.
TEST(Tree, OperandsFromALevelAreDemandThere) {
  for (const bool chase : {false, true}) {
    Profile profile = small_profile();
    Access& access = profile.ir->functions[0].blocks[0].accesses[0];
    if (chase) {
      access.kind = AddressKind::chase, access.lines[1].near = 0;
      profile.machine->functions[0].blocks[0].code[0].uses[0].unit = 1;
    }
    TreeOptions options;
    options.rank = false;
    auto tree = make_tree(profile, small_machine(), options);
    ASSERT_TRUE(tree) << tree.error().message();
    const UseNode& dram = *find_node(tree->root, "DRAM")->node;
    EXPECT_NEAR(dram.demand, 0.5e6, 1);
    const UseNode& leaf = *find_node(tree->root, chase ? "operands/DRAM/latency" : "operands/DRAM/bandwidth")->node;
    EXPECT_GT(leaf.seconds, 0.9 * dram.seconds) << chase;
    EXPECT_GT(leaf.demand, 0.9 * dram.demand) << chase;
    if (chase) EXPECT_NEAR(leaf.seconds, 0.5e6 * 100e-9, 0.1 * 0.5e6 * 100e-9);
    ASSERT_TRUE(leaf.capacity && tree->root.used);
    EXPECT_DOUBLE_EQ(tree->peak_rate, 4e9);
    EXPECT_NEAR(*leaf.capacity, leaf.demand / leaf.seconds / 4e9, 1e-12);
    EXPECT_NEAR(*tree->root.used, tree->root.demand / tree->root.seconds / 4e9, 1e-12);
  }
}

// Calls of routines whose code was traced are not demand of the library.
TEST(Tree, LibraryDemandIsOfWhatHasNoCode) {
  Profile profile = small_profile();
  Call call;
  call.callee = "strange", call.per_execution = 0.01;
  profile.machine->functions[0].blocks[0].calls = {call};
  profile.library_calls = {{"strange", 1e4}, {"traced", 1e15}};
  TreeOptions options;
  options.rank = false;
  auto tree = make_tree(profile, small_machine(), options);
  ASSERT_TRUE(tree) << tree.error().message();
  EXPECT_NEAR(find_node(tree->root, "library")->node->demand, 1e4, 1e-6);
  EXPECT_DOUBLE_EQ(tree->peak_rate, 4e9);
}

TEST(Tree, LocalClockKnowsTimesOnly) {
  TreeOptions options;
  options.clock = TreeClock::local, options.rank = false;
  UseTree tree = small_tree(options);
  EXPECT_FALSE(tree.root.children[0].capacity);
  EXPECT_DOUBLE_EQ(tree.root.children[0].frequency, tree.root.children[0].share);
  EXPECT_TRUE(broken_fan_outs(tree.root).empty());
}

TEST(Signature, SimilarDemandWithOtherPerformanceLacksDetail) {
  UseTree tree = small_tree(), other = tree;
  other.program = "other";
  EXPECT_FALSE(compare(tree, other).lacks_detail);
  EXPECT_DOUBLE_EQ(compare(tree, other).distance, 0);
  // The same demand takes three times as long in one leaf.
  auto dram = std::ranges::find_if(other.signature, [](const auto& e) { return e.leaf == "operands/DRAM/bandwidth"; });
  ASSERT_NE(dram, other.signature.end());
  double more = 2 * dram->share * other.root.seconds, longer = other.root.seconds + more;
  for (auto& entry : other.signature) entry.share *= other.root.seconds / longer;
  dram->share += more / longer, other.root.seconds = longer;
  auto comparison = compare(tree, other);
  EXPECT_TRUE(comparison.similar);
  EXPECT_TRUE(comparison.lacks_detail);
  EXPECT_EQ(comparison.leaf, "operands/DRAM/bandwidth");
  EXPECT_NE(comparison.finding.find("the tree lacks detail here"), std::string::npos);
  other.machine = "another";
  EXPECT_FALSE(compare(tree, other).lacks_detail);
}

TEST(Signature, LocalClocksCompareTimes) {
  TreeOptions options;
  options.clock = TreeClock::local, options.rank = false;
  UseTree tree = small_tree(options), other = tree;
  other.root.seconds *= 10, other.root.demand *= 10;
  EXPECT_EQ(compare(tree, other).finding, "similar signature, takes 10 times as long");
}

// The same demand, served at other rates: the sentence speaks of the time, as the distance does.
TEST(Signature, AlikeInDemandOnlyIsNotASimilarSignature) {
  UseTree tree = small_tree(), other = tree;
  other.machine = "another";
  std::swap(other.signature[0].share, std::ranges::max_element(other.signature, {}, &SignatureEntry::share)->share);
  SignatureComparison c = compare(tree, other);
  EXPECT_TRUE(c.similar);
  EXPECT_GT(c.distance, 0.1);
  EXPECT_NE(c.finding.find("its time lies more in"), std::string::npos) << c.finding;
}

TEST(Tree, OfSourceOperationsIsLinear) {
  Profile profile;
  profile.program = "p", profile.run.language = "c", profile.run.sources = {"p.c"};
  Block block;
  block.name = "b", block.count.value = 1e6, block.usage = {{"ARSL", 2}, {"DRSL", 1}, {"ARR1", 1}, {"sin", 1}};
  Function f;
  f.name = "f", f.blocks = {block};
  profile.source = Graph{{f}};
  Machine machine;
  machine.name = "old";
  machine.source = {{"c", "cc", "-O0", {{"ARSL", number(1)}, {"DRSL", number(6)}, {"ARR1", number(2)}}}};
  TreeOptions options;
  options.upgrades = {"floating point/divide=3"};
  auto tree = make_tree(profile, machine, options);
  ASSERT_TRUE(tree) << tree.error().message();
  EXPECT_EQ(tree->skeleton, "source");
  EXPECT_NEAR(tree->root.seconds, 10e-3, 1e-12);
  EXPECT_NEAR(*tree->upgrades[0].costed_again, 6e-3, 1e-12);
  EXPECT_TRUE(broken_fan_outs(tree->root).empty());
  EXPECT_FALSE(tree->remarks.empty());  // sin has no cost
}

// Others on the core take half as long again of what keeps it busy times 0.75, and of what waits times 0.25.
TEST(Tree, HoldsWhatNeighboursTake) {
  Machine machine = small_machine();
  TreeOptions options;
  options.rank = false;
  const UseTree quiet = *make_tree(small_profile(), machine, options);
  machine.system->core_sharing = number(0.5);
  const UseTree shared = *make_tree(small_profile(), machine, options);
  options.alone = true;
  const UseTree alone = *make_tree(small_profile(), machine, options);
  EXPECT_DOUBLE_EQ(alone.root.seconds, quiet.root.seconds);
  ASSERT_EQ(alone.remarks.size(), quiet.remarks.size() + 1);
  EXPECT_NE(alone.remarks.back().find("nobody else uses"), std::string::npos) << alone.remarks.back();
  const double taken = find_node(shared.root, "neighbours")->node->seconds;
  EXPECT_NEAR(shared.root.seconds, quiet.root.seconds + taken, 1e-12);
  EXPECT_GE(taken, 0.5 * 0.25 * quiet.root.seconds * 0.999);
  EXPECT_LE(taken, 0.5 * 0.75 * quiet.root.seconds * 1.001);
  EXPECT_TRUE(broken_fan_outs(shared.root).empty());
}

TEST(Tree, SaysThatThreadsAndMessagesAreNotInIt) {
  Profile profile = small_profile();
  TreeOptions options;
  options.rank = false;
  const std::size_t before = make_tree(profile, small_machine(), options)->remarks.size();
  profile.parallel = Json::object(), profile.messages = Json::object();
  auto tree = make_tree(profile, small_machine(), options);
  ASSERT_EQ(tree->remarks.size(), before + 2);
  EXPECT_NE(tree->remarks[before].find("messages"), std::string::npos);
  EXPECT_NE(tree->remarks[before + 1].find("threads"), std::string::npos);
}

TEST(Tree, NeedsMachineCodeAndACore) {
  Profile none = small_profile();
  none.machine.reset();
  EXPECT_FALSE(make_tree(none, small_machine()));
  Machine empty;
  empty.name = "empty";
  EXPECT_FALSE(make_tree(small_profile(), empty));
}

}  // namespace perfcast::tree
