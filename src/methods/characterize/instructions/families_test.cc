#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/core_tables.h"
#include "methods/characterize/instructions/closest_core.h"
#include "methods/characterize/instructions/described_forms.h"
#include "methods/characterize/instructions/families.h"
#include "methods/characterize/instructions/fitting.h"

namespace perfcast::instructions {
namespace {

Timing steady(double cycles) { return {.cycles = cycles, .spread = 0, .kept = 16, .taken = 16}; }

// What a processor of that family is fitted with.
struct GoldenCove {
  Result<DescribedForms> described = bundled_described_forms("x86_64");
  Result<FormTable> table = bundled_form_table("x86_64");
  Result<CoreModel> frame = frame_of({"emerald-rapids", ""}, "x86_64");
  bool read() const { return described && table && frame; }
  FittedCore fitted(const Timings& timings) const { return fit_core(*frame, Frame::family, *table, *described, timings); }
};

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
TEST(Family, TheGroupsOfTheFrontEndAreSeen) {
  const GoldenCove kin;
  ASSERT_TRUE(kin.read());
  for (double group : {8.0, 16.0}) {
    Timings timings;
    for (int n = 1; n <= 19; n++) timings.of["loop/nop/" + std::to_string(n)] = steady(std::max({1.0, (n + 1) / 6.0, std::ceil((n + 1) / group)}));
    const auto fitted = kin.fitted(timings);
    EXPECT_EQ(fitted.core.front_end.uops_per_cycle->value, group);
  }
}

// A comparison with indexed memory and seven fillers: nine slots, or the rest of two groups lost.
TEST(Family, WhatComesApartMayHaveToBeginAGroup) {
  const GoldenCove kin;
  ASSERT_TRUE(kin.read());
  Timings timings;
  timings.of["slot/cmp.mem.idx/12"] = steady(1.5);
  EXPECT_FALSE(kin.fitted(timings).core.rename.extra_within);
  timings.of["slot/cmp.mem.idx/12"] = steady(2.0);
  const auto fitted = kin.fitted(timings);
  ASSERT_TRUE(fitted.core.rename.extra_within);
  EXPECT_EQ(fitted.core.rename.extra_within->value, 3);
}

// Two moves and an addition between them: a cycle when both are eliminated, three when none is.
TEST(Family, EliminatedMovesAreSeen) {
  const GoldenCove kin;
  ASSERT_TRUE(kin.read());
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
TEST(Family, PairsMadeOneSlotAreSeen) {
  const GoldenCove kin;
  ASSERT_TRUE(kin.read());
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

// A chain through the remainder takes longer than one through the quotient.
TEST(Family, EveryResultHasALatency) {
  const GoldenCove kin;
  ASSERT_TRUE(kin.read());
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
TEST(Family, TheLeastCyclesOfEasyOperandsAreSeen) {
  const GoldenCove kin;
  ASSERT_TRUE(kin.read());
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

// A plain load is renamed to the store, one that extends the sign is not.
TEST(Family, LoadsThatAreNotRenamedAreSeen) {
  const GoldenCove kin;
  ASSERT_TRUE(kin.read());
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

TEST(Family, WhatIsChangedAtOnceMayComeBackLater) {
  const GoldenCove kin;
  ASSERT_TRUE(kin.read());
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

// Ends of loops of up to forty iterations are predicted, or of all that were tried.
TEST(Family, TheLongestLearnedLoopIsSeen) {
  const GoldenCove kin;
  ASSERT_TRUE(kin.read());
  for (int longest : {40, 1000}) {
    Timings timings;
    for (int n : {8, 16, 24, 32, 40, 48, 64, 96, 128, 192, 256}) timings.of["branch/ends/" + std::to_string(n)] = steady(n + (n > longest ? 22 : 2));
    const auto fitted = kin.fitted(timings);
    const auto& loop = fitted.core.branches.learned_loop;
    EXPECT_EQ(loop.has_value(), longest == 40);
    if (loop) EXPECT_NEAR(loop->value, 44, 1e-9);
  }
}

// Patterns of eight branches are learned up to 12000, or all that were tried.
TEST(Family, TheLongestPatternOfManyBranchesIsSeen) {
  const GoldenCove kin;
  ASSERT_TRUE(kin.read());
  for (int longest : {12000, 100000}) {
    Timings timings;
    for (int n : {800, 4000, 8000, 12000, 16000, 24000})
      timings.of["branch/pattern.branches/" + std::to_string(n)] = steady(n > longest ? 9 : 1.5);
    const auto branches = kin.fitted(timings).core.branches.learned_branches;
    ASSERT_TRUE(branches);
    EXPECT_NEAR(branches->value, longest == 12000 ? 12600 : 24000, 1e-9);
  }
}

// Loops of up to fourteen jumps and their own take half a cycle for each; or all of them one.
TEST(Family, LoopsThatAreReplayedAreSeen) {
  const GoldenCove kin;
  ASSERT_TRUE(kin.read());
  for (int longest : {14, 0}) {
    Timings timings;
    for (int n : {4, 6, 8, 10, 12, 14, 16, 20, 24}) timings.of["branch/jumps.ahead/" + std::to_string(n)] = steady(n <= longest ? 1.3 + 0.5 * n : n + 1);
    timings.of["branch/call.return.many/24"] = steady(3.4);
    const auto core = kin.fitted(timings).core;
    ASSERT_EQ(core.front_end.replayed_taken_branches.has_value(), longest > 0);
    EXPECT_NEAR(core.branches.call_return->value, 3.4, 1e-9);
    if (!longest) continue;
    EXPECT_EQ(core.front_end.replayed_taken_branches->value, 15);
    EXPECT_EQ(core.front_end.replayed_taken_per_cycle->value, 2);
    EXPECT_EQ(core.branches.taken_ports, "p0 p6");
  }
}

// Up to 64 lines of code jump in a cycle each, more in two; two jumps in 32 bytes are one too many. Whether few of them are
// replayed in less says nothing of it.
TEST(Family, BranchesForeseenAtOnceAreSeen) {
  const GoldenCove kin;
  ASSERT_TRUE(kin.read());
  for (const auto [longest, replayed] : {std::pair{64, 0}, {64, 16}, {256, 0}, {256, 16}}) {
    Timings timings;
    for (int n : {16, 32, 64, 128, 256}) timings.of["branch/taken.lines/" + std::to_string(n)] = steady((n + 1) * (n <= replayed ? 0.71 : n <= longest ? 1.02 : n < 256 ? 1.6 : 1.98));
    timings.of["branch/taken.jmp.32/16"] = steady(1.03), timings.of["branch/taken.jmp.16/16"] = steady(1.64);
    const auto front_end = kin.fitted(timings).core.front_end;
    ASSERT_EQ(front_end.near_branches.has_value(), longest < 256);
    if (!front_end.near_branches) continue;
    EXPECT_EQ(front_end.near_branches->value, 128);
    EXPECT_EQ(front_end.near_branch_bytes->value, 32);
    EXPECT_NEAR(front_end.far_branch->value, 1.98, 1e-9);
  }
}

TEST(Family, LoadsBehindStoresToTheSamePlaceOfAPageAreSeen) {
  const GoldenCove kin;
  ASSERT_TRUE(kin.read());
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

TEST(Family, LoadsThatCrossLinesAreSeen) {
  const GoldenCove kin;
  ASSERT_TRUE(kin.read());
  Timings timings;
  timings.of["memory/load.whole.chain/8"] = steady(5);
  EXPECT_FALSE(kin.fitted(timings).core.memory.crossing_load_later);
  timings.of["memory/load.split.chain/8"] = steady(11);
  const auto later = kin.fitted(timings).core.memory.crossing_load_later;
  ASSERT_TRUE(later);
  EXPECT_EQ(later->value, 6);
}

TEST(Family, ResultsThatMeetAreSeen) {
  const GoldenCove kin;
  ASSERT_TRUE(kin.read());
  Timings timings;
  timings.of["ports/product.beside.logic/8"] = steady(1.02);
  EXPECT_FALSE(kin.fitted(timings).core.one_result_per_port);
  timings.of["ports/product.beside.logic/8"] = steady(1.42);
  EXPECT_TRUE(kin.fitted(timings).core.one_result_per_port);
}

TEST(Family, LoadsThatAreNotSentAgainAreSeen) {
  const GoldenCove kin;
  ASSERT_TRUE(kin.read());
  Timings timings;
  EXPECT_TRUE(kin.fitted(timings).core.memory.load_repeats);  // the family's
  timings.of["memory/load.stride.8/24"] = steady(0.334), timings.of["forward/early.loads/4"] = steady(1.4);
  EXPECT_FALSE(kin.fitted(timings).core.memory.load_repeats);
}

TEST(Family, ConstantsThatEndRenamingAreSeen) {
  const GoldenCove kin;
  ASSERT_TRUE(kin.read());
  Timings timings;
  timings.of["branch/sum.in.memory/20"] = steady(2.15);
  EXPECT_FALSE(kin.fitted(timings).core.memory.constants_end_renaming);
  timings.of["branch/sum.in.memory/20"] = steady(4.99);
  EXPECT_TRUE(kin.fitted(timings).core.memory.constants_end_renaming);
}

TEST(Family, BanksAreCountedByWhatTheyServe) {
  const GoldenCove kin;
  ASSERT_TRUE(kin.read());
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
