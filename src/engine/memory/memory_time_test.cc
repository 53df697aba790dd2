#include "engine/memory/memory_time.h"

#include <gtest/gtest.h>

#include "engine/test_core.h"

namespace perfcast::engine {
namespace {

// Round numbers: 512 lines of L1 at 1 ns, 16384 of L2 at 5 ns, DRAM at 101 ns; a line streams in 1 and 4 ns.
MemoryModel toy_memory() {
  MemoryModel m;
  MemoryLevel l1, l2, dram;
  l1.name = "L1", l1.capacity_bytes = number(32768), l1.latency_ns = number(1), l1.read_ns["1"] = number(0.5);
  l2.name = "L2", l2.capacity_bytes = number(1048576), l2.latency_ns = number(5), l2.read_ns["1"] = number(1);
  l2.random_read_ns = number(0.5), l2.parallel_misses = number(10);
  dram.name = "DRAM", dram.latency_ns = number(101), dram.read_ns["1"] = number(4), dram.write_ns["1"] = number(6);
  dram.update_ns = number(7), dram.random_read_ns = number(8), dram.parallel_misses = number(10);
  dram.stride_ns["256"] = number(9);
  m.levels = {l1, l2, dram};
  m.window_instructions = number(100);
  return m;
}

Access load(double count, double distance, double share, double near) {
  Access a;
  a.bytes = 8, a.count = count;
  a.lines = {{0, 1 - share, 0}, {distance, share, near}};
  return a;
}

}  // namespace

TEST(Hits, ProbabilityFallsWithDistance) {
  EXPECT_DOUBLE_EQ(hit_probability(0, 512), 1);
  EXPECT_DOUBLE_EQ(hit_probability(512, 512), 0.5);
  EXPECT_GT(hit_probability(300, 512), 0.95);
  EXPECT_LT(hit_probability(900, 512), 0.05);
  EXPECT_EQ(hit_probability(5, 0), 0);
}

TEST(Hits, SharesAddUpToOne) {
  Access a = load(100, 5000, 0.25, 0.5);
  a.lines.push_back({100000, 0.1, 1}), a.unknown = 0.0;
  a.lines[0].share -= 0.1;
  auto served = served_by(a, toy_memory(), {1e9});
  double sum = 0;
  for (std::size_t i = 0; i < 3; i++) sum += served.near[i] + served.alone[i];
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(Hits, UnknownLiesBetweenWhatWasSeenAndTheFootprint) {
  Access a;
  a.lines = {{1024, 0.5, 0}}, a.unknown = 0.5;
  // Seen up to twice L1; the program has four times L2: six octaves in between, two of them beyond L2.
  auto served = served_by(a, toy_memory(), {4.0 * 1048576});
  EXPECT_NEAR(served.alone[2], 0.5 * 2 / 6, 0.01);
  EXPECT_NEAR(served.alone[1], 0.5 + 0.5 * 4 / 6, 0.02);
}

TEST(Hits, WhatWasNeverSeenIsTakenToHit) {
  Access a;
  a.unknown = 1;
  EXPECT_EQ(served_by(a, toy_memory(), {1e9}).alone[0], 1);
}

TEST(MemoryTime, AStreamCostsItsBandwidth) {
  // 8 elements per line, each line from DRAM next to one touched before.
  auto region = region_memory(std::vector{load(8000, 1e6, 0.125, 1)}, toy_memory(), {24000, {1e9}});
  EXPECT_NEAR(region.stream_ns, 1000 * 4, 4);
  EXPECT_EQ(region.dependent_ns, 0);
}

TEST(MemoryTime, AChaseCostsItsLatency) {
  Access a = load(1000, 1e6, 1, 0);
  a.kind = AddressKind::chase;
  auto region = region_memory(std::vector{a}, toy_memory(), {2000, {1e9}});
  EXPECT_NEAR(region.dependent_ns, 1000 * 100, 100);
  EXPECT_NEAR(join_core_and_memory(500, region), 500 + region.dependent_ns, 1e-6);
}

TEST(MemoryTime, IndependentMissesOverlapWithinTheWindow) {
  auto few = region_memory(std::vector{load(1000, 1e6, 1, 0)}, toy_memory(), {1000 * 200, {1e9}});
  auto many = region_memory(std::vector{load(1000, 1e6, 1, 0)}, toy_memory(), {1000 * 5, {1e9}});
  EXPECT_NEAR(few.random_ns, 1000 * 100 / 1.5, 100);  // 1 + 100/200 in flight
  EXPECT_NEAR(many.random_ns, 1000 * 10, 20);         // as many as the machine allows
}

TEST(MemoryTime, AStrideUsesItsTable) {
  Access a = load(1000, 1e6, 1, 0);
  a.stride_bytes = 256, a.stride_share = 1;
  EXPECT_NEAR(region_memory(std::vector{a}, toy_memory(), {1000, {1e9}}).strided_ns, 9000, 9);
}

TEST(MemoryTime, AListOfSteadyStepsIsFetchedAhead) {
  Access a = load(1000, 1e6, 1, 0);
  a.kind = AddressKind::chase, a.stride_bytes = 256, a.stride_share = 0.9;
  auto region = region_memory(std::vector{a}, toy_memory(), {2000, {1e9}});
  EXPECT_NEAR(region.strided_ns, 0.9 * 9000, 9);
  EXPECT_NEAR(region.dependent_ns, 0.1 * 1000 * 100, 100);
}

TEST(MemoryTime, WalksHideBehindStridedLines) {
  MemoryModel memory = toy_memory();
  memory.translation.second_entries = number(100), memory.translation.walk_ns = number(30), memory.translation.walk_parallel_ns = number(9);
  memory.levels[1].stride_ns = {{"4160", number(9)}};
  Access a = load(1000, 1000, 1, 0);  // lines of the second level
  a.stride_bytes = 8256, a.stride_share = 1, a.pages = {{4000, 1, 0}};
  auto region = region_memory(std::vector{a}, memory, {2000, {1e9}});
  EXPECT_GT(region.walk_ns, 0);
  EXPECT_LT(region.walk_ns, 0.7 * 9000);  // two equal demands take 1.59 times one, not twice
}

TEST(MemoryTime, AnOddStrideIsNotTakenForAPowerOfTwo) {
  MemoryModel memory = toy_memory();
  memory.levels[2].stride_ns = {{"192", number(2)}, {"1024", number(20)}, {"2048", number(30)}};
  Access a = load(1000, 1e6, 1, 0);
  a.stride_bytes = 2384, a.stride_share = 1;
  EXPECT_NEAR(region_memory(std::vector{a}, memory, {1000, {1e9}}).strided_ns, 2000, 2);
  a.stride_bytes = -2048;
  EXPECT_NEAR(region_memory(std::vector{a}, memory, {1000, {1e9}}).strided_ns, 30000, 30);
}

// A table may say two things of one number, and a file may hold any stride.
TEST(MemoryTime, OddTablesGiveFiniteTimes) {
  MemoryModel memory = toy_memory();
  memory.levels[2].read_ns = {{"0", number(3)}, {"1", number(4)}, {"1.0", number(5)}, {"nan", number(6)}, {"inf", number(7)}};
  memory.levels[2].stride_ns = {{"1e60", number(9)}, {"inf", number(8)}};
  Access stream = load(8000, 1e6, 0.125, 1);
  EXPECT_EQ(region_memory(std::vector{stream}, memory, {8000, {1e9}}).stream_ns, region_memory(std::vector{stream}, toy_memory(), {8000, {1e9}}).stream_ns);
  Access a = load(1000, 1e6, 1, 0);
  for (double stride : {1e60, -1e60, 1e19}) {
    a.stride_bytes = stride, a.stride_share = 1;
    EXPECT_NEAR(region_memory(std::vector{a}, memory, {1000, {1e9}}).strided_ns, 9000, 9) << stride;
  }
}

TEST(MemoryTime, ChangedLinesGoBack) {
  Access read = load(8000, 1e6, 0.125, 1), write = load(8000, 0, 0, 0);
  write.store = true, read.stride_bytes = write.stride_bytes = 8, read.stride_share = write.stride_share = 1;
  write.dirtied = {{0, 0.875, 0}, {1e6, 0.125, 0}};
  auto region = region_memory(std::vector{read, write}, toy_memory(), {24000, {1e9}});
  EXPECT_NEAR(region.stream_ns + region.starting_ns, 1000 * 7, 10);
  // What is stored to again before the cache lets go of it does not.
  write.dirtied = {{0, 1, 0}};
  region = region_memory(std::vector{read, write}, toy_memory(), {24000, {1e9}});
  EXPECT_NEAR(region.stream_ns, 1000 * 4, 10);
}

// Stores leave the core in order: the fewer of them bring a line, the less these lines overlap.
TEST(MemoryTime, AScatteredStoreCostsMoreAmongOthers) {
  MemoryModel memory = toy_memory();
  memory.levels[2].random_write_ns = {{"1", number(20)}, {"16", number(100)}};
  Access scattered = load(1000, 1e6, 1, 0), near = load(15000, 0, 0, 0);
  scattered.store = near.store = true;
  EXPECT_NEAR(region_memory(std::vector{scattered}, memory, {2000, {1e9}}).random_ns, 1000 * 20, 20);
  EXPECT_NEAR(region_memory(std::vector{scattered, near}, memory, {24000, {1e9}}).random_ns, 1000 * 100, 100);
  scattered.store = false;  // a load asks for its line at once
  EXPECT_LT(region_memory(std::vector{scattered, near}, memory, {24000, {1e9}}).random_ns, 1000 * 21);
}

TEST(MemoryTime, ReadingAndWritingTogetherIsACopy) {
  MemoryModel memory = toy_memory();
  memory.levels[2].copy_ns["1"] = number(8);
  Access read = load(8000, 1e6, 0.125, 1), write = load(8000, 1e6, 0.125, 1);
  write.store = true, write.dirtied = write.lines;
  EXPECT_NEAR(region_memory(std::vector{read, write}, memory, {24000, {1e9}}).stream_ns, 1000 * 8, 20);
}

TEST(MemoryTime, LatenciesAreLeftToTheCoreWhenItKnowsThem) {
  Access chase = load(1000, 1e6, 1, 0);
  chase.kind = AddressKind::chase;
  auto region = region_memory(std::vector{chase}, toy_memory(), {2000, {1e9}, false, true});
  EXPECT_EQ(region.dependent_ns, 0);
  EXPECT_NEAR(region.random_ns, 1000 * 8, 10);
}

TEST(MemoryTime, WhatFitsTheFirstLevelCostsNothing) {
  auto region = region_memory(std::vector{load(1000, 10, 1, 0)}, toy_memory(), {1000, {4096}});
  EXPECT_LT(region.overlapping_ns(), 1e-3);
  EXPECT_NEAR(join_core_and_memory(100, region), 100, 1e-6);
}

}  // namespace perfcast::engine
