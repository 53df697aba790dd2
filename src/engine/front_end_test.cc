// Moves that are eliminated in part, jumps that lie badly, and groups of ports that are one.
#include <gtest/gtest.h>

#include "engine/core_tables.h"
#include "engine/replay.h"
#include "engine/resolve.h"
#include "engine/test_core.h"

namespace perfcast::engine {
TEST(Rename, OfSomeCoresOnlyAShareOfMovesIsEliminated) {
  CoreModel core = small_core();
  core.rename.eliminated_moves.emplace_back().opcode = "^MOV64rr";
  Code code;
  code.op("MUL64rr", {1}, {1, 2}), code.op("MOV64rr", {3}, {1}), code.op("MOV64rr", {1}, {3});
  EXPECT_NEAR(code.cycles(core), 3, 0.02);
  core.rename.eliminated_share = number(0.25);
  EXPECT_NEAR(code.cycles(core), 3 + 2 * 0.75, 0.02);
}

// Twelve instructions of eight bytes, the fourth a jump that is not taken and ends at 32: those 32 bytes are decoded each time. A jump that
// ends before does no harm.
TEST(FrontEnd, CodeIsDecodedEachTimeWhereAJumpTouchesABoundary) {
  CoreModel core = small_core();
  Code code;
  for (int k = 0; k < 12; k++) {
    Instruction& made = k == 3 ? code.branch() : code.op("NOOP", {}, {});
    made.address = 0x1000 + 8 * static_cast<std::uint64_t>(k), made.size = 8;
  }
  EXPECT_NEAR(code.cycles(core), 3, 0.02);
  core.front_end.boundary_bytes = number(32);
  EXPECT_NEAR(code.cycles(core), 2 + 2, 0.02);
  core.front_end.decode_bytes = number(8);
  EXPECT_NEAR(code.cycles(core), 4 + 2, 0.02);
  code.body[3].size = 7;
  EXPECT_NEAR(code.cycles(core), 3, 0.02);
  code.body[3].size = 9, code.body[4].address++, code.body[4].size = 7;  // crosses: so are the next 32
  EXPECT_NEAR(code.cycles(core), 8 + 1, 0.02);
}

// A push moves the stack pointer; the first that names it afterwards takes a slot more, the second does not.
TEST(FrontEnd, WhoNamesAStackPointerThatPushesMovedTakesASlotMore) {
  CoreModel core = small_core();
  Code code;
  const auto named = [&] { code.op("NOOP", {}, {}).text = "leaq 8(%rsp), %rdx"; };
  code.op("PUSH64r", {}, {}), named(), named();
  for (int k = 0; k < 9; k++) code.op("NOOP", {}, {});
  EXPECT_NEAR(code.cycles(core), 3, 0.02);
  core.rename.stack_sync = number(1);
  EXPECT_NEAR(code.cycles(core), 3.25, 0.02);
  code.body.front().form = code.body.back().form;  // nothing moves it
  EXPECT_NEAR(code.cycles(core), 3, 0.02);
}

// A call stores where to return to, and a return loads it, where that lies in memory.
TEST(FrontEnd, WhereToReturnToGoesThroughMemory) {
  const auto cycles = [](int bytes) {
    Code code;
    InstructionForm call, ret;
    call.opcode = "CALL64pcrel32", call.call = true, call.memory_bytes = bytes;
    ret.opcode = "RET64", ret.ret = true, ret.memory_bytes = bytes;
    for (int k = 0; k < 4; k++) code.add(call, {}, {}), code.add(ret, {}, {});
    for (int k = 0; k < 8; k++) code.store(20, 21, 8 * k);
    return code.cycles(small_core());
  };
  EXPECT_NEAR(cycles(0), 8, 0.02);   // a store a cycle
  EXPECT_NEAR(cycles(8), 12, 0.02);  // with those of four calls
}

// Of jumps in as many blocks of code as the small table holds, each takes a cycle; two in a block keep each other out of it, and of more
// blocks the same.
TEST(FrontEnd, BranchesTheSmallTableDoesNotHoldTakeLonger) {
  CoreModel core = small_core();
  core.front_end.taken_branches_per_cycle = number(1);
  core.front_end.near_branches = number(8), core.front_end.near_branch_bytes = number(32), core.front_end.far_branch = number(2);
  auto each = [&](int jumps, std::uint64_t apart) {
    Code code;
    for (int k = 0; k < jumps; k++) code.branch().address = 0x1000 + apart * static_cast<std::uint64_t>(k);
    std::vector<TraceStep> way;
    for (int round = 0; round < 200; round++)
      for (const auto& branch : code.body) way.push_back({&branch, true, false, {}, 0});
    return simulate(way, code.forms, core)->cycles / 200 / jumps;
  };
  EXPECT_NEAR(each(8, 32), 1, 0.05);
  EXPECT_NEAR(each(8, 16), 1.5, 0.05);  // one of two keeps its place
  EXPECT_NEAR(each(8, 64), 1.5, 0.05);  // in every other place of the table
  EXPECT_NEAR(each(32, 32), 2, 0.05);
}

// Jumps to what follows them. Fetched, each takes a cycle; replayed, half of one, and the loop as a whole one.
TEST(FrontEnd, ALoopOfFewTakenBranchesIsReplayed) {
  CoreModel core = small_core();
  core.front_end.taken_branches_per_cycle = number(1);
  auto jumps = [&](int n) {
    Code code;
    for (int k = 0; k < n; k++) code.branch();
    std::vector<TraceStep> way;
    for (int round = 0; round < 200; round++)
      for (const auto& branch : code.body) way.push_back({&branch, true, false, {}, 0});
    return simulate(way, code.forms, core)->cycles / 200;
  };
  EXPECT_NEAR(jumps(7), 7, 0.1);
  core.front_end.replayed_taken_branches = number(7), core.front_end.replayed_taken_per_cycle = number(2);
  core.branches.taken_ports = "a b";
  EXPECT_NEAR(jumps(1), 1, 0.1);
  EXPECT_NEAR(jumps(7), 4, 0.1);
  EXPECT_NEAR(jumps(8), 8, 0.1);
}

// The same five branches, but no way of seven that comes again.
TEST(Replay, WhatRepeatsIsTheWay) {
  using enum Replay::Place;
  Replay replay(7);
  const int branch[5] = {};
  for (int round = 0; round < 2; round++)
    for (int k : {0, 1, 0, 2}) EXPECT_EQ(replay.after(&branch[k]), outside) << round << " " << k;
  EXPECT_EQ(replay.after(&branch[0]), outside);
  for (int k : {1, 0}) replay.after(&branch[k]);
  EXPECT_EQ(replay.after(&branch[2]), last);
  EXPECT_EQ(replay.after(&branch[0]), inside);
  Replay longer(7);
  for (int round = 0; round < 9; round++)
    for (int k : {0, 1, 2, 3, 4, 3, 2, 1}) EXPECT_EQ(longer.after(&branch[k]), outside) << round << " " << k;
}

// LLVM tells each group of ports that a micro-operation could use; here two of them mean the same ports.
TEST(Resolve, GroupsThatAreOneAreCountedOnce) {
  CoreModel core = small_core();
  core.instructions.clear();
  core.llvm_ports = {{"P01", "a b"}, {"P016", "a b"}};
  InstructionForm form;
  form.opcode = "CDQE", form.resources = {{"P01", 1}, {"P016", 1}}, form.latency = {1};
  Code code;
  code.add(form, {1}, {1});
  const CoreTables tables(core);
  EXPECT_EQ(resolve_all(tables, code.forms, code.body).at(0).micro_ops.size(), 1u);
}

}  // namespace perfcast::engine
