#include "methods/gate/gate.h"

#include <gtest/gtest.h>

namespace perfcast::gate {
namespace {

ModelPrediction predicted(double relax, double main) {
  ModelPrediction p;
  p.machine = "toy", p.seconds = relax + main;
  p.views["function"] = {{"relax", relax, {}, {}}, {"main", main, {}, {}}};
  return p;
}

TEST(Gate, NothingChanged) {
  auto gate = compare(predicted(9, 1), predicted(9, 1));
  ASSERT_TRUE(gate);
  EXPECT_TRUE(gate->passed);
  EXPECT_EQ(gate->change, 0);
  EXPECT_TRUE(gate->functions.empty());
}

// A process starts as slowly whatever it then does: twice the work is no few percent.
TEST(Gate, TheStartIsNoPartOfTheComparison) {
  auto base = predicted(9, 1), candidate = predicted(18, 2);
  for (auto* p : {&base, &candidate}) p->parts = {{"core", p->seconds, {}, {}}, {"start", 1000, {}, {}}}, p->seconds += 1000;
  EXPECT_TRUE(compare(base, candidate)->passed);
  auto gate = compare(without_start(base), without_start(candidate));
  ASSERT_TRUE(gate);
  EXPECT_FALSE(gate->passed);
  EXPECT_NEAR(gate->change, 1, 1e-9);
  EXPECT_EQ(without_start(base).parts.size(), 1u);
}

TEST(Gate, TheLimitIsInclusive) {
  GateOptions options;
  options.limit = 0.5;
  EXPECT_TRUE(compare(predicted(9, 1), predicted(14, 1), options)->passed);
  EXPECT_FALSE(compare(predicted(9, 1), predicted(14.001, 1), options)->passed);
}

TEST(Gate, FunctionsBySizeOfTheirChange) {
  auto candidate = predicted(9.5, 0.8);
  candidate.views["function"].push_back({"check", 2, {}, {}});
  candidate.seconds += 2;
  auto gate = compare(predicted(9, 1), candidate);
  ASSERT_TRUE(gate);
  ASSERT_EQ(gate->functions.size(), 3u);
  EXPECT_EQ(gate->functions[0].name, "check");
  EXPECT_EQ(gate->functions[0].status, CostChange::added);
  EXPECT_FALSE(gate->functions[0].change);
  EXPECT_EQ(gate->functions[1].status, CostChange::slower);
  EXPECT_EQ(gate->functions[2].status, CostChange::faster);
  EXPECT_NEAR(*gate->functions[2].change, -0.2, 1e-12);
}

TEST(Gate, ARemovedFunctionAndWhatLiesOutside) {
  auto base = predicted(9, 1), candidate = predicted(9, 1);
  base.seconds += 0.5;
  candidate.views["function"].pop_back(), candidate.seconds = 9;
  auto gate = compare(base, candidate);
  ASSERT_TRUE(gate);
  EXPECT_EQ(gate->functions[0].status, CostChange::removed);
  EXPECT_EQ(gate->functions[1].name, "(outside functions)");
}

TEST(Gate, DifferentMachinesAreRefused) {
  auto elsewhere = predicted(9, 1);
  elsewhere.machine = "other";
  EXPECT_FALSE(compare(predicted(9, 1), elsewhere));
}

TEST(Gate, TheCountedPartHasNothingSampled) {
  Profile profile;
  profile.run.page_faults = 12;
  Block block;
  block.accesses.resize(2), block.mispredicted = 3, block.count.value = 7;
  Function function;
  function.blocks = {block};
  profile.ir = Graph{{function}};
  Profile counted = counted_part(profile);
  const Block& left = counted.ir->functions[0].blocks[0];
  EXPECT_TRUE(left.accesses.empty());
  EXPECT_FALSE(left.mispredicted);
  EXPECT_EQ(left.count.value, 7);
  EXPECT_EQ(counted.run.page_faults, 0);
}

}  // namespace
}  // namespace perfcast::gate
