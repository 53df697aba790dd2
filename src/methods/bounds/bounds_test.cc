#include "methods/bounds/bounds.h"

#include <gtest/gtest.h>

#include "methods/bounds/beyond.h"
#include "methods/bounds/classes.h"
#include "methods/bounds/loops.h"
#include "record/library.h"

namespace perfcast::bounds {
namespace {

Profile golden(const std::string& name) {
  auto profile = read_record<Profile>(std::string(PERFCAST_SOURCE_DIR) + "/tests/golden/bounds/" + name + "/" + name + ".profile.json");
  EXPECT_TRUE(profile) << profile.error().message();
  return *profile;
}

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
TEST_F(UnrolledWhole, VectorsGoAlongEitherLoop) {
  EXPECT_TRUE(load_of(8, 32).contiguous());
  EXPECT_TRUE(load_of(8, 8).contiguous());
  EXPECT_TRUE(load_of(800, 8).contiguous());
  EXPECT_TRUE(load_of(8, 800).contiguous());
  EXPECT_FALSE(load_of(800, 80000).contiguous());
  EXPECT_FALSE(load_of({}, {}).contiguous());
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

TEST(Classes, IntegerVectorsAreVectors) {
  auto packing = [](const char* opcode, int bits, const char* isa) {
    InstructionForm form;
    form.opcode = opcode, form.vector_bits = bits, form.floating = true;
    return packing_of(form, {}, isa);
  };
  for (const char* packed : {"VPADDDYrr", "PADDDrr", "PMAXSDrr", "VPMULLDZrr", "ADDPDrr", "VFMADD231PSYr", "CVTDQ2PDrr"})
    EXPECT_EQ(packing(packed, 128, "x86_64"), Packing::packed) << packed;
  for (const char* scalar : {"ADDSDrr", "VFMADD231SDr", "CVTSI2SDrr", "UCOMISSrr", "MOVSDrm"})
    EXPECT_EQ(packing(scalar, 128, "x86_64"), Packing::scalar) << scalar;
  for (const char* neither : {"MOVAPSrr", "ANDPSrr", "SHUFPDrri", "PSHUFDri"}) EXPECT_EQ(packing(neither, 128, "x86_64"), Packing::neither) << neither;
  for (const char* packed : {"ADDv4i32", "FMLAv2f64", "LDRQui", "FADD_ZZZ_D"}) EXPECT_EQ(packing(packed, 128, "aarch64"), Packing::packed) << packed;
  for (const char* scalar : {"FADDDrr", "FMADDDrrr", "LDRDui"}) EXPECT_EQ(packing(scalar, 128, "aarch64"), Packing::scalar) << scalar;
}

TEST(Classes, IntegersInVectorsAndOperandsInMemory) {
  auto of = [](const char* opcode, bool floating, bool load, bool store = false) {
    InstructionForm form;
    form.opcode = opcode, form.floating = floating, form.load = load, form.store = store, form.vector_bits = floating ? 128 : 0;
    return classify(form, {});
  };
  for (const char* integer : {"VPADDDYrr", "PXORrr", "VPSADBWYrr", "ADDv4i32", "UADDLVv16i8v"}) EXPECT_EQ(of(integer, true, false).kind, Kind::integer) << integer;
  for (const char* real : {"MAXSDrr", "VPERMPDYri", "SCVTFv2f64", "FABSv2f64"}) EXPECT_EQ(of(real, true, false).kind, Kind::other_float) << real;
  EXPECT_EQ(of("FMLAv2i64_indexed", true, false).kind, Kind::fused);
  EXPECT_EQ(of("MAXSDrm", true, true).kind, Kind::other_float);
  EXPECT_TRUE(of("MAXSDrm", true, true).also_load);
  EXPECT_EQ(of("INC32m", false, true, true).kind, Kind::integer);
  EXPECT_TRUE(of("INC32m", false, true, true).also_load && of("INC32m", false, true, true).also_store);
  for (const char* load : {"MOV64rm", "MOVSDrm", "VMOVDQUYrm", "VPMOVZXBDYrm", "VBROADCASTSDYrm", "LDRDui", "LDRDroX", "LOAD"}) EXPECT_EQ(of(load, true, true).kind, Kind::load) << load;
  EXPECT_TRUE(of("MOVSDrm", true, true).real);
  EXPECT_FALSE(of("VMOVDQUYrm", true, true).real);
}

TEST(Classes, TheFrameIsNoArray) {
  auto spills = [](const char* text) {
    InstructionForm form;
    form.opcode = "MOV64rm", form.load = true;
    Instruction instruction;
    instruction.text = text;
    return classify(form, instruction).spill;
  };
  for (const char* spill : {"movq\t8(%rsp), %rax", "movq\t-24(%rbp), %rax", "ldr\tx0, [sp, #16]", "ldr\tx0, [x29, #-8]"}) EXPECT_TRUE(spills(spill)) << spill;
  for (const char* other : {"movq\t(%rbp,%rax,8), %rcx", "movq\t8(%rbp), %rax", "movq\t(%rsp,%rcx,8), %rax", "ldr\tx0, [x29, x1]"}) EXPECT_FALSE(spills(other)) << other;
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

TEST(Threads, BalancedAndActual) {
  Profile profile = golden("toy-daxpy");
  profile.machine->functions[0].name = "work.omp_outlined", profile.source_loops[0].function = "work.omp_outlined";
  auto machine = find_machine("toy");
  ASSERT_TRUE(machine);
  BoundsOptions options;
  options.instructions = 100'000;
  options.threaded.push_back({1, 8e-4, {{{0}, {100000}, {0}}}, {}, {}});
  options.threaded.push_back({2, 6e-4, {{{0, 0}, {75000, 25000}, {0, 0}}}, {}, {}});
  auto made = bounds(profile, *machine, options);
  ASSERT_TRUE(made) << made.error().message();
  ASSERT_EQ(made->threads.size(), 2u);
  const ParallelRegionBound& region = made->threads[1].regions.at(0);
  EXPECT_NEAR(region.imbalance, 0.5, 1e-9);          // 75 of 50
  EXPECT_NEAR(region.actual_seconds, 1.5 * region.balanced_seconds, 1e-12);
  EXPECT_NEAR(made->threads[0].balanced_seconds, 2 * region.balanced_seconds, 1e-9);
  EXPECT_NEAR(*made->threads[1].speedup, 8.0 / 6, 1e-9);
  EXPECT_NEAR(*made->threads[1].utilisation, 2 * region.balanced_seconds / (2 * 6e-4), 1e-9);
  EXPECT_EQ(*made->fastest_threads, 2);
  EXPECT_EQ(region.iterations, (std::vector<double>{75000, 25000}));
}

// A routine that two regions call counts for each thread where it called it; a body called plainly ran on its caller's thread.
TEST(Threads, RoutinesBelongToTheirCallers) {
  Profile profile = golden("toy-daxpy");
  Function routine = profile.machine->functions[0];
  auto caller = [&](const char* name, const char* callee) {
    Function function;
    function.name = name;
    Block& block = function.blocks.emplace_back();
    block.name = "entry", block.count.value = 100, block.code = {routine.blocks[1].code[0]}, block.calls = {{callee, 1}};
    return function;
  };
  routine.name = "work", profile.source_loops[0].function = "work";
  profile.machine->functions = {routine, caller("main.omp_outlined", "work"), caller("main.omp_outlined.1", "work"), caller("main", "main.omp_outlined.1")};
  auto machine = find_machine("toy");
  ASSERT_TRUE(machine);
  auto blocks = [&](std::vector<double> first, std::vector<double> loop) {
    return std::vector<std::vector<double>>{first, loop, std::vector<double>(first.size(), 0.0)};
  };
  BoundsOptions options;
  options.instructions = 100'000;
  // The first region runs on both threads, evenly; the second was called by main itself.
  options.threaded.push_back({2, 1e-3, {blocks({150, 50}, {75000, 25000}), {{50, 50}}, {{100, 0}}, {{100, 0}}}, {}, {}});
  auto made = bounds(profile, *machine, options);
  ASSERT_TRUE(made) << made.error().message();
  const ThreadsBound& at = made->threads.at(0);
  ASSERT_EQ(at.regions.size(), 1u);
  EXPECT_EQ(at.regions[0].threads, 2);
  EXPECT_NEAR(at.regions[0].imbalance, 0, 0.01);      // a third of the first thread's 75000 is the region's
  EXPECT_GT(at.sequential_seconds, at.regions[0].actual_seconds);
  EXPECT_NEAR(at.regions[0].iterations[0], 25000, 1);
}

// Every other time the region's condition does not hold, and one thread does what two did: the rest is balanced.
TEST(Threads, ConditionsThatDoNotHold) {
  Profile profile = golden("toy-daxpy");
  Function body = profile.machine->functions[0];
  body.name = "main.omp_outlined", profile.source_loops[0].function = body.name;
  Function main;
  main.name = "main";
  Block& block = main.blocks.emplace_back();
  block.name = "entry", block.count.value = 15, block.code = {body.blocks[1].code[0]}, block.calls = {{body.name, 1}};
  profile.machine->functions = {body, main};
  auto machine = find_machine("toy");
  ASSERT_TRUE(machine);
  BoundsOptions options;
  options.instructions = 100'000;
  options.threaded.push_back({2, 1e-3, {{{30, 15}, {90000, 30000}, {30, 15}}, {{15, 0}}}, {}, {}});
  auto made = bounds(profile, *machine, options);
  ASSERT_TRUE(made) << made.error().message();
  const ThreadsBound& at = made->threads.at(0);
  ASSERT_EQ(at.regions.size(), 1u);
  EXPECT_NEAR(at.regions[0].imbalance, 0, 0.01);
  EXPECT_NEAR(at.regions[0].iterations[0], 30000, 300);
  // Counted apart, the plain calls did only a part of it: the first thread's rest is more than the second's.
  options.threaded[0].plain = {{{15, 0}, {50000, 0}, {15, 0}}, {{0, 0}}};
  made = bounds(profile, *machine, options);
  EXPECT_NEAR(made->threads.at(0).regions.at(0).iterations[0], 40000, 100);
  EXPECT_NEAR(made->threads.at(0).regions.at(0).imbalance, 40.0 / 35 - 1, 0.01);
  // So it is where the run-time library made the call, which no code shows.
  const double sequential = made->threads.at(0).sequential_seconds;
  profile.machine->functions[1].blocks[0].calls.clear();
  made = bounds(profile, *machine, options);
  EXPECT_NEAR(made->threads.at(0).regions.at(0).iterations[0], 40000, 100);
  EXPECT_NEAR(made->threads.at(0).sequential_seconds, sequential, 0.02 * sequential);
}

TEST(Threads, ARegionInsideAnotherWithoutThreadsOfItsOwn) {
  Profile profile = golden("toy-daxpy");
  Function inner = profile.machine->functions[0], outer = inner;
  outer.name = "work.omp_outlined", inner.name = "work.omp_outlined.omp_outlined", profile.source_loops[0].function = outer.name;
  profile.machine->functions = {outer, inner};
  auto machine = find_machine("toy");
  ASSERT_TRUE(machine);
  BoundsOptions options;
  options.instructions = 100'000;
  // Each thread runs its own part of both; the two together are balanced.
  options.threaded.push_back({2, 1e-3, {{{0, 0}, {60000, 40000}, {0, 0}}, {{0, 0}, {40000, 60000}, {0, 0}}}, {}, {}});
  auto made = bounds(profile, *machine, options);
  ASSERT_TRUE(made) << made.error().message();
  ASSERT_EQ(made->threads.at(0).regions.size(), 1u);
  EXPECT_NEAR(made->threads[0].regions[0].imbalance, 0, 0.01);
}

// One thread of two works beside another that makes a team of its own for as much work: the two together take the time of one.
TEST(Threads, ARegionInsideAnotherWithThreadsOfItsOwn) {
  Profile profile = golden("toy-daxpy");
  Function inner = profile.machine->functions[0], outer = inner;
  outer.name = "work.omp_outlined", inner.name = "work.omp_outlined.omp_outlined", profile.source_loops[0].function = outer.name;
  inner.at.line = 2;
  profile.machine->functions = {outer, inner};
  auto machine = find_machine("toy");
  ASSERT_TRUE(machine);
  BoundsOptions options;
  options.instructions = 100'000;
  options.threaded.push_back({2, 1e-3, {{{0, 1, 0}, {100000, 0, 0}, {0, 0, 0}}, {{0, 1, 1}, {0, 50000, 50000}, {0, 0, 0}}}, {}, {}});
  auto made = bounds(profile, *machine, options);
  ASSERT_TRUE(made) << made.error().message();
  const ThreadsBound& at = made->threads.at(0);
  ASSERT_EQ(at.regions.size(), 2u);
  const ParallelRegionBound &around = at.regions[0], &inside = at.regions[1];
  EXPECT_NEAR(inside.actual_seconds, around.actual_seconds / 2, 1e-3 * around.actual_seconds);
  EXPECT_NEAR(at.actual_seconds, around.actual_seconds, 1e-12);
  EXPECT_NEAR(around.balanced_seconds, 2 * around.actual_seconds / 3, 1e-3 * around.actual_seconds);  // by three threads in all
  EXPECT_NEAR(at.balanced_seconds, around.balanced_seconds, 1e-12);
}

TEST(Listing, HasNestingResiduesAndForwardBranches) {
  std::string text = listing(golden("figure-25"));
  for (const char* line : {".L37 is an inner loop of .L19", "Fa = 8 Fm = 0 Fma = 4 Fmisc = 12 Lfl = 28 Sfl = 20", "compiled code length = 107 instructions",
                           "*Target Label = .L17", "* Fa = 0 Fm = 0 Fma = 1 Fmisc = 1 Lfl = 2 Sfl = 3", "--> A residue of an outer loop", "Number of loops = 2"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

}  // namespace
}  // namespace perfcast::bounds
