#include "engine/program_time.h"

#include <gtest/gtest.h>

#include "engine/test_core.h"
#include "engine/walk.h"

namespace perfcast::engine {
namespace {

// main: a loop of `iterations` whose body calls f; f multiplies along a chain and returns.
Profile calling_profile(double iterations, double mispredicted = 0) {
  Code code;
  code.op("ADD64rr", {1}, {1, 2});                                      // 0: before the loop
  InstructionForm call;
  call.opcode = "CALL", call.call = true;
  code.add(call, {}, {});                                               // 1: the loop
  code.op("ADD64rr", {4}, {4, 2}), code.branch({4});                    // 2, 3
  InstructionForm ret;
  ret.opcode = "RET", ret.ret = true;
  code.add(ret, {}, {});                                                // 4: main returns
  code.op("MUL64rr", {3}, {3, 2}), code.add(ret, {}, {});               // 5, 6: f
  Profile profile;
  profile.program = "calling", profile.forms = code.forms;
  auto& c = code.body;
  Function main, f;
  main.name = "main", f.name = "f";
  main.blocks = {block(1, {c[0]}, {edge(1, 1)}), block(iterations, {c[1], c[2], c[3]}, {edge(1, iterations - 1), edge(2, 1)}),
                 block(1, {c[4]}, {})};
  main.blocks[1].calls = {{"f", 1}};
  if (mispredicted > 0) main.blocks[1].mispredicted = mispredicted;
  f.blocks = {block(iterations, {c[5], c[6]}, {})};
  profile.machine = Graph{{main, f}};
  return profile;
}

}  // namespace

TEST(EvenChoice, KeepsProportionsWithoutChance) {
  EvenChoice choice;
  choice.add(24), choice.add(1);
  std::vector<int> at;
  for (int k = 0; k < 250; k++)
    if (choice.next() == 1) at.push_back(k);
  ASSERT_EQ(at.size(), 10u);
  for (std::size_t k = 1; k < at.size(); k++) EXPECT_EQ(at[k] - at[k - 1], 25);
}

TEST(ProgramTime, CountsTimesCosts) {
  auto time = simulate_program(calling_profile(1e6), small_machine());
  ASSERT_TRUE(time) << time.error().message();
  EXPECT_NEAR(time->cycles, 3e6, 3e4);          // the chain of multiplications
  EXPECT_NEAR(time->seconds, 3e-3, 3e-5);
  EXPECT_DOUBLE_EQ(time->instructions, 5e6 + 2);
  double sum = 0;
  for (const auto& b : time->blocks) sum += b.cycles;
  EXPECT_NEAR(sum, time->cycles, 1e-6 * sum);
  EXPECT_LT(time->simulated_instructions, 600'000);
}

TEST(ProgramTime, CallsThroughPointersReachWhatNobodyNames) {
  Profile profile = calling_profile(1e6);
  profile.machine->functions[0].blocks[1].calls = {{"*", 1}};
  profile.machine->functions[1].calls.value = 1e6;
  WalkProgram program = walk_program(*profile.machine, profile.forms, {});
  Walker walker(program);
  walker.start(1);
  int in_f = 0;
  for (int k = 0; k < 500; k++) in_f += program.blocks[static_cast<std::size_t>(walker.next().block)].function == 1;
  EXPECT_EQ(in_f, 200);  // two of five instructions
}

// Half of the calls of f come back to its own middle: what lies behind the call is walked more often than f is entered.
// The argument is new in each iteration, so the multiplications of two calls overlap, if the walk gets from the call by
// the stub into the library; a routine walked by itself would take its last result for an argument.
TEST(ProgramTime, CallsReachALibraryByItsStub) {
  Code code;
  code.op("ADD64rr", {3}, {2});
  InstructionForm call, jump, ret;
  call.opcode = "CALL", call.call = true;
  jump.opcode = "JMP", jump.branch = jump.indirect = true;
  ret.opcode = "RET", ret.ret = true;
  code.add(call, {}, {}), code.op("ADD64rr", {4}, {4, 2}), code.branch({4}), code.add(jump, {}, {});
  for (int k = 0; k < 4; k++) code.op("MUL64rr", {3}, {3, 2});
  code.add(ret, {}, {});
  auto& c = code.body;
  Function main, stub, routine;
  main.name = "main", stub.name = "f@plt", routine.name = "f", routine.library_name = "libf.so";
  main.blocks = {block(1e6, {c[0], c[1], c[2], c[3]}, {edge(0, 1e6 - 1)})};
  main.blocks[0].calls = {{"f", 1}};
  stub.blocks = {block(1e6, {c[4]}, {edge(1, 1)}), block(1, {c[2]}, {})};  // the second: where it is looked up
  stub.blocks[0].calls = {{"f", 1}};
  routine.blocks = {block(1e6, {c[5], c[6], c[7], c[8], c[9]}, {})};
  Profile profile;
  profile.program = "stub", profile.forms = code.forms, profile.machine = Graph{{main, stub, routine}};
  auto time = simulate_program(profile, small_machine());
  ASSERT_TRUE(time) << time.error().message();
  EXPECT_LT(time->cycles, 8e6);  // 4 to 5 for the one multiplier; 12 along the chain
}

// The callee lies directly behind the call in memory, but stands before it in the profile.
TEST(ProgramTime, WhatLiesBehindIsLookedUpWhereItStands) {
  Code code;
  InstructionForm call, ret;
  call.opcode = "CALL", call.call = true, ret.opcode = "RET", ret.ret = true;
  code.op("ADD64rr", {1}, {1, 2}), code.add(call, {}, {}), code.op("MUL64rr", {3}, {3, 2}), code.add(ret, {}, {});
  auto& c = code.body;
  Function main, f;
  main.name = "main", f.name = "f";
  main.blocks = {block(1e4, {c[0], c[1]}, {edge(0, 1e4 - 1)})}, main.blocks[0].calls = {{"f", 1}};
  f.blocks = {block(1e4, {c[2], c[3]}, {})};
  Profile profile;
  profile.program = "behind", profile.forms = code.forms, profile.machine = Graph{{f, main}};
  auto time = simulate_program(profile, small_machine());
  ASSERT_TRUE(time);
  EXPECT_NEAR(time->cycles, 3e4, 1e3);
}

TEST(ProgramTime, RecursionCountsEachInstructionOnItsOwn) {
  Profile profile = calling_profile(1e6);
  Function& f = profile.machine->functions[1];
  std::vector<Instruction> body = f.blocks[0].code, call = {profile.machine->functions[0].blocks[1].code[0]};
  Instruction ret = body[1];
  f.blocks = {block(1e6, {body[0]}, {edge(1, 5e5), edge(2, 5e5)}), block(5e5, {call[0]}, {edge(2, 5e5)}), block(1e6, {ret}, {})};
  f.blocks[1].calls = {{"f", 1}};
  auto time = simulate_program(profile, small_machine());
  EXPECT_NEAR(time->cycles, 3e6, 2e5);  // a million multiplications in a chain, however the calls nest
}

TEST(ProgramTime, ClassesDivideInstructionsAndCycles) {
  auto time = simulate_program(calling_profile(1e6), small_machine());
  double cycles = 0, instructions = 0;
  for (const auto& block : time->blocks)
    for (const ClassUse& use : block.uses) {
      instructions += use.instructions;
      for (double c : use.by_cause) cycles += c;
    }
  EXPECT_NEAR(cycles, time->cycles, 1e-9 * cycles);
  EXPECT_DOUBLE_EQ(instructions, time->instructions);
}

TEST(InstructionClass, PackedIsToldFromScalar) {
  auto of = [](const char* opcode, bool floating) {
    InstructionForm form;
    form.opcode = opcode, form.floating = floating;
    return class_of(form);
  };
  for (const char* packed : {"FADDv2f64", "FMLAv4f32", "FADD_ZPmZ_D", "VADDPDYrr", "PADDQrr", "VPADDDYrr", "VFMADD231PSZr"})
    EXPECT_EQ(of(packed, true), InstructionClass::vector) << packed;
  for (const char* scalar : {"FADDDrr", "FMULSrr", "ADDSDrr", "VADDSSrr", "VFMADD231SDZr", "CVTSI2SDrr", "FMOVDr", "MOVSDrr", "MOVAPSrr", "XORPSrr", "ORRv16i8", "MOVIv2d_ns"})
    EXPECT_EQ(of(scalar, true), InstructionClass::floating) << scalar;
  EXPECT_EQ(of("POP64r", false), InstructionClass::integer);
}

// x[i] = x[i + 1] * c, the load by one register and the store by another that was made from it before the loop: a chain through
// memory, 6 cycles of forwarding and 3 of multiplication, also for a walk that begins inside the loop.
TEST(ProgramTime, AWalkKnowsWhatItsFunctionComputedBefore) {
  Code code;
  Instruction& lea = code.op("LEA64r", {2}, {1});
  lea.displacement = -8;
  code.load(5, 1, 0), code.op("MUL64rr", {5}, {5, 6}), code.store(5, 2, 0);
  for (int unit : {1, 2}) {
    Instruction& step = code.op("ADD64ri8", {unit}, {unit});
    step.immediate = -8;
  }
  code.branch({2});
  auto& c = code.body;
  Function f;
  f.name = "main", f.calls.value = 1;
  f.blocks = {block(1, {c[0]}, {edge(1, 1)}), block(1e6, {c[1], c[2], c[3], c[4], c[5], c[6]}, {edge(1, 1e6 - 1)})};
  Profile profile;
  profile.machine.emplace().functions = {f}, profile.forms = code.forms;
  auto time = simulate_program(profile, small_machine());
  ASSERT_TRUE(time) << time.error().message();
  EXPECT_NEAR(time->cycles, 9e6, 2e5);
  EXPECT_EQ(way_to(walk_program(*profile.machine, profile.forms, {}), 1), std::vector{0});
}

// Two arrays from the allocator are not the same, though the same register brought them.
TEST(ProgramTime, WhatALibraryReturnsIsNewEachTime) {
  Code code;
  InstructionForm call;
  call.opcode = "CALL", call.call = true;
  for (int to : {1, 2}) {
    code.add(call, {}, {});
    code.op("MOV64rr", {to}, {0}).text = "movq %rax, %rbx";
  }
  code.load(5, 1, 8), code.op("MUL64rr", {5}, {5, 6}), code.store(5, 2, 0);
  for (int unit : {1, 2}) {
    Instruction& step = code.op("ADD64ri8", {unit}, {unit});
    step.immediate = -8;
  }
  code.op("MOV64rr", {0}, {0}).text = "movq %rcx, %rax";
  code.branch({2});
  auto& c = code.body;
  Function f;
  f.name = "main", f.calls.value = 1;
  f.blocks = {block(1, {c[0], c[1], c[2], c[3]}, {edge(1, 1)}), block(1e6, {c[4], c[5], c[6], c[7], c[8], c[10]}, {edge(1, 1e6 - 1)}), block(0, {c[9]}, {})};
  f.blocks[0].calls = {{"malloc", 2}};
  Profile profile;
  profile.machine.emplace().functions = {f}, profile.forms = code.forms;
  auto time = simulate_program(profile, small_machine());
  ASSERT_TRUE(time) << time.error().message();
  EXPECT_LT(time->cycles, 3e6);
}

TEST(ProgramTime, ALongerRunOfTheSameIsProportionallyLonger) {
  double once = simulate_program(calling_profile(1e6), small_machine())->cycles;
  EXPECT_NEAR(simulate_program(calling_profile(1e9), small_machine())->cycles, 1000 * once, 0.02 * 1000 * once);
}

TEST(ProgramTime, MispredictionsAsCounted) {
  Machine machine = small_machine();
  double none = simulate_program(calling_profile(1e6), machine)->cycles;
  auto some = simulate_program(calling_profile(1e6, 1e5), machine);
  EXPECT_GT(some->cycles, none + 1e5 * 4);  // 20 each, partly hidden behind the multiplications still to be done
  EXPECT_LT(some->cycles, none + 1e5 * 25);
  EXPECT_GT(some->by_cause[static_cast<std::size_t>(Cause::misprediction)], 1e5 * 4);
  SimulationOptions options;
  options.mispredictions = false;
  EXPECT_DOUBLE_EQ(simulate_program(calling_profile(1e6, 1e5), machine, options)->cycles, none);
}

// A jump through a register goes wrong by what the core learns of targets, not of directions.
TEST(ProgramTime, JumpsAreMispredictedByTheirTargets) {
  Machine machine = small_machine();
  Profile profile = calling_profile(1e6);
  profile.machine->functions[0].blocks[1].mispredicted = Mispredictions{0, 2e5, 0};
  machine.core->branches.learned_period = number(8000), machine.core->branches.learned_targets = number(420);
  auto lost = [&] { return simulate_program(profile, machine)->by_cause[static_cast<std::size_t>(Cause::misprediction)]; };
  EXPECT_EQ(lost(), 0);
  profile.forms[static_cast<std::size_t>(profile.machine->functions[0].blocks[1].code.back().form)].indirect = true;
  EXPECT_GT(lost(), 2e5 * 4);
  machine.core->branches.learned_targets.reset();  // not measured
  EXPECT_EQ(lost(), 0);
}

// Ends of loops longer than the core learns, by how much longer they are; of shorter ones only what was seen.
TEST(ProgramTime, EndsOfLongLoopsAreMispredicted) {
  BranchCosts branches;
  branches.learned_loop = number(40);
  for (const auto& [trip, missed] : {std::pair{20, 0.0}, {40, 0.5}, {100, 1.0}}) {
    Graph graph;
    Function& function = graph.functions.emplace_back();
    function.name = "f", function.blocks.resize(2);
    Block& loop = function.blocks[0];
    loop.count.value = 1000.0 * trip, function.blocks[1].count.value = 1000;
    loop.next.resize(2);
    loop.next[0].to = 0, loop.next[0].count.value = 1000.0 * (trip - 1);
    loop.next[1].to = 1, loop.next[1].count.value = 1000;
    EXPECT_NEAR(walk_program(graph, {}, branches).blocks[0].mispredictions[1].rate, missed, 0.01) << trip;
    EXPECT_EQ(walk_program(graph, {}, {}).blocks[0].mispredictions[1].rate, 0);
  }
}

// As unoptimised code has them: the first block tests, the second returns to it; a choice within the loop is no end of it.
TEST(ProgramTime, EndsOfLongLoopsAreMispredictedWhereTheFirstBlockTests) {
  BranchCosts branches;
  branches.learned_loop = number(40);
  Graph graph;
  Function& function = graph.functions.emplace_back();
  function.name = "f";
  function.blocks = {block(101e3, {}, {edge(1, 100e3), edge(4, 1e3)}), block(100e3, {}, {edge(2, 1e3), edge(3, 99e3)}), block(1e3, {}, {edge(3, 1e3)}),
                     block(100e3, {}, {edge(0, 100e3)}), block(1e3, {}, {})};
  const auto program = walk_program(graph, {}, branches);
  EXPECT_NEAR(program.blocks[0].mispredictions[1].rate, 1, 0.01);
  EXPECT_EQ(program.blocks[1].mispredictions[0].rate, 0);
}

// A return is mispredicted when more calls nested below its own than the core remembers.
TEST(ProgramTime, ReturnsAreMispredictedAsCounted) {
  Profile profile = calling_profile(1e6);
  double none = simulate_program(profile, small_machine())->by_cause[static_cast<std::size_t>(Cause::misprediction)];
  EXPECT_EQ(none, 0);
  profile.machine->functions[1].blocks[0].mispredicted = 2e5;
  double some = simulate_program(profile, small_machine())->by_cause[static_cast<std::size_t>(Cause::misprediction)];
  EXPECT_GT(some, 2e5 * 4);
  EXPECT_LT(some, 2e5 * 25);
}

// Code so large that a walk sees each of its branches once: a tenth of them is mispredicted then too.
TEST(ProgramTime, MispredictionsAreNotLostInMuchCode) {
  const Profile profile = calling_profile(10);
  Graph graph;
  for (int f = 0; f < 1000; f++) {
    graph.functions.push_back(profile.machine->functions[1]);
    graph.functions.back().name += std::to_string(f), graph.functions.back().blocks[0].mispredicted = 1;  // of 10
  }
  int due_at_once = 0;
  for (const WalkBlock& block : walk_program(graph, profile.forms, {}).blocks) due_at_once += block.mispredictions[0].due + block.mispredictions[0].rate >= 1;
  EXPECT_GE(due_at_once, 70);
  EXPECT_LE(due_at_once, 130);
}

TEST(ProgramTime, SaysWhatIsMissing) {
  Profile profile = calling_profile(10);
  Machine empty;
  empty.name = "empty";
  EXPECT_FALSE(simulate_program(profile, empty));
  profile.machine.reset();
  EXPECT_FALSE(simulate_program(profile, small_machine()));
}

TEST(ProgramTime, UnknownOpcodesAreCountedAsEstimated) {
  Profile profile = calling_profile(1000);
  auto time = simulate_program(profile, small_machine());
  EXPECT_NEAR(time->measured + time->by_class + time->by_llvm, 1, 1e-9);
  EXPECT_GT(time->by_llvm, 0.3);  // CALL and RET have no rule in this core
}

}  // namespace perfcast::engine
