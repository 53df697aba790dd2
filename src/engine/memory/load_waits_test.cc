#include "engine/memory/load_waits.h"

#include <gtest/gtest.h>

#include "engine/memory/hits.h"
#include "engine/memory/ir_origins.h"
#include "engine/test_core.h"

namespace perfcast::engine {
namespace {

// 512 lines of L1 at 1 ns, 16384 of a cache that keeps lines for 1 ms at 21 ns, memory at 101 ns.
MemoryModel retaining_memory() {
  MemoryModel m;
  m.levels.resize(4);
  m.levels[0].capacity_bytes = number(32768), m.levels[0].latency_ns = number(1);
  m.levels[1].capacity_bytes = number(262144), m.levels[1].latency_ns = number(5);
  m.levels[2].capacity_bytes = number(1048576), m.levels[2].latency_ns = number(21);
  m.levels[3].latency_ns = number(101);
  m.retention_ns = number(1e6);
  return m;
}

Access load(double distance, double near) {
  Access a;
  a.bytes = 8, a.count = 1000, a.lines = {{distance, 1, near}};
  return a;
}

}  // namespace

TEST(ReuseTime, AStreamComesBackAfterOnePass) {
  // 1000 passes over 8000 lines in 1 s: a line is touched once per ms.
  ReuseTime times;
  Access a;
  a.count = 8e6, a.lines = {{8000, 1, 1}};
  times.add(a);
  EXPECT_NEAR(times.ns(8000, 1e9), 1e6, 0.2e6);
  EXPECT_LT(times.ns(800, 1e9), 0.2e6);
}

TEST(Hits, TheLastCacheLosesLinesToOthersAsToOnesOwn) {
  const MemoryModel memory = retaining_memory();  // 16384 lines, 1 ms
  EXPECT_DOUBLE_EQ(last_cache_holds(memory, 0, 1e6), 0.5);
  EXPECT_DOUBLE_EQ(last_cache_holds(memory, 16384, 0), 0.5);
  EXPECT_DOUBLE_EQ(last_cache_holds(memory, 8192, 5e5), 0.5);
  EXPECT_GT(last_cache_holds(memory, 0, 2e5), 0.95);
  EXPECT_LT(last_cache_holds(memory, 0, 3e6), 0.05);
  for (const auto& [of_retention, left] : {std::pair(0.55, 0.88), {1.64, 0.19}, {3.3, 0.09}})  // as a Cascade Lake loses 6 MB with time
    EXPECT_NEAR(last_cache_holds(memory, 0, of_retention * 1e6), left, 0.06) << of_retention;
  EXPECT_LT(last_cache_holds(memory, 3 * 16384, 0), 0.01);  // its own lines leave less to chance
  MemoryModel unshared = memory;
  unshared.retention_ns.reset();
  EXPECT_GT(last_cache_holds(unshared, 1000, 1e12), 0.99);
}

TEST(Hits, SlowReusesFindABusyCacheEmpty) {
  ReuseTime times;
  Access a = load(8000, 0);
  times.add(a);
  // 1000 touches, each its own line: 8000 lines take 8 runs' worth, cut at the run itself.
  auto fast = served_by(a, retaining_memory(), {1e9, &times, 1e5}), slow = served_by(a, retaining_memory(), {1e9, &times, 1e8});
  EXPECT_GT(fast.alone[2], 0.9);
  EXPECT_GT(slow.alone[3], 0.95);
}

TEST(LoadWaits, AMissWaitsForItsLevelAndItsWalk) {
  MemoryModel memory = retaining_memory();
  Access a = load(1e6, 0);
  EXPECT_NEAR(wait_of(a, memory, {1e9}).mean_ns(), 100, 1);
  memory.translation.second_entries = number(100), memory.translation.walk_ns = number(30);
  a.pages = {{5000, 1, 0}};
  EXPECT_NEAR(wait_of(a, memory, {1e9}).mean_ns(), 130, 1);
}

TEST(LoadWaits, StreamsStepsAndStoresDoNotWait) {
  EXPECT_TRUE(wait_of(load(1e6, 1), retaining_memory(), {1e9}).chances.empty());
  Access strided = load(1e6, 0), store = load(1e6, 0);
  strided.stride_bytes = 256, strided.stride_share = 1, store.store = true;
  EXPECT_TRUE(wait_of(strided, retaining_memory(), {1e9}).chances.empty());
  EXPECT_TRUE(wait_of(store, retaining_memory(), {1e9}).chances.empty());
}

TEST(LoadWaits, OfAListOnlyTheLinksOutOfStepWait) {
  Access list = load(1e6, 0);
  list.kind = AddressKind::chase, list.stride_bytes = -144, list.stride_share = 0.75;
  EXPECT_NEAR(wait_of(list, retaining_memory(), {1e9}).mean_ns(), 25, 1);
  list.stride_bytes = 48;  // not even a line: whether its lines are neighbours was seen
  EXPECT_NEAR(wait_of(list, retaining_memory(), {1e9}).mean_ns(), 100, 1);
  list.stride_bytes = 6272;  // each link on another page
  EXPECT_NEAR(wait_of(list, retaining_memory(), {1e9}).mean_ns(), 100, 1);
}

TEST(LoadWaits, WhatWasWatchedAsMachineCodeIsTakenAsItIs) {
  Profile profile;
  profile.forms.resize(2), profile.forms[1].load = true;
  Block block;
  block.count.value = 1000, block.code.resize(3);
  for (int k : {0, 2}) block.code[static_cast<std::size_t>(k)].form = 1;
  Access a = load(1e6, 0);
  a.index = 2, block.accesses = {a};
  Function function;
  function.blocks = {block}, profile.machine = Graph{{function}};
  LoadWaits waits(profile, retaining_memory(), {1e9});
  EXPECT_EQ(waits.draw(0, 0, 0), 0);
  EXPECT_NEAR(waits.draw(0, 0, 2), 100, 1);
  EXPECT_NEAR(waits.serial_ns(0, 0), 1e5, 1e3);
}

// The test before a search, whose line is far, and the one at its end, whose line is at hand, became one block of code under
// the name of the first.
TEST(LoadWaits, CodeThatWasMergedHasTheLoadsOfBoth) {
  Profile profile;
  profile.forms.resize(2), profile.forms[1].load = true;
  auto block = [](const std::string& name, double count, std::vector<int> next) {
    Block b;
    b.name = name, b.count.value = count;
    for (int to : next) b.next.emplace_back().to = to;
    return b;
  };
  Function ir, machine;
  ir.name = machine.name = "f";
  ir.blocks = {block("first", 1000, {1, 2}), block("again", 3000, {1, 2}), block("end", 1000, {})};
  ir.blocks[0].accesses = {load(1e6, 0)}, ir.blocks[1].accesses = {load(0, 0)};
  machine.blocks = {block("a", 1000, {1}), block("b", 4000, {2, 3}), block("c", 3000, {1}), block("d", 1000, {})};
  machine.blocks[0].from = machine.blocks[1].from = "first", machine.blocks[2].from = "again", machine.blocks[3].from = "end";
  machine.blocks[1].code.resize(1), machine.blocks[1].code[0].form = 1;
  profile.ir = Graph{{ir}}, profile.machine = Graph{{machine}};
  LoadWaits waits(profile, retaining_memory(), {1e9});
  EXPECT_NEAR(waits.draw(0, 1, 0, 0), 100, 1);
  EXPECT_EQ(waits.draw(0, 1, 0, 2), 0);
  EXPECT_NEAR(waits.serial_ns(0, 1), 1000 * 100, 1e3);
}

TEST(LoadWaits, LoadsAreMatchedInOrderAndBySize) {
  using Pairs = std::vector<std::pair<int, int>>;
  EXPECT_EQ(match_loads({8, 4, 16}, {8, 4, 16}), (Pairs{{0, 0}, {1, 1}, {2, 2}}));
  EXPECT_EQ(match_loads({8, 8, 4}, {8, 4}), (Pairs{{0, 0}, {2, 1}}));  // a spill in between
  EXPECT_EQ(match_loads({16}, {8, 8}), Pairs{});
}

}  // namespace perfcast::engine
