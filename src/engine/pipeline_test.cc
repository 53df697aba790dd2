#include "engine/pipeline.h"

#include <gtest/gtest.h>

#include "engine/test_core.h"

namespace perfcast::engine {
namespace {

CoreModel fast_integer(int width = 4) {
  CoreModel core = small_core();
  core.front_end.rename_width = number(width);
  return core;
}

Code independent(const char* opcode, int count) {
  Code code;
  for (int k = 0; k < count; k++) code.op(opcode, {10 + k}, {1});
  return code;
}

}  // namespace

// ------------------------------------------------------------------------------------ latency, ports, width

TEST(Pipeline, AChainAdvancesByItsLatency) {
  Code code;
  code.op("MUL64rr", {1}, {1, 2});
  EXPECT_NEAR(code.cycles(small_core()), 3, close);
  code.op("FADDrr", {1}, {1, 2});
  EXPECT_NEAR(code.cycles(small_core()), 7, close);
}

TEST(Pipeline, AChainKeepsAFractionOfACycle) {
  CoreModel core = small_core();
  core.instructions[0].latency = number(1.4);
  Code code;
  code.op("MUL64rr", {1}, {1, 2});
  EXPECT_NEAR(code.cycles(core), 1.4, close);
}

TEST(Pipeline, PortsAndWidthLimitIndependentWork) {
  EXPECT_NEAR(independent("ADD64rr", 12).cycles(small_core()), 6, close);   // two ports
  EXPECT_NEAR(independent("MUL64rr", 12).cycles(small_core()), 12, close);  // one
  EXPECT_NEAR(independent("NOOP", 12).cycles(small_core()), 3, close);      // four slots, no port known
}

TEST(Pipeline, AnUnpipelinedUnitIsHeldForItsOccupancy) {
  EXPECT_NEAR(independent("DIV64r", 4).cycles(small_core()), 32, close);
}

TEST(Pipeline, AWindowThatIsTooSmallHidesLess) {
  // A chain of 12 multiplications, independent of the next twelve: in flight together only if the window holds them.
  Code code;
  code.op("XOR64rr", {1}, {5});
  for (int k = 0; k < 12; k++) code.op("FADDrr", {1}, {1, 2});
  CoreModel core = small_core();
  double wide = code.cycles(core);
  core.window.reorder_buffer = number(13);
  EXPECT_GT(code.cycles(core), 2 * wide);
  core = small_core(), core.schedulers[0].entries = number(6);
  EXPECT_GT(code.cycles(core), 2 * wide);
}

// Chains of twenty additions that begin anew in every iteration: two iterations fit into the window, and the next one waits for
// the end of the one before them.
TEST(Pipeline, WhatHasRetiredMayHoldItsSlotForAWhile) {
  Code code;
  for (int k = 0; k < 20; k++) {
    code.op("FADDrr", {1}, {k ? 1 : 9, 2});
    for (int filler = 0; filler < 4; filler++) code.op("NOP", {}, {});
  }
  CoreModel core = small_core();
  const double at_once = code.cycles(core);
  core.window.release_cycles = number(12);
  EXPECT_NEAR(code.cycles(core), at_once + 12.0 / 3, 0.5);
  core.window.reorder_buffer = number(10000);
  core.schedulers.clear();
  EXPECT_NEAR(code.cycles(core), 100 / 4.0, 0.5);  // the width is all that is left
}

// Three slots and seven: two and a half cycles, at rename and at the end.
TEST(Pipeline, TheSlotsOfAnInstructionNeedNotRetireTogether) {
  CoreModel core = small_core();
  core.window.retire_width = number(4), core.instructions[0].slots = 3;
  Code code;
  code.op("MUL64rr", {1}, {2, 2});
  for (int k = 0; k < 7; k++) code.op("NOP", {}, {});
  EXPECT_NEAR(code.cycles(core), 2.5, close);
}

// A dividend of more than 64 bits, unless its upper half has been set to zero.
TEST(Pipeline, AWideDivisionTakesLonger) {
  CoreModel core = small_core();
  auto each = [&](bool cleared) {
    Code code;
    if (cleared) code.op("XOR32rr", {7}, {7, 7}).same_sources = true;
    code.op("DIV64r", {6, 7}, {5, 6, 7});
    return code.cycles(core);
  };
  EXPECT_NEAR(each(false), 10, 0.2);
  EXPECT_NEAR(each(true), 11, 0.2);
  core.wide_division = number(90);
  EXPECT_NEAR(each(false), 90, 0.2);
  EXPECT_NEAR(each(true), 11, 0.2);
}

TEST(Pipeline, TwoResultsDoNotLeaveOnePortTogether) {
  CoreModel core = small_core(), meeting = core;
  meeting.one_result_per_port = true;
  Code code;  // on port a products of three cycles, and a chain that needs it too: every other cycle is its own
  code.op("MUL64rr", {1}, {2, 3}), code.op("DEC64r", {4}, {4});
  for (CoreModel* each : {&core, &meeting}) each->instructions.push_back(each->instructions[0]), each->instructions.back().match.opcode = "^DEC", each->instructions.back().latency = number(1);
  EXPECT_NEAR(code.cycles(core), 2, close);
  EXPECT_NEAR(code.cycles(meeting), 2, close);  // products in even cycles end in odd ones
  code.op("DEC64r", {4}, {4});
  EXPECT_NEAR(code.cycles(core), 3, close);
  EXPECT_NEAR(code.cycles(meeting), 3.5, close);
  for (const char* alike : {"MUL64rr", "DEC64r"}) EXPECT_NEAR(independent(alike, 12).cycles(meeting), 12, close);
}

// ------------------------------------------------------------------------------------ branches, causes, traces

TEST(Branches, AMispredictionCostsItsPenalty) {
  Code code;
  code.op("ADD64rr", {1}, {1, 2}), code.branch({1});
  std::vector<TraceStep> good, bad;
  for (int k = 0; k < 100; k++)
    for (const auto& instruction : code.body) {
      good.push_back({&instruction, false, false, {}, 0});
      bad.push_back({&instruction, false, instruction.uses.size() == 1, {}, 0});
    }
  auto right = simulate(good, code.forms, small_core()), wrong = simulate(bad, code.forms, small_core());
  ASSERT_TRUE(right && wrong);
  EXPECT_NEAR((wrong->cycles - right->cycles) / 100, 20, 2.5);
  EXPECT_GT(wrong->by_cause[static_cast<std::size_t>(Cause::misprediction)], 0.7 * wrong->cycles);
}

// A virtual call: the object's table is loaded, then the target from it; both are known 10 cycles after the branch before.
TEST(Branches, AJumpThroughMemoryWaitsForItsTarget) {
  Code code;
  code.load(1, 2, 0);
  InstructionForm jump;
  jump.opcode = "JMP64m", jump.branch = jump.indirect = jump.load = true, jump.memory_bytes = 8;
  code.add(jump, {}, {1}).uses[0].address = true;
  std::vector<TraceStep> steps;
  for (int k = 0; k < 100; k++)
    for (const auto& instruction : code.body) steps.push_back({&instruction, true, instruction.defs.empty(), {}, 0});
  auto time = simulate(steps, code.forms, small_core());
  ASSERT_TRUE(time);
  EXPECT_NEAR(time->cycles / 100, 20 + 5 + 5, 2.5);
}

TEST(Branches, GroupsEndAtTakenBranches) {
  CoreModel core = fast_integer(6);
  core.front_end.uops_per_cycle = number(8), core.front_end.taken_branches_per_cycle = number(1);
  for (auto [nops, cycles] : {std::pair{5, 1.0}, {6, 7 / 6.0}, {7, 8 / 6.0}, {8, 2.0}, {11, 2.0}, {12, 13 / 6.0}, {16, 3.0}}) {
    Code code = independent("NOOP", nops);
    for (auto& instruction : code.body) instruction.defs.clear();
    code.branch();
    EXPECT_NEAR(code.cycles(core), cycles, close) << nops;
  }
}

TEST(Branches, JumpsThroughRegistersKeepTheirDistance) {
  CoreModel core = fast_integer(6);
  core.front_end.uops_per_cycle = number(8), core.front_end.taken_branches_per_cycle = number(1);
  core.branches.indirect_jump = number(3);
  Code code = independent("NOOP", 2);
  for (auto& instruction : code.body) instruction.defs.clear();
  code.branch();
  EXPECT_NEAR(code.cycles(core), 1, close);
  code.forms.back().indirect = true;
  EXPECT_NEAR(code.cycles(core), 3, close);
}

TEST(Branches, JumpsThatGoElsewhereKeepMoreDistance) {
  CoreModel core = fast_integer(6);
  core.front_end.uops_per_cycle = number(8), core.front_end.taken_branches_per_cycle = number(1);
  core.branches.indirect_jump = number(3), core.branches.changing_jump = number(5);
  Code code = independent("NOOP", 2);  // two places to go to
  for (auto& instruction : code.body) instruction.defs.clear();
  code.branch();
  code.forms.back().indirect = true;
  auto cycles = [&](std::size_t places) {
    std::vector<TraceStep> steps;
    for (std::size_t k = 0; k < 1000; k++) steps.push_back({&code.body[2], true}), steps.push_back({&code.body[k % places]});
    return simulate(steps, code.forms, core)->cycles / 1000;
  };
  EXPECT_NEAR(cycles(1), 3, 0.1);
  EXPECT_NEAR(cycles(2), 5, 0.1);
}

TEST(Causes, AddUpAndNameTheBottleneck) {
  Code chain;
  chain.op("MUL64rr", {1}, {1, 2});
  auto time = simulate_loop(chain.body, chain.forms, small_core());
  ASSERT_TRUE(time);
  double sum = 0;
  for (double part : time->by_cause) sum += part;
  EXPECT_NEAR(sum, time->cycles_per_iteration, 1e-9);
  EXPECT_NEAR(time->by_cause[static_cast<std::size_t>(Cause::dependences)], 3, close);
  Code stream = independent("MUL64rr", 8);
  auto busy = simulate_loop(stream.body, stream.forms, small_core());
  EXPECT_NEAR(busy->by_cause[static_cast<std::size_t>(Cause::ports)], 8, 0.5);
}

TEST(Trace, ExtraLoadCyclesAreMemory) {
  Code code;
  code.load(1, 1, 0);
  std::vector<TraceStep> steps;
  for (int k = 0; k < 50; k++) steps.push_back({&code.body[0], false, false, std::uint64_t(k) * 4096, 95});
  auto time = simulate(steps, code.forms, small_core());
  ASSERT_TRUE(time);
  EXPECT_NEAR(time->cycles / 50, 100, 2);
  EXPECT_GT(time->by_cause[static_cast<std::size_t>(Cause::memory)], 0.9 * time->cycles);
}

TEST(Trace, ABadCoreIsRefused) {
  CoreModel core = small_core();
  core.instructions[0].ports = {{PortNeed{"nowhere", 1, 1}}};
  Code code = independent("ADD64rr", 1);
  auto time = simulate_loop(code.body, code.forms, core);
  ASSERT_FALSE(time);
  EXPECT_NE(time.error().message().find("nowhere"), std::string::npos);
}

// ------------------------------------------------------------------------------------ laws

namespace {

// Arbitrary code, the same for the same seed.
Code arbitrary_code(unsigned seed) {
  Code code;
  auto random = [&](unsigned n) { return static_cast<int>((seed = seed * 1103515245u + 12345u) / 65536u % n); };
  for (int k = 0; k < 30; k++) {
    int to = 10 + random(8), from = 10 + random(8), other = 10 + random(8);
    switch (random(6)) {
      case 0: code.load(to, 5, 8 * random(6)); break;
      case 1: code.store(from, 5, 8 * random(6)); break;
      case 2: code.op("MUL64rr", {to}, {from, other}); break;
      case 3: code.op("FADDrr", {to + 20}, {from + 20, other + 20}); break;
      default: code.op("ADD64rr", {to}, {from, other});
    }
  }
  return code;
}

}  // namespace

// One pass places micro-operations greedily, so a better core may now and then be a few percent worse, as real
// schedulers are.
TEST(Laws, MoreIsNeverMuchSlower) {
  for (unsigned seed = 1; seed <= 30; seed++) {
    Code code = arbitrary_code(seed);
    double before = code.cycles(small_core());
    CoreModel more = small_core();
    more.ports.push_back("c"), more.schedulers[0].ports += " c";
    for (auto& rule : more.instructions) (*rule.ports)[0].ports += " c";
    EXPECT_LE(code.cycles(more), before * 1.08 + 0.1) << "ports " << seed;
    more = small_core(), more.window.reorder_buffer = number(400), more.schedulers[0].entries = number(120);
    EXPECT_LE(code.cycles(more), before * 1.08 + 0.1) << "window " << seed;
    more = small_core(), more.front_end.rename_width = number(8);
    EXPECT_LE(code.cycles(more), before * 1.08 + 0.1) << "width " << seed;
  }
}

TEST(Laws, ALongerLatencyIsNeverMuchFaster) {
  for (unsigned seed = 1; seed <= 30; seed++) {
    Code code = arbitrary_code(seed);
    CoreModel slower = small_core();
    for (auto& rule : slower.instructions) rule.latency->value += 2;
    slower.memory.forwarding[0].latency.value += 3;
    EXPECT_GE(code.cycles(slower), code.cycles(small_core()) * 0.97 - 0.1) << seed;
  }
}

TEST(Laws, TheSameInputGivesTheSameCycles) {
  Code code = arbitrary_code(7);
  EXPECT_EQ(code.cycles(small_core()), code.cycles(small_core()));
}

}  // namespace perfcast::engine
