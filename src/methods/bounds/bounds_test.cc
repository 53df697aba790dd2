#include "methods/bounds/bounds.h"

#include <gtest/gtest.h>

#include "engine/test_core.h"
#include "methods/bounds/ladder.h"
#include "methods/bounds/test_golden.h"
#include "record/library.h"

namespace perfcast::bounds {
namespace {

Bounds on_ksr1(const Profile& profile) {
  auto machine = find_machine("ksr1");
  EXPECT_TRUE(machine) << machine.error().message();
  BoundsOptions options;
  options.hot_share = 0, options.instructions = 300'000;
  auto made = bounds(profile, *machine, options);
  EXPECT_TRUE(made) << made.error().message();
  return *made;
}

const LoopBounds& at_line(const Bounds& made, int line) {
  for (const auto& loop : made.loops)
    if (loop.line == line) return loop;
  throw std::runtime_error("no such loop");
}

TEST(LoopNames, AreAFunctionALineOrBoth) {
  EXPECT_EQ(loop_name("sweep:12")->function, "sweep");
  EXPECT_EQ(loop_name("sweep:12")->line, 12);
  EXPECT_EQ(loop_name("12")->line, 12);
  EXPECT_EQ(loop_name("sweep")->function, "sweep");
  EXPECT_FALSE(loop_name("sweep:x"));
}

// A chain of divisions in a loop, on a core that is done sooner with easy operands: MACS counts on these, W on the usual ones.
TEST(Schedule, HoldsForTheEasiestOperands) {
  engine::Code code;
  code.op("DIV64r", {1}, {1, 2}), code.op("ADD64rr", {4}, {4, 2}), code.branch({4});
  Profile profile;
  constexpr double iterations = 1e5;
  Function loop;
  loop.name = "loop", loop.blocks = {engine::block(iterations, code.body, {engine::edge(0, iterations - 1)})};
  profile.program = "loop", profile.forms = code.forms, profile.machine = Graph{{loop}};
  Machine machine = engine::small_machine();
  auto divisions = std::ranges::find(machine.core->instructions, "^DIV", [](const InstructionRule& rule) { return rule.match.opcode; });
  divisions->least_latency = engine::number(6);
  auto steps = Steps::make(profile, machine, 1e5);
  ASSERT_TRUE(steps) << steps.error().message();
  EXPECT_NEAR((*steps)->total_macs() / iterations, 6, 0.05);
  EXPECT_NEAR((*steps)->total_window() / iterations, 10, 0.05);
}

// Equations 4.1 to 4.14 on the counts printed in figure 25; nothing is unrolled, the branch is never taken.
TEST(Ksr1, Figure25) {
  Bounds made = on_ksr1(golden("figure-25"));
  const LoopBounds& inner = at_line(made, 37);
  EXPECT_DOUBLE_EQ(inner.essential_flops, 28);       // 4.1: 8 + 0 + 2 x 4 + 12
  EXPECT_DOUBLE_EQ(inner.m, 14);                     // 4.3
  EXPECT_DOUBLE_EQ(inner.per_flop.at("m"), 0.5);     // 4.2
  EXPECT_DOUBLE_EQ(*inner.ma, 48);                   // 4.6, 4.8: max(28 + 20, 4 + 8 + 12, 4 + 20)
  EXPECT_DOUBLE_EQ(inner.mac, 96);                   // 4.10, 4.11: max(43, 96, 24)
  EXPECT_DOUBLE_EQ(inner.per_flop.at("mac"), 96.0 / 28);
  EXPECT_NEAR(inner.macs, 107, 0.3);                 // 4.13: the length of the code
  const LoopBounds& outer = at_line(made, 19);
  EXPECT_TRUE(outer.outer);
  EXPECT_DOUBLE_EQ(outer.m, 12);
  EXPECT_DOUBLE_EQ(outer.mac, 101);
  EXPECT_NEAR(outer.macs, 114, 1.2);
  EXPECT_TRUE(made.broken_laws.empty());
}

TEST(Ksr1, UnrolledLoopPerSourceIteration) {
  const LoopBounds loop = on_ksr1(golden("ksr1-daxpy")).loops.at(0);
  EXPECT_DOUBLE_EQ(loop.per_machine_iteration, 4);   // k
  EXPECT_DOUBLE_EQ(loop.m, 1);
  EXPECT_DOUBLE_EQ(*loop.ma, 3.75);                  // 4.6: max(3 + 3/4, 1 + 2/4, 2)
  EXPECT_DOUBLE_EQ(loop.mac, 3.75);
  EXPECT_NEAR(loop.macs, 4.5, 0.02);                 // 18 pairs / 4
  EXPECT_DOUBLE_EQ(loop.per_flop.at("ma"), 1.875);   // 4.9
}

TEST(Ksr1, RecurrenceIsAUnitOfItsOwn) {
  const LoopBounds loop = on_ksr1(golden("ksr1-sum")).loops.at(0);
  EXPECT_DOUBLE_EQ(*loop.ma, 4);                     // 4.7: one addition
  EXPECT_EQ(loop.limited_by.at("ma"), "recurrence");
  EXPECT_DOUBLE_EQ(*loop.t_d_reassociated, 0);
  ASSERT_FALSE(loop.advice.empty());
  EXPECT_EQ(loop.advice[0].cause, "recurrence that reassociation would break");
}

// Without sources MA is not known, and nothing pretends to know it.
TEST(Binary, HasAPeakButNoEssentialOperations) {
  Profile profile = golden("toy-daxpy");
  auto machine = find_machine("toy");
  ASSERT_TRUE(machine);
  BoundsOptions options;
  options.instructions = 100'000;
  double with_sources = bounds(profile, *machine, options)->loops.at(0).mac;
  profile.source_loops.clear();
  auto made = bounds(profile, *machine, options);
  ASSERT_TRUE(made) << made.error().message();
  const LoopBounds& loop = made->loops.at(0);
  EXPECT_FALSE(loop.ma);
  EXPECT_FALSE(loop.gaps.a);
  EXPECT_FALSE(made->run_time.ma);
  EXPECT_GT(loop.m, 0);
  EXPECT_LE(loop.m, loop.mac);
  EXPECT_GT(loop.mac * loop.iterations, 0.9 * with_sources * loop.iterations);
  EXPECT_TRUE(made->broken_laws.empty());
  Json json = Json::parse(record_text(*made));
  EXPECT_TRUE(json["loops"][0]["ma"].is_null());
}

// A loop of so few instructions that no walk meets it by chance is walked all the same: what other code costs says nothing of it.
TEST(Laws, HoldForLoopsThatAreRarelyRun) {
  Profile profile = golden("toy-daxpy");
  Function& function = profile.machine->functions[0];
  Function heavy = function;
  heavy.name = "heavy";
  for (Block& block : heavy.blocks) {
    block.count.value *= 1e6;
    for (Edge& edge : block.next) edge.count.value *= 1e6;
  }
  for (Block& block : heavy.blocks)  // cheap instructions only
    std::erase_if(block.code, [&](const Instruction& i) { return profile.forms[static_cast<std::size_t>(i.form)].load || profile.forms[static_cast<std::size_t>(i.form)].store; });
  profile.machine->functions.push_back(heavy);
  auto machine = find_machine("toy");
  ASSERT_TRUE(machine);
  BoundsOptions options;
  options.hot_share = 0, options.instructions = 100'000;
  auto made = bounds(profile, *machine, options);
  ASSERT_TRUE(made) << made.error().message();
  for (const BrokenLaw& law : made->broken_laws) EXPECT_NE(law.law, "mac <= macs") << law.function << " " << law.by;
}

TEST(Measured, GapsAddUpAndTheBrokenLawIsListed) {
  Profile profile = golden("toy-daxpy");
  auto machine = find_machine("toy");
  ASSERT_TRUE(machine);
  BoundsOptions options;
  options.instructions = 100'000;
  MeasuredProgram measured;
  measured.seconds = 4e-4, measured.samples = 1e6, measured.blocks = {{0, 1, 4e-4}};
  options.measured = measured;
  auto slow = bounds(profile, *machine, options);
  ASSERT_TRUE(slow) << slow.error().message();
  const LoopBounds& loop = slow->loops.at(0);
  const LadderGaps& gaps = loop.gaps;
  EXPECT_NEAR(loop.m + *gaps.a + *gaps.c + gaps.s + gaps.w + *gaps.p, *loop.measured, 1e-9);
  double parts = 0;
  for (const auto& part : loop.p_parts) parts += part.amount;
  EXPECT_NEAR(parts, *gaps.p, 1e-9);
  options.measured->seconds = 1e-4, options.measured->blocks[0].seconds = 1e-4;
  auto fast = bounds(profile, *machine, options);
  ASSERT_TRUE(fast);
  ASSERT_EQ(fast->broken_laws.size(), 1u);
  EXPECT_EQ(fast->broken_laws[0].law, "macs <= measured");
}

TEST(Listing, HasNestingResiduesAndForwardBranches) {
  std::string text = listing(golden("figure-25"));
  for (const char* line : {".L37 is an inner loop of .L19", "Fa = 8 Fm = 0 Fma = 4 Fmisc = 12 Lfl = 28 Sfl = 20", "compiled code length = 107 instructions",
                           "*Target Label = .L17", "* Fa = 0 Fm = 0 Fma = 1 Fmisc = 1 Lfl = 2 Sfl = 3", "--> A residue of an outer loop", "Number of loops = 2"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

}  // namespace
}  // namespace perfcast::bounds
