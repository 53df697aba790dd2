#include "engine/port_bounds.h"

#include <gtest/gtest.h>

#include "engine/test_core.h"

namespace perfcast::engine {

TEST(PortBound, HallsTheoremFindsTheCrowdedSet) {
  Code code;
  for (int k = 0; k < 3; k++) code.op("MUL64rr", {10 + k}, {1, 2});   // port a
  for (int k = 0; k < 3; k++) code.op("ADD64rr", {20 + k}, {1, 2});   // a or b
  auto bound = port_bound(code.body, code.forms, small_core());
  ASSERT_TRUE(bound);
  EXPECT_DOUBLE_EQ(bound->cycles, 3);  // 6 on two ports, 3 on one
  code.op("MUL64rr", {15}, {1, 2});
  bound = port_bound(code.body, code.forms, small_core());
  EXPECT_DOUBLE_EQ(bound->cycles, 4);
  EXPECT_EQ(bound->ports, "a");
}

TEST(PortBound, TheWidthIsAPortToo) {
  Code code;
  for (int k = 0; k < 16; k++) code.op("NOOP", {}, {});
  auto bound = port_bound(code.body, code.forms, small_core());
  EXPECT_DOUBLE_EQ(bound->cycles, 4);
  EXPECT_EQ(bound->ports, "rename");
}

TEST(DependenceBound, TheLongestCycle) {
  Code code;
  code.op("MUL64rr", {1}, {1, 2}), code.op("FADDrr", {3}, {3, 1}), code.op("ADD64rr", {4}, {4, 2});
  EXPECT_NEAR(*dependence_bound(code.body, code.forms, small_core()), 4, 0.01);
  Code through_memory;
  through_memory.load(1, 5, 0), through_memory.op("MUL64rr", {1}, {1, 2}), through_memory.store(1, 5, 0);
  EXPECT_NEAR(*dependence_bound(through_memory.body, through_memory.forms, small_core()), 9, 0.01);
}

// A bound counts on easy operands; what a program is expected to take does not.
TEST(DependenceBound, TakesTheLeastCycles) {
  Code division;
  division.op("DIV64r", {1}, {1, 2});
  CoreModel core = small_core();
  auto bounds = [&] { return std::pair(*dependence_bound(division.body, division.forms, core), port_bound(division.body, division.forms, core)->cycles); };
  EXPECT_EQ(bounds(), std::pair(10.0, 8.0));
  core.instructions[2].least_latency = number(7);
  EXPECT_EQ(bounds(), std::pair(7.0, 5.0));  // the unit is free sooner by the same share
  core.instructions[2].least_throughput = number(7.4);
  EXPECT_EQ(bounds(), std::pair(7.0, 7.0));
  core.instructions[2].least_latency.reset(), core.instructions[2].least_throughput.reset();
  EXPECT_EQ(bounds(), std::pair(4.0, 3.0));  // nobody has measured it
  EXPECT_NEAR(division.cycles(core), 10, close);
  Code estimate;
  estimate.op("DIV64r", {1}, {1, 2}), estimate.forms[0].opcode = "VRSQRT14PDZr";
  core.instructions[2].match = opcode("RSQRT");
  EXPECT_NEAR(*dependence_bound(estimate.body, estimate.forms, core), 10, 0.01);
}

TEST(DependenceBound, TakesTheBestMoments) {
  Code through_memory;
  through_memory.load(1, 5, 0), through_memory.op("MUL64rr", {1}, {1, 2}), through_memory.store(1, 5, 0);
  CoreModel core = small_core();
  core.memory.forwarding[0].least_latency = number(5);
  EXPECT_NEAR(*dependence_bound(through_memory.body, through_memory.forms, core), 8, 0.01);
  core.memory.forwarding[0].least_latency.reset();
  EXPECT_NEAR(*dependence_bound(through_memory.body, through_memory.forms, core), 7, 0.01);  // the load takes 5 cycles itself
  EXPECT_NEAR(through_memory.cycles(core), 9, close);
  Code moved;
  moved.op("MOV64rr", {1}, {2}), moved.op("ADD64rr", {2}, {1, 3});
  core.rename.sometimes_eliminated = {opcode("^MOV64rr")};
  EXPECT_NEAR(*dependence_bound(moved.body, moved.forms, core), 1, 0.01);
  EXPECT_NEAR(moved.cycles(core), 2, close);
}

// mov, add, jump: the first two become one slot, the jump is another.
TEST(PortBound, OfThreeThatWouldFuseTheFirstTwoDo) {
  CoreModel core = small_core();
  core.rename.eliminated_moves = {opcode("^MOV64rr")};
  core.rename.fused = {{opcode("^MOV64rr"), opcode("^ADD"), How::measured, ""}, {opcode("^ADD"), opcode("^J"), How::measured, ""}};
  Code code;
  for (int k = 0; k < 6; k++) code.op("NOOP", {}, {});
  code.op("MOV64rr", {1}, {2}), code.op("ADD64rr", {1, 9}, {1, 3}), code.branch({9});
  auto bound = port_bound(code.body, code.forms, core);
  ASSERT_TRUE(bound);
  EXPECT_DOUBLE_EQ(bound->cycles, 2);  // 6 + 1 + 1 slots of 4 a cycle
  EXPECT_NEAR(code.cycles(core), 2, close);
}

TEST(Bounds, AreNeverAboveTheSimulation) {
  for (int muls = 1; muls < 12; muls++) {
    Code code;
    for (int k = 0; k < muls; k++) code.op(k % 3 ? "ADD64rr" : "MUL64rr", {10 + k % 5}, {10 + k % 4, 2});
    double time = code.cycles(small_core());
    EXPECT_LE(port_bound(code.body, code.forms, small_core())->cycles, time + 0.02);
    EXPECT_LE(*dependence_bound(code.body, code.forms, small_core()), time + 0.02);
  }
}

}  // namespace perfcast::engine
