// Which code is a loop, how often it goes round, what an iteration asks for and which data it touches.
#include "methods/bounds/loops.h"

#include <gtest/gtest.h>

#include "methods/bounds/beyond.h"
#include "methods/bounds/bounds.h"
#include "methods/bounds/test_golden.h"
#include "record/library.h"

namespace perfcast::bounds {
namespace {

// A short loop inside that was unrolled whole: what an iteration around it brings anew.
class UnrolledWhole : public testing::Test {
 protected:
  // A loop around one that left no loop in the code, with `times` iterations of it for each of its own.
  static Profile nest(double times) {
    Profile profile = golden("toy-daxpy");
    SourceLoop around = profile.source_loops.at(0), loop = around;
    around.references.clear(), around.innermost = false, around.flops = 0;
    loop.parent = 0, loop.at.column = 99, loop.entries = around.iterations, loop.iterations = times * around.iterations;
    profile.source_loops = {around, loop};
    return profile;
  }
  // The loads of the loop around `inner` steps of 8 bytes that move on by `outer` bytes.
  Reference load_of(std::optional<double> inner, std::optional<double> outer, double times = 4) {
    Profile profile = nest(times);
    SourceLoop& loop = profile.source_loops[1];
    loop.references = {{}};
    loop.references[0].type = "f64", loop.references[0].stride_bytes = {inner, outer};
    const auto groups = loop_groups(profile);
    EXPECT_DOUBLE_EQ(groups.at(0).needs.flops, times * loop.flops);
    if (groups.at(0).needs.references.empty()) return {.elements = 0};
    return groups[0].needs.references[0];
  }
};
TEST_F(UnrolledWhole, ElementsAreLoadedOnce) {
  EXPECT_EQ(load_of(8, 32).elements, 4);     // x[4 i + k]
  EXPECT_EQ(load_of(8, 8).elements, 1);      // x[i + k]: three of four were there
  EXPECT_EQ(load_of(800, 8).elements, 4);    // x[k][i]
  EXPECT_EQ(load_of(8, 0).elements, 0);      // x[k] stays
  EXPECT_EQ(load_of({}, {}).elements, 4);    // x[at[k]]
}
// Two flops in the code of an iteration: of a loop of 100 iterations that asks for as many, not of one that asks for 200.
TEST_F(UnrolledWhole, LongLoopsToo) {
  Profile profile = nest(100);
  profile.source_loops[1].flops = 0.02;
  EXPECT_DOUBLE_EQ(loop_groups(profile).at(0).needs.flops, 2);
  profile.source_loops[1].flops = 2;
  EXPECT_DOUBLE_EQ(loop_groups(profile).at(0).needs.flops, 0);
  profile.source_loops[1].flops = 0.02, profile.source_loops[0].flops = 2;  // the loop's own
  EXPECT_DOUBLE_EQ(loop_groups(profile).at(0).needs.flops, 2);
}
// What is carried around through the loop inside, were it unrolled: here it was, or a library routine took its place.
TEST_F(UnrolledWhole, CarriesOnlyThroughWhatWasUnrolled) {
  Profile profile = nest(100);
  profile.source_loops[0].recurrences = {{.operations = {{"fma.f64", 100}}}}, profile.source_loops[1].flops = 0.02;
  EXPECT_EQ(loop_groups(profile).at(0).needs.recurrences.size(), 1);
  profile.source_loops[1].flops = 2;
  EXPECT_TRUE(loop_groups(profile).at(0).needs.recurrences.empty());
}
TEST_F(UnrolledWhole, VectorsGoAlongEitherLoop) {
  EXPECT_TRUE(load_of(8, 32).contiguous());
  EXPECT_TRUE(load_of(8, 8).contiguous());
  EXPECT_TRUE(load_of(800, 8).contiguous());
  EXPECT_TRUE(load_of(8, 800).contiguous());
  EXPECT_FALSE(load_of(800, 80000).contiguous());
  EXPECT_FALSE(load_of({}, {}).contiguous());
}

// One routine of a header, inlined for two types: two loops at one place, each with its own iterations and its own source.
TEST(Instances, OfOneTemplateAreLoopsOfTheirOwn) {
  Profile profile = golden("toy-daxpy");
  Function& function = profile.machine->functions[0];
  function.blocks.push_back(function.blocks[1]), function.loops.push_back(function.loops[0]);
  function.blocks.back().loop = 1, function.loops[1].header = static_cast<int>(function.blocks.size()) - 1;
  function.blocks[1].from = "first", function.blocks.back().from = "second";
  function.loops[1].iterations.value = function.blocks.back().count.value = 3 * function.loops[0].iterations.value;
  Function ir;
  ir.name = function.name, ir.loops = function.loops, ir.blocks.resize(2);
  ir.loops[0].source_function = "dot<double>", ir.loops[1].source_function = "dot<int>";
  for (int k : {0, 1}) ir.blocks[k].name = k ? "second" : "first", ir.blocks[k].loop = k, ir.loops[k].header = k, ir.blocks[k].count = function.loops[k].iterations;
  profile.ir = Graph{};
  profile.ir->functions = {ir};
  SourceLoop loop = profile.source_loops.at(0), other = loop;
  loop.source_function = "dot<int>", loop.flops = 0, loop.iterations = 3 * other.iterations, other.source_function = "dot<double>";
  profile.source_loops = {loop, other};
  const auto groups = loop_groups(profile);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].source->source_function, "dot<double>");
  EXPECT_EQ(groups[1].source->source_function, "dot<int>");
  EXPECT_DOUBLE_EQ(groups[1].iterations, 3 * groups[0].iterations);
}

// Most iterations run in straight code in front of the loop of the remainder: both are the loop.
TEST(StraightCode, BelongsToTheLoopWhoseRemainderFollows) {
  Profile profile = golden("toy-daxpy");
  Function& function = profile.machine->functions[0];
  Block &straight = function.blocks[0], &rest = function.blocks[1];
  straight.from = "start", rest.from = ".L2", straight.code = rest.code;
  for (Instruction& instruction : straight.code) instruction.line = 3;
  rest.count.value = function.loops[0].iterations.value = 25'000;
  Function ir;
  ir.name = "work", ir.loops = function.loops, ir.blocks.resize(2);
  ir.blocks[0].name = "start", ir.blocks[0].count.value = 1, ir.blocks[0].usage["flops"] = 150'000;
  ir.blocks[1].name = ".L2", ir.blocks[1].count.value = 25'000, ir.blocks[1].usage["flops"] = 2, ir.blocks[1].loop = 0;
  profile.ir.emplace().functions = {ir};
  auto group = loop_groups(profile).at(0);
  EXPECT_EQ(group.blocks, (std::vector<int>{1, 0}));
  EXPECT_EQ(group.iterations, 100'000);
  for (Instruction& instruction : straight.code) instruction.line = 30;  // written elsewhere
  EXPECT_EQ(loop_groups(profile).at(0).blocks, std::vector<int>{1});
}

// toy-daxpy with its loop in the IR too, `flops` of which are left per iteration.
Profile with_ir(double flops) {
  Profile profile = golden("toy-daxpy");
  Function& function = profile.machine->functions[0];
  function.blocks[1].from = ".L2";
  Function ir;
  ir.name = function.name, ir.loops = function.loops, ir.blocks.resize(2);
  ir.blocks[1].name = ".L2", ir.blocks[1].count = function.blocks[1].count, ir.blocks[1].usage["flops"] = flops, ir.blocks[1].loop = 0;
  profile.ir.emplace().functions = {ir};
  return profile;
}

// Entries whose test fails at once are the source's only; a loop that is run for some entries only has lost work too.
TEST(Loops, IterationsAreRemovedWithTheirWork) {
  Profile profile = with_ir(2);
  profile.source_loops[0].entries = 3;
  EXPECT_EQ(loop_groups(profile).at(0).removed, 0);
  EXPECT_EQ(loop_groups(profile).at(0).iterations, 100'000);
  profile.source_loops[0].iterations = 300'000;
  EXPECT_NEAR(loop_groups(profile).at(0).removed, 2.0 / 3, 1e-9);
  EXPECT_NEAR(loop_groups(profile).at(0).iterations, 100'000, 1e-6);
}

// One copy of a loop is entered once for long, the other often for a while.
TEST(Loops, CopiesHaveTheirOwnEntries) {
  Profile profile = golden("toy-daxpy");
  Function often = profile.machine->functions[0];
  often.name = "often", often.loops[0].entries.value = 999, often.loops[0].iterations.value = 300'000;
  profile.machine->functions.push_back(often);
  profile.source_loops[0].entries = 1000, profile.source_loops[0].iterations = 400'000;
  const auto groups = loop_groups(profile);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_DOUBLE_EQ(groups[0].entries, 1);
  EXPECT_DOUBLE_EQ(groups[0].iterations, 100'000);
  EXPECT_DOUBLE_EQ(groups[1].entries, 999);
  EXPECT_DOUBLE_EQ(groups[1].iterations, 300'000);
}

// What is to be done about a loop is said once, however many copies the compiler made of it.
TEST(Loops, CopiesShareTheirAdvice) {
  Profile profile = golden("toy-daxpy");
  auto machine = find_machine("toy");
  ASSERT_TRUE(machine);
  BoundsOptions options;
  options.instructions = 100'000;
  const Bounds once = *bounds(profile, *machine, options);
  ASSERT_FALSE(once.advice.empty());
  Function copy = profile.machine->functions[0];
  copy.name = "copy", profile.machine->functions.push_back(copy);
  profile.source_loops[0].entries *= 2, profile.source_loops[0].iterations *= 2;
  const Bounds twice = *bounds(profile, *machine, options);
  ASSERT_EQ(twice.loops.size(), 2u);
  EXPECT_EQ(twice.advice.size(), once.advice.size());
  EXPECT_NEAR(twice.advice[0].seconds, 2 * once.advice[0].seconds, 0.01 * once.advice[0].seconds);
}

// Two loops of one macro start at one place.
TEST(Loops, OneInsideTheOtherAtOnePlace) {
  Profile profile = golden("toy-daxpy");
  Function& function = profile.machine->functions[0];
  Loop inner = function.loops[0];
  inner.parent = 0, inner.entries.value = 100;
  function.loops[0].header = 2, function.loops[0].iterations.value = 100, function.blocks[2].loop = 0, function.blocks[2].count.value = 100;
  function.loops.push_back(inner), function.blocks[1].loop = 1;
  SourceLoop around = profile.source_loops[0], inside = around;
  around.innermost = false, around.iterations = 100, around.flops = 0;
  inside.parent = 0, inside.entries = 100;
  profile.source_loops = {around, inside};
  const auto groups = loop_groups(profile);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].source, &profile.source_loops[1]);
  EXPECT_EQ(groups[0].iterations, 100'000);
  EXPECT_EQ(groups[1].source, &profile.source_loops[0]);
  EXPECT_EQ(groups[1].iterations, 100);
  EXPECT_TRUE(groups[1].outer);
  profile.source_loops = {inside};  // the source knows of one: all of the code is that one
  profile.source_loops[0].parent.reset();
  EXPECT_EQ(loop_groups(profile).size(), 1u);
}

// A cycle by goto inside a loop: the IR knows the loop only.
TEST(Loops, CyclesEnteredInSeveralPlacesAreTheirOwn) {
  Profile profile = with_ir(2);
  Function& function = profile.machine->functions[0];
  Loop cycle = function.loops[0];
  cycle.parent = 0, cycle.irreducible = true, cycle.at.line = 30;
  function.loops[0].header = 2, function.loops[0].iterations.value = 100, function.blocks[2].loop = 0, function.blocks[2].count.value = 100;
  function.blocks[2].from = ".L2", function.loops.push_back(cycle), function.blocks[1].loop = 1;
  const auto groups = loop_groups(profile);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].at.line, 30);
  EXPECT_TRUE(groups[0].irreducible);
  EXPECT_EQ(groups[0].blocks, std::vector<int>{1});
  EXPECT_FALSE(groups[1].irreducible);
  EXPECT_EQ(groups[1].blocks, std::vector<int>{2});
}

TEST(Data, WhatIsLoadedAndStoredIsOneArray) {
  Profile profile = golden("toy-daxpy");
  auto machine = find_machine("toy");
  ASSERT_TRUE(machine);
  LoopGroup group = loop_groups(profile).at(0);
  group.iterations = 1000, group.entries = 1;
  Reference load;
  load.array = "x", load.stride_bytes = {8.0}, load.type = "f64";
  Reference store = load;
  store.store = true;
  group.needs.references = {load, store};
  EXPECT_DOUBLE_EQ(*data_of(profile, *machine, group).touched_bytes, 8008);
  group.needs.references[1].array = "y";
  EXPECT_DOUBLE_EQ(*data_of(profile, *machine, group).touched_bytes, 2 * 8008);
}

TEST(Data, LinesBroughtByAStep) {
  Reference one;
  one.stride_bytes = {4096.0};
  EXPECT_EQ(bytes_brought(one, 64), 64);           // a column
  one.stride_bytes = {64.0}, one.elements = 8, one.span_bytes = 56;
  EXPECT_EQ(bytes_brought(one, 64), 64);           // all members of a structure
  EXPECT_TRUE(one.contiguous());
  one.elements = 2, one.side_by_side = true;
  EXPECT_EQ(bytes_brought(one, 64), 64);           // two of them
  one.stride_bytes = {480.0}, one.elements = 60, one.span_bytes = 0;
  EXPECT_EQ(bytes_brought(one, 64), 480);          // a row of a loop unrolled whole
  one.stride_bytes = {80000.0}, one.elements = 4, one.side_by_side = false;
  EXPECT_EQ(bytes_brought(one, 64), 256);          // four rows
  one.stride_bytes = {0.0};
  EXPECT_EQ(bytes_brought(one, 64), 0);
  one.stride_bytes = {std::nullopt};
  EXPECT_FALSE(bytes_brought(one, 64));
}

}  // namespace
}  // namespace perfcast::bounds
