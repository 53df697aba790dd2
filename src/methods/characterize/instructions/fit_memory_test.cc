// What is seen of loads and stores in the timings of a processor of a known family.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/core_tables.h"
#include "methods/characterize/instructions/fitted_kin.h"

namespace perfcast::instructions {
namespace {

// A plain load is renamed to the store, one that extends the sign is not.
TEST_F(FittedKin, LoadsThatAreNotRenamedAreSeen) {
  Timings timings;
  timings.of["forward/r64.r64.imul/4"] = timings.of["forward/r32.r32.imul/4"] = timings.of["forward/r8.zx8.imul/4"] = steady(3);
  timings.of["forward/r32.sx32.imul/4"] = steady(9);
  timings.of["forward/r64.r64.fixed.imul/4"] = steady(8);
  const auto fitted = kin.fitted(timings);
  const engine::CoreTables tables(fitted.core);
  auto rule_of = [&](const char* load, const char* store) {
    auto holds = [&](const engine::CompiledMatch& match, const char* form) {
      const auto& described = kin.described->of.at(form);
      std::vector<signed char> remembered;
      return match.holds({described.form, described.instruction, remembered});
    };
    std::size_t i = 0;
    while (!holds(tables.forward_load[i], load) || !holds(tables.forward_store[i], store)) i++;
    return fitted.core.memory.forwarding[i];
  };
  EXPECT_TRUE(rule_of("load.r64", "store.r64").renamed);
  EXPECT_TRUE(rule_of("load.r32", "store.r32").renamed);
  EXPECT_TRUE(rule_of("load.zx8", "store.r8").renamed);
  EXPECT_FALSE(rule_of("load.sx32", "store.r32").renamed);
  EXPECT_EQ(rule_of("load.sx32", "store.r32").latency.value, 6);
  EXPECT_EQ(rule_of("load.r64", "store.r64").load.text, "^(?!.*\\(%rip\\))");
}

TEST_F(FittedKin, WhatIsChangedAtOnceMayComeBackLater) {
  for (double at_once : {6.1, 7.4}) {
    Timings timings;
    timings.of["forward/r64.r64.idx.add/4"] = steady(at_once);
    timings.of["forward/r64.r64.idx.imul/4"] = steady(8);
    const auto fitted = kin.fitted(timings);
    const auto& rules = fitted.core.memory.forwarding;
    const auto later = std::ranges::find_if(rules, &ForwardingRule::changed_at_once);
    EXPECT_EQ(later != rules.end(), at_once > 7);
    if (later == rules.end()) continue;
    EXPECT_NEAR(later->latency.value, 6.4, 1e-9);
    EXPECT_NEAR((later + 1)->latency.value, 5, 1e-9);
  }
}

TEST_F(FittedKin, LoadsBehindStoresToTheSamePlaceOfAPageAreSeen) {
  for (double later : {0.0, 7.0}) {
    Timings timings;
    timings.of["memory/apart.chain/4"] = steady(5), timings.of["memory/alias.chain/4"] = steady(5 + later);
    timings.of["memory/load.stride.8/24"] = steady(0.5), timings.of["memory/alias.loads/8"] = steady(later > 0 ? 1.98 : 1.5);
    const auto memory = kin.fitted(timings).core.memory;
    ASSERT_EQ(memory.alias_cycles.has_value(), later > 0);
    if (!memory.alias_cycles) continue;
    EXPECT_NEAR(memory.alias_cycles->value, 7, 1e-9);
    EXPECT_EQ(memory.alias_repeats->value, 1);
  }
}

TEST_F(FittedKin, LoadsThatCrossLinesAreSeen) {
  Timings timings;
  timings.of["memory/load.whole.chain/8"] = steady(5);
  auto later = [&] { return kin.fitted(timings).core.memory.crossing_load_later; };
  ASSERT_TRUE(later());
  EXPECT_EQ(later()->value, 7);  // the family's
  for (double cycles : {1.0, 6.0}) {
    timings.of["memory/load.split.chain/8"] = steady(5 + cycles);
    EXPECT_EQ(later()->value, cycles);
  }
}

TEST_F(FittedKin, LoadsThatAreNotSentAgainAreSeen) {
  Timings timings;
  EXPECT_TRUE(kin.fitted(timings).core.memory.load_repeats);  // the family's
  timings.of["memory/load.stride.8/24"] = steady(0.334), timings.of["forward/early.loads/4"] = steady(1.4);
  EXPECT_FALSE(kin.fitted(timings).core.memory.load_repeats);
}

TEST_F(FittedKin, ConstantsThatEndRenamingAreSeen) {
  Timings timings;
  timings.of["branch/sum.in.memory/20"] = steady(2.15);
  EXPECT_FALSE(kin.fitted(timings).core.memory.constants_end_renaming);
  timings.of["branch/sum.in.memory/20"] = steady(4.99);
  EXPECT_TRUE(kin.fitted(timings).core.memory.constants_end_renaming);
}

TEST_F(FittedKin, BanksAreCountedByWhatTheyServe) {
  Timings timings;
  auto at_other_lines = [&](double cycles) {
    for (const char* stride : {"64", "128", "256"}) timings.of[fmt::format("memory/load.stride.{}/24", stride)] = steady(cycles);
  };
  EXPECT_FALSE(kin.fitted(timings).core.memory.banks.empty());  // the family's, where nothing was timed
  timings.of["memory/load.stride.8/24"] = steady(0.335);
  at_other_lines(0.505);
  timings.of["memory/load.same/24"] = steady(0.335);
  auto banks = kin.fitted(timings).core.memory.banks;
  ASSERT_EQ(banks.size(), 1u);
  EXPECT_EQ(banks[0].period_bytes, 64);
  EXPECT_EQ(banks[0].per_cycle, 2);
  EXPECT_FALSE(banks[0].same_place);
  timings.of["memory/load.same/24"] = steady(0.504), timings.of["memory/load.stride.256/24"] = steady(1.01);
  banks = kin.fitted(timings).core.memory.banks;
  ASSERT_EQ(banks.size(), 2u);
  EXPECT_TRUE(banks[0].same_place);
  EXPECT_EQ(banks[1].period_bytes, 256);
  EXPECT_EQ(banks[1].per_cycle, 1);
  at_other_lines(0.335);
  EXPECT_TRUE(kin.fitted(timings).core.memory.banks.empty());  // a core without them
}

}  // namespace
}  // namespace perfcast::instructions
