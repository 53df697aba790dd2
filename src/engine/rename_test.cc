// What rename does without a port, and how soon results come where a bypass joins two kinds of operations.
#include <gtest/gtest.h>

#include "engine/pipeline.h"
#include "engine/test_core.h"

namespace perfcast::engine {

TEST(Rename, AZeroIdiomCutsTheChainAndNeedsNoPort) {
  CoreModel core = small_core();
  core.rename.zero_idioms = {opcode("^XOR")};
  Code code;
  code.op("XOR64rr", {1}, {1, 1}).same_sources = true;
  for (int k = 0; k < 3; k++) code.op("MUL64rr", {1}, {1, 2});
  EXPECT_NEAR(code.cycles(core), 3, close);  // three multiplications on one port, iterations overlap
  core.rename.zero_idioms.clear();
  EXPECT_NEAR(code.cycles(core), 10, close);
}

TEST(Rename, AMoveIsEliminatedBetweenDifferentRegistersOnly) {
  CoreModel core = small_core();
  core.rename.eliminated_moves = {opcode("^MOV64rr")};
  Code there_and_back;
  there_and_back.op("MOV64rr", {2}, {1}), there_and_back.op("MOV64rr", {1}, {2});
  EXPECT_NEAR(there_and_back.cycles(core), 0.5, close);
  Code self;
  self.op("MOV64rr", {1}, {1});
  EXPECT_NEAR(self.cycles(core), 1, close);
}

TEST(Rename, ASmallConstantIsFolded) {
  CoreModel core = small_core();
  core.rename.folded = {{opcode("^ADD64ri"), 1024}};
  Code small, large;
  small.op("ADD64ri8", {1}, {1}).immediate = 8;
  large.op("ADD64ri32", {1}, {1}).immediate = 2000;
  EXPECT_NEAR(small.cycles(core), 0.25, close);
  EXPECT_NEAR(large.cycles(core), 1, close);
}

TEST(Rename, ComparisonAndBranchFuseIntoOneSlot) {
  CoreModel core = small_core();
  core.rename.fused = {{opcode("^CMP"), opcode("^J"), How::measured, ""}};
  Code code;
  for (int k = 0; k < 3; k++) code.op("NOOP", {}, {});
  code.op("CMP64rr", {9}, {1, 2});
  code.branch({9});
  EXPECT_NEAR(code.cycles(core), 1, close);  // 3 + 1 slots
  core.rename.fused.clear();
  EXPECT_NEAR(code.cycles(core), 1.25, close);
}

// A move and the operation that changes the copy; not one that changes another register.
TEST(Rename, AMoveFusesWithTheOperationOnItsCopy) {
  CoreModel core = small_core();
  core.rename.eliminated_moves = {opcode("^MOV64rr")};
  Code copy, other;
  for (int k = 0; k < 3; k++) copy.op("NOOP", {}, {}), other.op("NOOP", {}, {});
  copy.op("MOV64rr", {1}, {2}), copy.op("ADD64rr", {1}, {1, 3});
  other.op("MOV64rr", {1}, {2}), other.op("ADD64rr", {4}, {5, 3});
  EXPECT_NEAR(copy.cycles(core), 1.25, close);
  core.rename.fused = {{opcode("^MOV64rr"), opcode("^ADD"), How::measured, ""}};
  EXPECT_NEAR(copy.cycles(core), 1, close);
  EXPECT_NEAR(other.cycles(core), 1.25, close);
}

// What an index adds to a comparison with memory (un-lamination) it adds to the fused pair as well.
TEST(Rename, AFusedPairKeepsItsExtraSlot) {
  CoreModel core = small_core();
  core.rename.fused = {{opcode("^CMP"), opcode("^J"), How::measured, ""}}, core.rename.micro_fusion = true;
  core.rename.extra_slots = {{opcode("^CMP64rm"), 1}};
  Code code;
  for (int k = 0; k < 3; k++) code.op("NOOP", {}, {});
  code.load(9, 1, 0, "CMP64rm");
  code.branch({9});
  EXPECT_NEAR(code.cycles(core), 1.25, close);  // 3 + 2 slots
}

TEST(Rename, WhatComesApartBeginsInTheFirstPartOfAGroup) {
  CoreModel core = small_core();
  core.rename.extra_slots = {{opcode("^CMP64rm"), 1}}, core.rename.micro_fusion = true;
  Code code;
  for (int k = 0; k < 4; k++) code.op("NOOP", {}, {});
  code.load(9, 1, 0, "CMP64rm");
  EXPECT_NEAR(code.cycles(core), 1.5, close);  // 6 slots of 4 a cycle
  core.rename.extra_within = number(3);
  EXPECT_NEAR(code.cycles(core), 1.5, close);  // at the first slot, then at the third
  core.rename.extra_within = number(2);
  EXPECT_NEAR(code.cycles(core), 2, close);
}

TEST(Rename, AFalseDependenceMakesAStreamAChain) {
  CoreModel core = small_core();
  Code code;
  code.op("FADDrr", {1}, {2});
  EXPECT_NEAR(code.cycles(core), 1, close);
  core.rename.false_dependences = {opcode("^FADD")};
  EXPECT_NEAR(code.cycles(core), 4, close);
  for (auto& rule : core.instructions)
    if (rule.match.opcode == "^FADD") rule.kept_latency = 3;
  EXPECT_NEAR(code.cycles(core), 3, close);
}

// A byte that is loaded into a part of a register goes into what that held; the address does not wait for it.
TEST(Rename, APartOfARegisterWaitsForTheRest) {
  CoreModel core = small_core();
  Code code;
  code.op("FADDrr", {9}, {9, 2});
  code.load(9, 1, 0, "MOV8rm");
  EXPECT_NEAR(code.cycles(core), 1, close);
  core.rename.false_dependences = {opcode("^MOV8r[rim]")};
  EXPECT_NEAR(code.cycles(core), 5, close);
}

TEST(Rename, MicroFusionAndExtraSlots) {
  CoreModel core = small_core();
  core.rename.micro_fusion = true;
  Code code;
  for (int k = 0; k < 4; k++) {
    code.load(10 + k, 1, 8 * k, "ADD64rm");
    code.op("NOOP", {}, {}), code.op("NOOP", {}, {}), code.op("NOOP", {}, {});
  }
  EXPECT_NEAR(code.cycles(core), 4, close);  // 16 slots, one load port
  core.rename.extra_slots = {{opcode("^ADD64rm"), 1}};
  EXPECT_NEAR(code.cycles(core), 5, close);
}

// ------------------------------------------------------------------------------------ bypasses

TEST(Bypass, SoonerForOneKindOfConsumer) {
  CoreModel core = small_core();
  core.bypasses = {{"fadd", "fadd", false, -1, "", How::measured, ""}};
  Code chain;
  chain.op("FADDrr", {1}, {1, 2});
  EXPECT_NEAR(chain.cycles(core), 3, close);
  chain.op("MUL64rr", {1}, {1, 2});
  EXPECT_NEAR(chain.cycles(core), 7, close);
}

TEST(Bypass, DelaysTheWholeConsumer) {
  CoreModel core = small_core();
  core.instructions.insert(core.instructions.begin(), InstructionRule{});
  core.instructions[0].match.opcode = "^MUL64rr", core.instructions[0].kind = "slowed";
  Code chain;  // the value from FADD is long there: register 3 is not on the chain
  chain.op("FADDrr", {3}, {2, 2});
  chain.op("MUL64rr", {1}, {1, 3});
  const double before = chain.cycles(core);
  core.bypasses = {{"fadd", "slowed", false, 2, "", How::measured, ""}};
  EXPECT_NEAR(chain.cycles(core), before, close);
  core.bypasses[0].delays_result = true;
  EXPECT_NEAR(chain.cycles(core), before + 2, close);
}

// Every consumer but its own kind takes longer, also one that has no kind; which of its operands came last does not matter.
TEST(Bypass, DelaysAllOthers) {
  CoreModel core = small_core();
  Code beside, own;
  beside.op("FADDrr", {3}, {2, 2});
  beside.op("MUL64rr", {1}, {1, 3});
  own.op("FADDrr", {3}, {2, 2});
  own.op("FADDrr", {1}, {1, 3});
  const double multiplied = beside.cycles(core), added = own.cycles(core);
  core.bypasses = {{"fadd", other_kinds, false, 1, "", How::measured, ""}};
  core.bypasses[0].delays_result = true;
  EXPECT_NEAR(beside.cycles(core), multiplied + 1, close);
  EXPECT_NEAR(own.cycles(core), added, close);
}

TEST(Bypass, OnlyIntoTheAccumulator) {
  CoreModel core = small_core();
  core.instructions[1].accumulator = -1;
  core.bypasses = {{"fadd", "fadd", true, -2, "", How::measured, ""}};
  Code into_last, into_first;
  into_last.op("FADDrr", {1}, {2, 1});
  into_first.op("FADDrr", {1}, {1, 2});
  EXPECT_NEAR(into_last.cycles(core), 2, close);
  EXPECT_NEAR(into_first.cycles(core), 4, close);
}

}  // namespace perfcast::engine
