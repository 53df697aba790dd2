#include "base/timing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/cores.h"

namespace perfcast {
namespace {

TimedRun run_of(double cpu, bool disturbed = false) {
  TimedRun run;
  run.cpu = {cpu}, run.disturbed = disturbed;
  return run;
}

}  // namespace

TEST(Timing, MedianOfUndisturbedRuns) {
  std::vector<TimedRun> runs = {run_of(1), run_of(3), run_of(2), run_of(9, true)};
  auto summary = summarize_runs(runs);
  EXPECT_EQ(summary.seconds, 2);
  EXPECT_EQ(summary.runs, 4);
  EXPECT_EQ(summary.disturbed, 1);
  EXPECT_TRUE(summary.how.starts_with("median"));
}

TEST(Timing, LowQuantileWhenMostAreDisturbedAndSaysSo) {
  std::vector<TimedRun> runs = {run_of(1), run_of(3, true), run_of(2, true), run_of(5, true), run_of(4, true)};
  auto summary = summarize_runs(runs);
  EXPECT_NEAR(summary.seconds, 1.4, 1e-12);
  EXPECT_NE(summary.how.find("most were disturbed"), std::string::npos);
}

TEST(Timing, RunsThatSharedTheirCoreAgreeOnTheTimeAlone) {
  std::vector<TimedRun> runs;
  for (double sharing : {0.2, 0.5, 0.9, 0.3, 0.7}) {
    runs.push_back(run_of(2 * (1 + 0.6 * sharing), true));
    runs.back().sharing = sharing, runs.back().looks = 50;
  }
  auto summary = summarize_runs(runs);
  EXPECT_NEAR(summary.seconds, 2, 0.02);
  EXPECT_NE(summary.how.find("a core of their own"), std::string::npos);
}

// By chance the longer ones shared it a little more: that would be undone by a factor of two.
TEST(Timing, RunsThatSharedTheirCoreAlikeTellLittle) {
  std::vector<TimedRun> runs;
  for (double more : {0.0, 0.01, 0.02, 0.03, 0.04}) {
    runs.push_back(run_of(2 + 2 * more, true));
    runs.back().sharing = 0.8 + more, runs.back().looks = 50;
  }
  EXPECT_NEAR(summarize_runs(runs).seconds, 2 / 1.4, 0.2);
}

TEST(Timing, AProgramIsWatchedWhileItRuns) {
  ReferenceChain chain;
  RunRequest request;
  request.command = {"sh", "-c", "i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done"};
  auto run = timed_run(request, chain);
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->outcome.ok());
  EXPECT_GT(run->canary_cycles, 0);
}

TEST(Timing, SlowChainPreemptionOrStealDisturbs) {
  ReferenceChain chain;
  chain.settle();
  std::vector<TimedRun> runs = {run_of(1), run_of(1), run_of(1), run_of(1), run_of(1), run_of(1)};
  for (auto& run : runs) run.wall = run.cpu, run.reference_ns = chain.best_ns(), run.canary_cycles = chain.canary.best_cycles();
  runs[1].reference_ns *= 1.1;
  runs[2].outcome.switches_involuntary = 500;
  runs[3].canary_cycles *= 1.5;
  runs[4].stolen = {0.05};
  runs[5].stolen = {0.02};  // a tick or two in a second are no news
  mark_disturbed(runs, chain);
  EXPECT_FALSE(runs[0].disturbed);
  EXPECT_TRUE(runs[1].disturbed);
  EXPECT_TRUE(runs[2].disturbed);
  EXPECT_TRUE(runs[3].disturbed);
  EXPECT_TRUE(runs[4].disturbed);
  EXPECT_FALSE(runs[5].disturbed);
  EXPECT_TRUE(runs[3].crowded);
  EXPECT_FALSE(runs[2].crowded);
  EXPECT_NE(summarize_runs(runs).how.find("1 shared their core"), std::string::npos);
}

TEST(Timing, AStreamOutrunsAChain) {
#ifdef PERFCAST_SANITIZED
  GTEST_SKIP() << "a sanitizer's checks stand between the additions";
#endif
  ThroughputCanary canary;
  for (int i = 0; i < 50; i++) canary.cycles();
  EXPECT_LT(canary.best_cycles(), 0.8);  // every core of the last decades adds more than one at a time
  EXPECT_GT(canary.best_cycles(), 0.05);
  EXPECT_FALSE(canary.crowded(1.05 * canary.best_cycles()));
  EXPECT_TRUE(canary.crowded(2 * canary.best_cycles()));
}

TEST(Timing, AnEarlierSessionTellsThatTheCoreWasNeverFree) {
  constexpr double known = ThroughputCanary::least_possible;  // no core is as fast: all that is seen here looks shared
  ThroughputCanary::remember(known);
  ReferenceChain chain;
  ThroughputCanary::remember(0);
  RunRequest request;
  request.command = {"true"};
  auto runs = time_program(request, chain, 0, 5, {0});
  ASSERT_TRUE(runs);
  EXPECT_EQ(chain.canary.best_cycles(), known);
  for (const auto& run : *runs) EXPECT_TRUE(run.crowded && run.sharing > 0.2);
  EXPECT_EQ(ThroughputCanary().best_cycles(), 0);
}

TEST(Timing, WhatNoCoreCanDoIsNotRemembered) {
  ThroughputCanary::remember(0.047);
  EXPECT_EQ(ThroughputCanary().best_cycles(), 0);
}

TEST(Timing, AFailingProgramIsAnError) {
  ReferenceChain chain;
  RunRequest request;
  request.command = {"false"};
  auto runs = time_program(request, chain);
  ASSERT_FALSE(runs);
  EXPECT_NE(runs.error().what.find("exited with code 1"), std::string::npos);
  EXPECT_TRUE(time_program(request, chain, 1, 5, {0}));  // unless that is how it always ends
}

TEST(Timing, RunsAtLeastFiveTimes) {
  ReferenceChain chain;
  RunRequest request;
  request.command = {"true"};
  auto runs = time_program(request, chain, 0, 6, {0});
  ASSERT_TRUE(runs);
  EXPECT_GE(runs->size(), 5u);
}

TEST(Timing, ACalmCoreIsOneWeMayUse) {
  const std::vector<int> cores = allowed_cores();
  ASSERT_FALSE(cores.empty());
  ThroughputCanary canary;
  EXPECT_EQ(std::ranges::count(cores, calm_core(canary)), 1);
  EXPECT_EQ(allowed_cores(), cores);  // looking moved us for a moment only
  const OnCore here(cores.front());
  EXPECT_EQ(calm_core(canary), cores.front());
}

TEST(Timing, WhereEveryCoreIsSharedOneOfThemIsTaken) {
  ThroughputCanary::remember(ThroughputCanary::least_possible);
  ThroughputCanary canary;
  ThroughputCanary::remember(0);
  EXPECT_TRUE(calm_core(canary));
}

}  // namespace perfcast
