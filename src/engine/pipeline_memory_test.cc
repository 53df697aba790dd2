// What lies between the core and its first cache: forwarding, renamed loads, the store buffer's way out, banks.
#include <gtest/gtest.h>

#include "engine/pipeline.h"
#include "engine/test_core.h"

namespace perfcast::engine {
namespace {

Match unindexed() {
  Match match;
  match.indexed = false;
  return match;
}

CoreModel with_two_load_ports() {
  CoreModel core = small_core();
  core.ports = {"a", "b", "f", "l", "s", "m"}, core.memory.loads[0].ports = {{"l m", 1, 1}}, core.schedulers[0].ports += " m";
  return core;
}

}  // namespace

TEST(Memory, AStackSlotIsARecurrence) {
  Code code;  // x += y, with x in memory
  code.load(1, 5, -8), code.op("ADD64rr", {1}, {1, 2}), code.store(1, 5, -8);
  EXPECT_NEAR(code.cycles(small_core()), 7, close);  // 6 to forward, 1 to add
}

// A sum in memory comes back later than a product, on some cores.
TEST(Memory, WhatIsChangedAtOnceMayComeBackLater) {
  CoreModel core = small_core();
  ForwardingRule later = core.memory.forwarding.front();
  later.changed_at_once = true, later.latency = number(8);
  core.memory.forwarding.insert(core.memory.forwarding.begin(), later);
  for (const auto& [changes, cycles] : {std::pair<std::vector<const char*>, double>{{"ADD64rr"}, 9}, {{"MUL64rr"}, 9}, {{"ADD64rr", "ADD64rr"}, 8}}) {
    Code code;
    code.load(1, 5, -8);
    for (const char* change : changes) code.op(change, {1}, {1, 2});
    code.store(1, 5, -8);
    EXPECT_NEAR(code.cycles(core), cycles, close);
  }
}

// ldr x1,[x0],#8; add x0,x1,x2: the port that moves x0 on is no part of the way from address to data.
TEST(Memory, AWriteBackWaitsForTheAddressOnly) {
  Code code;
  InstructionForm form;
  form.opcode = "LDRXpost", form.load = form.write_back = true, form.memory_bytes = 8;
  code.add(form, {1, 0}, {0}).uses[0].address = true;
  code.op("ADD64rr", {0}, {1, 2});
  CoreModel core = small_core();
  EXPECT_NEAR(code.cycles(core), 6, close);  // 5 to load, 1 to add
  InstructionRule moving;
  moving.match.opcode = "^LDRXpost", moving.ports = std::vector<PortNeed>{{"a", 1, 1}};
  core.instructions.insert(core.instructions.begin(), moving);
  EXPECT_NEAR(code.cycles(core), 6, close);
}

// A counter in memory that is read twice more: its own load is the third that waits for the store.
TEST(Memory, LoadsThatWaitForOneStoreComeOneByOne) {
  Code code;
  code.load(3, 5, -8), code.load(4, 5, -8);
  code.load(1, 5, -8), code.op("ADD64rr", {1}, {1, 2}), code.store(1, 5, -8);
  CoreModel core = small_core();
  EXPECT_NEAR(code.cycles(core), 7, close);
  core.memory.waiting_load = number(0.5);
  EXPECT_NEAR(code.cycles(core), 8, close);
}

// A variable that is set and read three times at once: each of these loads goes through the port twice, for its turn and for the data.
TEST(Memory, LoadsThatComeBeforeTheDataAreSentAgain) {
  Code code;
  code.load(1, 5, -64);
  for (int k = 0; k < 6; k++) code.op("ADD64rr", {1}, {1, 2});  // so long the loads are there before it
  code.store(1, 5, -8);
  for (int k = 0; k < 3; k++) code.load(10 + k, 5, -8);
  CoreModel core = small_core();
  EXPECT_NEAR(code.cycles(core), 4, close);
  core.memory.load_repeats = number(1);
  EXPECT_NEAR(code.cycles(core), 7, close);
}

// A chain of loads, each behind a store to another page: to the same place of it, and to another.
TEST(Memory, LoadsWaitForStoresToTheSamePlaceOfAnotherPage) {
  Code code;
  code.store(2, 5, 0), code.load(1, 1, 0);
  CoreModel core = small_core();
  auto each = [&](std::uint64_t store, std::uint64_t load) {
    std::vector<TraceStep> way;
    for (int round = 0; round < 200; round++) way.push_back({&code.body[0], false, false, store, 0}), way.push_back({&code.body[1], false, false, load, 0});
    return simulate(way, code.forms, core)->cycles / 200;
  };
  const double apart = each(0x10000, 0x20000);
  core.memory.alias_cycles = number(7);
  EXPECT_NEAR(each(0x10000, 0x20000), apart + 7, 0.2);
  EXPECT_NEAR(each(0x10000, 0x20040), apart, 0.2);
  EXPECT_NEAR(each(0x10004, 0x20000), apart + 7, 0.2);  // half of it
}

// Stores whose data come late are still under way when the load has been sent back by the younger one.
TEST(Memory, EachStoreToTheSamePlaceSendsALoadBackOnce) {
  Code code;
  for (int k = 0; k < 8; k++) code.op("MUL64rr", {3}, {k ? 3 : 1, 2});
  code.store(3, 5, 0), code.store(3, 5, 4096), code.load(1, 1, 0);
  CoreModel core = small_core();
  core.memory.alias_cycles = number(7);
  auto each = [&](std::uint64_t second) {
    std::vector<TraceStep> way;
    for (std::uint64_t round = 0; round < 200; round++)
      for (const auto& instruction : code.body) {
        const std::uint64_t begin = &instruction == &code.body[8] ? 0x10000 : &instruction == &code.body[9] ? second : 0x20000;
        way.push_back({&instruction, false, false, begin + round % 32 * 128, 0});
      }
    return simulate(way, code.forms, core)->cycles / 200;
  };
  EXPECT_NEAR(each(0x11040), 12, 0.3);
  EXPECT_NEAR(each(0x11000), 19, 0.3);
}

TEST(Memory, ALoadThatCrossesALineComesLater) {
  Code code;
  code.load(1, 1, 0);
  CoreModel core = small_core();
  core.memory.crossing_load_cycles = number(2);
  auto each = [&](std::uint64_t address) {
    const std::vector<TraceStep> way(200, {&code.body[0], false, false, address, 0});
    return simulate(way, code.forms, core)->cycles / 200;
  };
  EXPECT_NEAR(each(0x1000), 5, 0.2);
  EXPECT_NEAR(each(0x103c), 6, 0.2);
  core.memory.crossing_load_later = number(7);
  EXPECT_NEAR(each(0x103c), 12, 0.2);
  EXPECT_NEAR(each(0x1000), 5, 0.2);
}

// A counter that begins with a constant: renamed, but where such a beginning is what keeps a core from it.
TEST(Memory, ConstantsEndRenamingOfWhatTheyBegin) {
  Code code;
  code.store(2, 5, -8, "MOV64mi32").immediate = 0, code.body.back().uses.pop_back();
  for (int k = 0; k < 40; k++) code.load(1, 5, -8), code.op("ADD64rr", {1}, {1, 2}), code.store(1, 5, -8);
  CoreModel core = small_core();
  core.memory.forwarding.insert(core.memory.forwarding.begin(), {{}, {}, false, true, number(0)});
  const double renamed = code.cycles(core);
  core.memory.constants_end_renaming = true;
  EXPECT_GT(code.cycles(core), 2 * renamed);
}

// Two variables of four bytes side by side, as -O0 has them, each a sum.
TEST(Memory, NeighboursOnTheStackAreRecurrencesOfTheirOwn) {
  Code code;
  for (int slot : {-8, -4}) code.load(1, 5, slot, "MOV32rm", 4), code.op("ADD32rr", {1}, {1, 2}), code.store(1, 5, slot, "MOV32mr", 4);
  EXPECT_NEAR(code.cycles(small_core()), 7, close);
}

TEST(Memory, DifferentSlotsAreNot) {
  Code code;
  code.load(1, 5, -8), code.op("ADD64rr", {1}, {1, 2}), code.store(1, 5, -16);
  EXPECT_LT(code.cycles(small_core()), 1.5);
}

TEST(Memory, ARecurrenceAtConstantDistanceThroughAMovingPointer) {
  Code code;  // a[i] = a[i-1] + y
  code.load(1, 5, 0), code.op("ADD64rr", {1}, {1, 2}), code.store(1, 5, 8);
  code.op("ADD64ri8", {5}, {5}).immediate = 8;
  EXPECT_NEAR(code.cycles(small_core()), 7, close);
}

TEST(Memory, AnIndexKeptInMemoryIsFollowed) {
  Code code;  // unoptimised: i is in a slot, a[i] = a[i] + y; i++
  code.load(3, 5, -8);                       // i
  InstructionForm indexed;
  indexed.opcode = "MOV64rm", indexed.load = true, indexed.indexed = true, indexed.scale = 8, indexed.memory_bytes = 8;
  Instruction& a = code.add(indexed, {1}, {6, 3});
  a.uses[0].address = a.uses[1].address = true, a.displacement = -8;  // a[i-1]
  code.op("MUL64rr", {1}, {1, 2});
  InstructionForm out = indexed;
  out.opcode = "MOV64mr", out.load = false, out.store = true;
  Instruction& b = code.add(out, {}, {6, 3, 1});
  b.uses[0].address = b.uses[1].address = true, b.displacement = 0;   // a[i]
  code.load(4, 5, -8), code.op("ADD64ri8", {4}, {4}).immediate = 1;
  code.store(4, 5, -8);
  EXPECT_NEAR(code.cycles(small_core()), 9, close);  // 6 + 3 through a[i-1], longer than 7 through i
}

TEST(Memory, ARenamedLoadCostsNothing) {
  CoreModel core = small_core();
  core.memory.forwarding.insert(core.memory.forwarding.begin(), {unindexed(), unindexed(), true, true, number(0)});
  Code code;
  code.load(1, 5, -8), code.op("ADD64rr", {1}, {1, 2}), code.store(1, 5, -8);
  EXPECT_NEAR(code.cycles(core), 1, close);
}

TEST(Memory, ALoadFusedWithItsOperationIsNotRenamed) {
  CoreModel core = small_core();
  core.memory.forwarding.insert(core.memory.forwarding.begin(), {unindexed(), unindexed(), true, true, number(0)});
  core.rename.fused = {{opcode("^MOV64rm"), opcode("^ADD64rr"), How::measured, ""}};
  Code added, multiplied;
  added.load(1, 5, -8), added.op("ADD64rr", {1}, {1, 2}), added.store(1, 5, -8);
  multiplied.load(1, 5, -8), multiplied.op("MUL64rr", {1}, {1, 2}), multiplied.store(1, 5, -8);
  EXPECT_NEAR(added.cycles(core), 7, close);
  EXPECT_NEAR(multiplied.cycles(core), 3, close);
}

TEST(Memory, WhatIsLoadedAgainIsRenamedToo) {
  CoreModel core = small_core();
  core.memory.forwarding.insert(core.memory.forwarding.begin(), {unindexed(), unindexed(), true, true, number(0)});
  Code code;
  code.load(3, 5, -8), code.load(1, 5, -8), code.op("ADD64rr", {1}, {1, 2}), code.store(1, 5, -8);
  EXPECT_NEAR(code.cycles(core), 2, close);  // not 7: two loads on a port
}

// The branch waits for nothing, so that the core is back before the products are done.
TEST(Memory, WhatWasStoredBeforeAMispredictionIsForwarded) {
  CoreModel core = small_core();
  core.memory.forwarding.insert(core.memory.forwarding.begin(), {unindexed(), unindexed(), true, true, number(0)});
  Code code;
  code.load(1, 5, -8);
  for (int k = 0; k < 10; k++) code.op("MUL64rr", {1}, {1, 2});
  code.store(1, 5, -8), code.branch({9});
  std::vector<TraceStep> right, wrong;
  for (int k = 0; k < 100; k++)
    for (const auto& instruction : code.body) right.push_back({&instruction, false, false, {}, 0}), wrong.push_back({&instruction, false, &instruction == &code.body.back(), {}, 0});
  const auto without = simulate(right, code.forms, core), with = simulate(wrong, code.forms, core);
  ASSERT_TRUE(without && with);
  EXPECT_NEAR(without->cycles / 100, 30, 0.5);
  EXPECT_NEAR(with->cycles / 100, 36, 0.5);
}

TEST(Memory, ForwardingFailsForANarrowStore) {
  CoreModel core = small_core();
  core.memory.failed_forwarding = number(19), core.memory.narrow_forwarding = number(15);
  Code narrow;
  narrow.store(1, 5, 0, "MOV32mr", 4), narrow.load(1, 5, 0);
  EXPECT_NEAR(narrow.cycles(core), 15, close);
  Code two;
  two.store(1, 5, 0, "MOV32mr", 4), two.store(1, 5, 4, "MOV32mr", 4), two.load(1, 5, 0);
  EXPECT_NEAR(two.cycles(core), 19, close);
}

// The bytes are known early, but the store waits for what is before it, and the next one for the load.
TEST(Memory, WhatIsNotForwardedWaitsForTheStoreToLeave) {
  CoreModel core = small_core();
  core.memory.failed_forwarding = number(19), core.memory.narrow_forwarding = number(15);
  Code code;
  code.store(2, 5, 0, "MOV32mr", 4), code.load(1, 5, 0);
  EXPECT_NEAR(code.cycles(core), 14, close);
}

TEST(Memory, StoresLeaveTogetherOnlyToOneLine) {
  CoreModel core = small_core();
  core.ports = {"a", "b", "f", "l", "s", "t"}, core.memory.stores = {{{}, {{"s t", 1, 1}}, {}}}, core.schedulers[0].ports += " t";
  core.memory.store_cycles = number(1), core.memory.stores_per_line = 2, core.window.store_buffer = number(20);
  Code together, apart;
  for (int k = 0; k < 8; k++) together.store(1, 5, 8 * k), apart.store(1, 5, 64 * k);
  EXPECT_NEAR(together.cycles(core), 4, 0.1);
  EXPECT_NEAR(apart.cycles(core), 8, 0.1);
}

TEST(Memory, BanksLimitLoads) {
  CoreModel core = with_two_load_ports();
  core.memory.banks = {{256, 1, false, How::measured, ""}};
  Code near, far, same;
  for (int k = 0; k < 8; k++) near.load(10 + k, 5, 8 * k), far.load(10 + k, 5, 256 * k), same.load(10 + k, 5, 0);
  EXPECT_NEAR(near.cycles(core), 4, close);
  EXPECT_NEAR(far.cycles(core), 8, 0.3);
  EXPECT_NEAR(same.cycles(core), 4, close);
  core.memory.banks.front().same_place = true;
  EXPECT_NEAR(near.cycles(core), 4, close);
  EXPECT_NEAR(same.cycles(core), 8, 0.3);
}

TEST(Memory, LoadsOfWhatWasJustStoredNeedNoBank) {
  CoreModel core = with_two_load_ports();
  core.memory.banks = {{256, 1, true, How::measured, ""}};
  Code code;
  code.store(1, 5, 0);
  for (int k = 0; k < 8; k++) code.load(10 + k, 5, 0);
  EXPECT_NEAR(code.cycles(core), 4, 0.3);
}

}  // namespace perfcast::engine
