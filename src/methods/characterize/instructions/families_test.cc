#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/core_tables.h"
#include "methods/characterize/instructions/closest_core.h"
#include "methods/characterize/instructions/described_forms.h"
#include "methods/characterize/instructions/families.h"
#include "methods/characterize/instructions/fitted_kin.h"
#include "methods/characterize/instructions/fitting.h"

namespace perfcast::instructions {
namespace {

TEST(Family, IsFoundByProcessor) {
  auto family = family_of("processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: x\n", "x86_64");
  ASSERT_TRUE(family);
  EXPECT_EQ(family->core, "emerald-rapids");
  family = family_of("CPU implementer\t: 0x41\nCPU variant\t: 0x1\nCPU part\t: 0xd40\n", "aarch64");
  ASSERT_TRUE(family);
  EXPECT_EQ(family->core, "neoverse-v1");
  family = family_of("vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\n", "x86_64");
  ASSERT_TRUE(family);
  EXPECT_EQ(family->core, "zen3");
  family = family_of("vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 173\n", "x86_64");
  ASSERT_TRUE(family);
  EXPECT_EQ(family->core, "emerald-rapids");
  EXPECT_EQ(family->llvm_cpu, "graniterapids");
  family = family_of("vendor_id : Other\n", "x86_64");
  ASSERT_TRUE(family);
  EXPECT_TRUE(family->core.empty());
}

// Every core that a processor may start from is whole, and every benchmarked form finds a port or a rule in it.
TEST(Family, EveryFrameIsACore) {
  for (const char* isa : {"x86_64", "aarch64"}) {
    auto described = bundled_described_forms(isa);
    ASSERT_TRUE(described) << described.error().message();
    auto cores = cores_of(isa);
    ASSERT_TRUE(cores);
    EXPECT_EQ(cores->front(), usual_core(isa));
    cores->push_back("");
    for (const auto& name : *cores) {
      auto frame = frame_of({name, ""}, isa);
      ASSERT_TRUE(frame) << name << ": " << frame.error().message();
      EXPECT_TRUE(engine::check_core(*frame)) << name;
      const engine::CoreTables tables(*frame);
      for (const auto& [form, d] : described->of)
        for (const auto& use : d.form.resources)
          EXPECT_TRUE(isa == std::string("aarch64") || use.ports == "SPRPortInvalid" || tables.llvm_mask(use.ports)) << name << " knows no " << use.ports << " of " << form;
    }
  }
}

// What the front end, rename and memory of a made-up processor take, as its benchmarks would tell.
TEST(Family, AUsualCoreBelievesWhatIsMeasured) {
  auto frame = frame_of({}, "x86_64");
  auto described = bundled_described_forms("x86_64");
  auto table = bundled_form_table("x86_64");
  ASSERT_TRUE(frame && described && table);
  Timings timings;
  for (const auto& c : table->cases)
    if (c.kind == "window" && c.name == "nop")
      for (int n : c.parameters) timings.of["window/nop/" + std::to_string(n)] = steady((n < 300 ? 60.0 : 110.0) + n / 8.0);
  timings.of["loop/nop/15"] = steady(2);
  timings.of["chain/mov.rr64"] = steady(0.5);
  timings.of["forward/sd.sd.add/4"] = steady(9);
  timings.of["forward/sd.9sd.add/4"] = steady(13);
  const auto usual = fit_core(*frame, Frame::usual, *table, *described, timings);
  EXPECT_EQ(usual.core.front_end.rename_width.value, 8);
  EXPECT_NEAR(usual.core.window.reorder_buffer.value, 300, 12);
  ASSERT_TRUE(usual.core.rename.eliminated_share);
  EXPECT_NEAR(usual.core.rename.eliminated_share->value, 0.5, 1e-9);
  ASSERT_TRUE(usual.core.memory.waiting_load);  // eight more loads wait, two in a cycle
  EXPECT_NEAR(usual.core.memory.waiting_load->value, 0.5, 1e-9);
  timings.of["memory/load.stride.8/24"] = steady(0.5);
  timings.of["forward/early.loads/4"] = steady(2.02);
  EXPECT_FALSE(fit_core(*frame, Frame::usual, *table, *described, timings).core.memory.load_repeats);
  timings.of["forward/early.loads/4"] = steady(3.4);  // four loads, and three of them again
  const auto repeating = fit_core(*frame, Frame::usual, *table, *described, timings).core.memory;
  ASSERT_TRUE(repeating.load_repeats);
  EXPECT_EQ(repeating.load_repeats->value, 1);
  EXPECT_FALSE(repeating.waiting_load);  // the ports tell
  // Of the same family that is too far off to be true.
  const auto kin = fit_core(*frame, Frame::family, *table, *described, timings);
  EXPECT_EQ(kin.core.front_end.rename_width.value, frame->front_end.rename_width.value);
  EXPECT_EQ(kin.core.window.reorder_buffer.value, frame->window.reorder_buffer.value);
  EXPECT_FALSE(kin.gaps.empty());
}

// A processor of no known family whose loads go through three ports, as on Golden Cove, or two, as on Skylake.
TEST(Family, AStrangerIsTakenForTheClosest) {
  auto described = bundled_described_forms("x86_64");
  auto table = bundled_form_table("x86_64");
  auto names = cores_of("x86_64");
  ASSERT_TRUE(described && table && names);
  for (const auto& [load, simple, name] : {std::tuple{0.333, 0.2, "emerald-rapids"}, {0.5, 0.25, "skylake"}}) {
    Timings timings;
    timings.of["stream/load.r64"] = timings.of["stream/load.sd"] = steady(load);
    timings.of["stream/add.rr64"] = timings.of["stream/xor.rr64"] = steady(simple);
    auto closest = closest_core(*names, "x86_64", *table, *described, timings);
    ASSERT_TRUE(closest);
    EXPECT_EQ(closest->name, name);
    EXPECT_LT(distance_of(closest->core, *table, *described, timings), 0.1);
  }
  auto undecided = closest_core(*names, "x86_64", *table, *described, Timings{});
  ASSERT_TRUE(undecided);
  EXPECT_EQ(undecided->name, usual_core("x86_64"));
}

// Loops of up to sixteen slots come as fast as rename takes them: no group of eight ends at their branch.
TEST_F(FittedKin, TheGroupsOfTheFrontEndAreSeen) {
  for (double group : {8.0, 16.0}) {
    Timings timings;
    for (int n = 1; n <= 19; n++) timings.of["loop/nop/" + std::to_string(n)] = steady(std::max({1.0, (n + 1) / 6.0, std::ceil((n + 1) / group)}));
    const auto fitted = kin.fitted(timings);
    EXPECT_EQ(fitted.core.front_end.uops_per_cycle->value, group);
  }
}

// A comparison with indexed memory and seven fillers: nine slots, or the rest of two groups lost.
TEST_F(FittedKin, WhatComesApartMayHaveToBeginAGroup) {
  Timings timings;
  timings.of["slot/cmp.mem.idx/12"] = steady(1.5);
  EXPECT_FALSE(kin.fitted(timings).core.rename.extra_within);
  timings.of["slot/cmp.mem.idx/12"] = steady(2.0);
  const auto fitted = kin.fitted(timings);
  ASSERT_TRUE(fitted.core.rename.extra_within);
  EXPECT_EQ(fitted.core.rename.extra_within->value, 3);
}

// Two moves and an addition between them: a cycle when both are eliminated, three when none is.
TEST_F(FittedKin, EliminatedMovesAreSeen) {
  Timings timings;
  timings.of["chain/mov.rr64"] = steady(0.5);
  timings.of["rename/move.r64/16"] = timings.of["rename/move.zx8/16"] = steady(1.01);
  auto fitted = kin.fitted(timings);
  EXPECT_FALSE(fitted.core.rename.eliminated_share);
  EXPECT_EQ(fitted.core.rename.eliminated_moves.size(), kin.frame->rename.eliminated_moves.size() + 1);
  timings.of["rename/move.r64/16"] = timings.of["rename/move.zx8/16"] = steady(3);
  fitted = kin.fitted(timings);
  ASSERT_TRUE(fitted.core.rename.eliminated_share);
  EXPECT_NEAR(fitted.core.rename.eliminated_share->value, 0, 1e-9);
  EXPECT_EQ(fitted.core.rename.eliminated_moves.size(), kin.frame->rename.eliminated_moves.size());
}

// A move and the operation on it: seven slots with the fillers behind them, or six.
TEST_F(FittedKin, PairsMadeOneSlotAreSeen) {
  Timings timings;
  timings.of["rename/fuse.mov.add/12"] = steady(1.02);
  timings.of["rename/fuse.load.shl/12"] = steady(1.17);
  timings.of["forward/r64.r64.add/4"] = steady(7.4);  // a load that is fused is not renamed
  timings.of["forward/r64.r64.imul/4"] = steady(3.0);
  const auto fitted = kin.fitted(timings);
  const auto& fused = fitted.core.rename.fused;
  ASSERT_EQ(fused.size(), kin.frame->rename.fused.size() + 1);
  EXPECT_EQ(fused.back().first.opcode, "^MOV(32|64)rr");
  EXPECT_TRUE(std::ranges::any_of(fitted.core.memory.forwarding, &ForwardingRule::renamed));
}

// Nine slots with the fillers beside it, or ten; thirteen would be something else.
TEST_F(FittedKin, SlotsAtRenameAreSeen) {
  for (const auto [all, slots] : {std::pair{9, 0}, {10, 3}, {13, 0}}) {
    Timings timings;
    timings.of["stream/shl.cl"] = steady(1), timings.of["slots/shl.cl"] = steady(1.01 * all / 6);
    const auto fitted = kin.fitted(timings);
    auto says = [&](const InstructionRule& rule) { return rule.slots && rule.match.opcode == "^((SHL|SHR|SAR)(8|16|32|64)[rm]CL)$"; };
    const auto rule = std::ranges::find_if(fitted.core.instructions, says);
    ASSERT_EQ(rule != fitted.core.instructions.end(), slots > 0) << all;
    if (slots > 0) EXPECT_EQ(rule->slots, slots);
  }
}

// A chain through the remainder takes longer than one through the quotient.
TEST_F(FittedKin, EveryResultHasALatency) {
  Timings timings;
  timings.of["chain/div.r64"] = steady(15.02);
  timings.of["result/div.r64.rest/8"] = steady(19.01);
  timings.of["chain/mul.r64"] = timings.of["result/mul.r64.upper/16"] = steady(4);  // of which the helper takes one of the second
  timings.of["chain/cvt.si32.sd"] = steady(8), timings.of["result/cvt.si32.sd.kept/16"] = steady(4.01);
  const auto fitted = kin.fitted(timings);
  auto of = [&](const std::string& opcode) {
    return *std::ranges::find_if(fitted.core.instructions, [&](const InstructionRule& rule) { return rule.match.opcode == opcode; });
  };
  EXPECT_EQ(of("^(DIV64[rm])$").latency_by_definition, (std::vector<double>{14, 18}));
  EXPECT_EQ(of("^(I?MUL64[rm])$").latency_by_definition, (std::vector<double>{4, 3}));
  EXPECT_EQ(of("^(V?CVTSI2SD(Z)?(rr|rm)(_Int)?)$").kept_latency, 4);
}

// Of easy operands a division makes less; where the usual ones make as little, that is the least.
TEST_F(FittedKin, WideDivisionsAreSeenWhereTheyTakeLonger) {
  for (double wide : {18.0, 90.0}) {
    Timings timings;
    timings.of["result/div.r64.rest/8"] = steady(18), timings.of["result/div.r64.wide/8"] = steady(wide);
    const auto cycles = kin.fitted(timings).core.wide_division;
    ASSERT_EQ(cycles.has_value(), wide > 18);
    if (cycles) EXPECT_EQ(cycles->value, 90);
  }
}

TEST_F(FittedKin, TheLeastCyclesOfEasyOperandsAreSeen) {
  Timings timings;
  timings.of["chain/sqrt.sd"] = steady(22.03), timings.of["stream/sqrt.sd"] = steady(6.01);
  timings.of["easy/sqrt.sd/chain"] = steady(13.02), timings.of["easy/sqrt.sd/stream"] = steady(4.51);
  timings.of["chain/div.ss"] = timings.of["easy/div.ss/chain"] = steady(11.01);
  timings.of["forward/sd.sd.add/4"] = steady(10), timings.of["forward/sd.sd.late/4"] = steady(15);
  const auto fitted = kin.fitted(timings);
  auto of = [&](const std::string& opcode) {
    return *std::ranges::find_if(fitted.core.instructions, [&](const InstructionRule& rule) { return rule.match.opcode.starts_with(opcode); });
  };
  EXPECT_DOUBLE_EQ(of("^(V?SQRTSD(r").latency->value, 18);
  EXPECT_DOUBLE_EQ(of("^(V?SQRTSD(r").least_latency->value, 13);
  EXPECT_DOUBLE_EQ(of("^(V?SQRTSD(r").least_throughput->value, 4.51);
  EXPECT_DOUBLE_EQ(of("^(V?DIVSS(rr").least_latency->value, of("^(V?DIVSS(rr").latency->value);
  const auto& doubles = fitted.core.memory.forwarding.back();  // an addition takes 3 cycles of the first chain, three 9 of the second
  EXPECT_DOUBLE_EQ(doubles.latency.value - doubles.least_latency->value, 1);
}

TEST_F(FittedKin, ResultsThatMeetAreSeen) {
  Timings timings;
  timings.of["ports/product.beside.logic/8"] = steady(1.02);
  EXPECT_FALSE(kin.fitted(timings).core.one_result_per_port);
  timings.of["ports/product.beside.logic/8"] = steady(1.42);
  EXPECT_TRUE(kin.fitted(timings).core.one_result_per_port);
}

}  // namespace
}  // namespace perfcast::instructions
