#include <gtest/gtest.h>

#include "methods/bounds/bounds.h"
#include "methods/bounds/test_golden.h"
#include "record/library.h"

namespace perfcast::bounds {
namespace {

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

}  // namespace
}  // namespace perfcast::bounds
