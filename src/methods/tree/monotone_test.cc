// An upgrade never harms, and a larger one never helps less: whatever the model says of single machines.
#include "methods/tree/monotone.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/test_core.h"
#include "methods/tree/tree.h"

namespace perfcast::tree {
namespace {

using engine::Code, engine::number, engine::small_core;

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }
  double between(double low, double high) { return low + (high - low) * static_cast<double>(engine_() % 10000) / 9999; }

 private:
  std::mt19937 engine_;
};

// Three levels of memory, each slower than the one before.
Machine some_machine(Dice& dice) {
  Machine machine;
  machine.name = "some", machine.core = small_core();
  machine.core->branches.misprediction = number(dice.between(5, 30));
  machine.memory = MemoryModel{};
  double latency = 5, line = dice.between(1, 4);
  for (const char* name : {"L1", "L2", "DRAM"}) {
    MemoryLevel level;
    level.name = name, level.latency_ns = number(latency);
    if (level.name != "DRAM") level.capacity_bytes = number(level.name == "L1" ? 6400 : 640000);
    if (level.name != "L1")
      level.read_ns = {{"1", number(line)}}, level.write_ns = {{"1", number(1.5 * line)}}, level.random_read_ns = number(2 * line);
    latency *= dice.between(2, 8), line *= dice.between(2, 5);
    machine.memory->levels.push_back(level);
  }
  machine.system = SystemCosts{};
  machine.system->page_fault_ns = number(500), machine.system->process_start_ns = number(1e5);
  if (dice.below(2)) machine.system->core_sharing = number(dice.between(0, 0.6));
  return machine;
}

// A loop of ten instructions or so, whose registers depend on each other and whose loads come from anywhere.
Profile some_profile(Dice& dice) {
  Code code;
  std::vector<Access> accesses;
  const double iterations = 1e6;
  for (int i = 0, n = 5 + dice.below(8); i < n; i++) {
    const int to = 1 + dice.below(6), from = 1 + dice.below(6), other = 1 + dice.below(6);
    if (const int kind = dice.below(5); kind == 0) {
      code.load(to, from, 64 * i);
      Access access;
      access.count = iterations, access.bytes = 8;
      const double far = dice.between(0, 0.5), middle = dice.between(0, 0.5), near = dice.between(0, 1);
      access.lines = {{10, 1 - far - middle, 0}, {2000, middle, near}, {1e6, far, near}};
      if (dice.below(3) == 0) access.kind = AddressKind::chase;
      accesses.push_back(access);
    } else {
      const char* opcodes[] = {"ADD64rr", "MUL64rr", "FADDrr", "DIV64r"};
      code.op(opcodes[kind - 1], {to}, {from, other});
    }
  }
  code.branch({1 + dice.below(6)});
  Block block = engine::block(iterations, code.body, {engine::edge(0, iterations - 1)});
  block.name = "loop", block.loop = 0, block.from = "loop", block.mispredicted = iterations * dice.between(0, 0.2);
  Loop loop;
  loop.entries.value = 1, loop.iterations.value = iterations;
  Function main;
  main.name = "main", main.blocks = {block}, main.loops = {loop};
  Profile profile;
  profile.program = "some", profile.forms = code.forms, profile.machine = Graph{{main}};
  main.blocks[0].code.clear(), main.blocks[0].mispredicted.reset(), main.blocks[0].from.reset(), main.blocks[0].accesses = accesses;
  profile.ir = Graph{{main}};
  profile.run.page_faults = 100;
  return profile;
}

}  // namespace

// A model that is wrong by a fifth at random, and says something else of every factor.
TEST(Monotone, WhateverTheModelSays) {
  const TimeAt noisy = [](double factor) { return 0.3 + 0.7 / factor + 0.2 * std::sin(1000 * factor); };
  for (int way : {1, -1}) {
    double last = 1;
    for (int k = 0; k <= 400; k++) {
      auto time = monotone_time(1, std::pow(1000, way * k / 400.0), noisy);
      ASSERT_TRUE(time);
      EXPECT_LE(way * time->seconds, way * last) << k;
      last = time->seconds;
    }
  }
}

TEST(Monotone, ALawfulModelIsFollowed) {
  int asked = 0;
  const TimeAt lawful = [&](double factor) { return asked++, 0.3 + 0.7 / factor; };
  EXPECT_DOUBLE_EQ(monotone_time(1, 2, lawful)->seconds, 0.65);
  EXPECT_EQ(asked, 1);
  EXPECT_DOUBLE_EQ(monotone_time(1, 1, lawful)->seconds, 1);
  for (double factor : {0.01, 0.3, 1.1, 3.0, 700.0}) EXPECT_NEAR(monotone_time(1, factor, lawful)->seconds, 0.3 + 0.7 / factor, 1e-9) << factor;
  EXPECT_FALSE(monotone_time(1, 2, [](double) { return std::nullopt; }));
}

TEST(Monotone, NoUpgradeOfAnyProgramHarms) {
  for (unsigned seed : {3u, 10u, 11u}) {  // whose machines, costed one by one, take longer with some upgrades
    Dice dice(seed);
    const Machine machine = some_machine(dice);
    const Profile profile = some_profile(dice);
    TreeOptions options;
    options.rank = false, options.instructions = 50'000, options.crossed = 0;
    const std::vector<std::string> names = {"stalls", "load chains", "L2.latency", "DRAM.latency", "ports", "clock"};
    const std::vector<std::string> factors = {"1.3", "2", "4"};
    for (const auto& name : names) {
      options.upgrades.clear();
      for (const auto& factor : factors) options.upgrades.push_back(name + "=" + factor);
      auto tree = make_tree(profile, machine, options);
      ASSERT_TRUE(tree) << tree.error().message();
      double last = 1;
      for (const Upgrade& upgrade : tree->upgrades) {
        EXPECT_GE(upgrade.speedup, last) << upgrade.change << " of program " << seed;
        last = upgrade.speedup;
      }
      ASSERT_TRUE(tree->crossed);
      for (std::size_t i = 0; i < factors.size(); i++)
        for (std::size_t j = 0; j < factors.size(); j++) EXPECT_GE(tree->crossed->speedup[i][j], tree->crossed->speedup[i][i] - 1e-12) << name;
    }
  }
}

}  // namespace perfcast::tree
