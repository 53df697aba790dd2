#include "methods/tree/tree.h"

#include <gtest/gtest.h>

#include "engine/test_core.h"
#include "methods/tree/build.h"
#include "methods/tree/change.h"
#include "methods/tree/upgrade.h"

namespace perfcast::tree {
namespace {

using engine::Code, engine::number, engine::small_core;

// Two levels of memory: L1 of 100 lines at 5 ns, DRAM at 105 ns with 10 ns per streamed line.
Machine small_machine() {
  Machine machine;
  machine.name = "small", machine.core = small_core();
  MemoryLevel near, far;
  near.name = "L1", near.capacity_bytes = number(6400), near.latency_ns = number(5);
  far.name = "DRAM", far.latency_ns = number(105), far.read_ns = {{"1", number(10)}}, far.write_ns = {{"1", number(10)}};
  far.random_read_ns = number(20);
  machine.memory = MemoryModel{};
  machine.memory->levels = {near, far};
  machine.system = SystemCosts{};
  machine.system->page_fault_ns = number(1000), machine.system->process_start_ns = number(1e6);
  machine.core->branches.misprediction = number(20);
  return machine;
}

// A loop with a load, a multiplication chain, a packed addition and a branch; half its loads come from DRAM.
Profile small_profile(double iterations = 1e6, double far_share = 0.5) {
  Code code;
  code.load(1, 2, 0), code.op("MUL64rr", {3}, {3, 1});
  InstructionForm packed;
  packed.opcode = "FADDv2f64", packed.floating = true, packed.vector_bits = 128;
  code.add(packed, {10}, {11, 12});
  code.branch({3});
  Profile profile;
  profile.program = "small", profile.forms = code.forms;
  Function main;
  main.name = "main";
  Block block;
  block.name = "loop", block.count.value = iterations, block.code = code.body, block.loop = 0, block.from = "loop";
  Edge back;
  back.to = 0, back.count.value = iterations - 1;
  block.next = {back};
  block.mispredicted = iterations / 100;
  Loop loop;
  loop.entries.value = 1, loop.iterations.value = iterations;
  main.blocks = {block}, main.loops = {loop};
  profile.machine = Graph{{main}};
  Block ir = block;
  ir.code.clear(), ir.mispredicted.reset(), ir.from.reset();
  Access access;
  access.count = iterations, access.bytes = 8;
  access.lines = {{10, 1 - far_share, 0}, {1e6, far_share, 1}};
  ir.accesses = {access};
  Function ir_main = main;
  ir_main.blocks = {ir};
  profile.ir = Graph{{ir_main}};
  profile.run.page_faults = 1000;
  return profile;
}

UseTree small_tree(const TreeOptions& options = {}) {
  auto tree = make_tree(small_profile(), small_machine(), options);
  EXPECT_TRUE(tree) << tree.error().message();
  return *tree;
}

}  // namespace

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
