// Timing disturbed on purpose: neighbours that keep the same core busy, a program that is stopped and continued, a
// watch that is stopped itself, a core whose frequency changes, a clock that jumps. On real hardware, so only order is
// checked: what is disturbed is called so, and what is reported stays near what a quiet machine gives, or says that it
// does not.
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "base/cores.h"
#include "base/files.h"
#include "base/test_attempts.h"
#include "base/test_clock.h"
#include "base/test_neighbours.h"
#include "base/timing.h"

namespace perfcast {
namespace {

int a_core() { return allowed_cores().back(); }

// Counts for some 40 ms of processor time, pinned.
class Disturbed : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(write_file(folder.file("spin.c"), "int main(void) { for (volatile unsigned x = 0; x < 40000000u; x = x + 1); return 0; }"));
    RunRequest build;
    build.command = {"cc", "-O1", folder.file("spin.c"), "-o", folder.file("spin")};
    ASSERT_TRUE(run_program(build)->ok());
    request.command = {folder.file("spin")};
    request.core = core;
  }
  std::vector<TimedRun> runs(ReferenceChain& chain) {
    auto all = time_program(request, chain, 0, 8, {5});
    EXPECT_TRUE(all) << all.error().message();
    return all.value_or(std::vector<TimedRun>());
  }
  void TearDown() override { test_clock().reset(); }
  TemporaryFolder folder = std::move(*TemporaryFolder::make("test"));
  int core = a_core();
  RunRequest request;
};

TEST_F(Disturbed, BusyNeighboursOnTheSameCoreAreRecognised) {
  some_attempt_succeeds([this] {
    ReferenceChain chain;
    for (int i = 0; i < 50; i++) chain.step_ns();
    auto quiet = summarize_runs(runs(chain));
    std::vector<TimedRun> crowded;
    {
      Neighbours busy(3, core, folder.file("busy"));
      crowded = runs(chain);
    }
    auto summary = summarize_runs(crowded);
    double wall = 0;
    for (const auto& run : crowded) wall += run.wall.value / static_cast<double>(crowded.size());
    ASSERT_GT(wall, 1.5 * summary.seconds) << "the neighbours did not get the core";
    EXPECT_GT(2 * summary.disturbed, summary.runs) << "of " << summary.runs << " runs";
    EXPECT_EQ(summary.how.find("median"), std::string::npos) << summary.how;
    // What is reported is not the neighbours' time.
    EXPECT_LT(summary.seconds, 1.5 * quiet.seconds);
  });
}

// What a hypervisor does when it takes the processor away, or when the machine is suspended.
TEST_F(Disturbed, AStoppedProgramDoesNotCountTheTimeItWasStopped) {
  some_attempt_succeeds([this] {
    ReferenceChain chain;
    const double quiet = summarize_runs(runs(chain)).seconds;
    RunRequest stopped = request;
    stopped.command = {"sh", "-c", "(sleep 0.3; kill -CONT $$) & kill -STOP $$; exec " + request.command[0]};
    auto run = timed_run(stopped, chain);
    ASSERT_TRUE(run) << run.error().message();
    EXPECT_GT(run->wall.value, 0.3);
    EXPECT_LT(run->cpu.value, 2 * quiet + 0.02);
  });
}

// A core whose frequency falls for a while: those runs are called so, and not used.
TEST_F(Disturbed, ALoweredFrequencyIsRecognised) {
  some_attempt_succeeds([this] {
    ReferenceChain chain;
    chain.settle();
    std::vector<TimedRun> all;
    for (double pace : {1.0, 1.3, 1.0}) {
      test_clock().run_at(pace);
      for (int i = 0; i < 3; i++) {
        auto run = timed_run(request, chain);
        ASSERT_TRUE(run) << run.error().message();
        run->cpu = run->cpu * pace;  // the system's clock is not ours to set
        all.push_back(*run);
      }
    }
    mark_disturbed(all, chain);
    for (std::size_t i : {3, 4, 5}) {
      EXPECT_TRUE(all[i].disturbed) << i;
      EXPECT_GT(all[i].reference_ns, 1.2 * chain.best_ns()) << i;
    }
    const double slowed = std::min({all[3].cpu.value, all[4].cpu.value, all[5].cpu.value});
    EXPECT_LT(summarize_runs(all).seconds, 1.1 * slowed);
  });
}

// What the clock allows is known only when it was seen: a frequency that rises makes earlier runs slow ones.
TEST_F(Disturbed, AFrequencyThatRisesLaterShowsThatEarlierRunsWereSlow) {
  some_attempt_succeeds([this] {
    test_clock().run_at(1.3);
    ReferenceChain chain;
    chain.settle();
    std::vector<TimedRun> all;
    for (int i = 0; i < 3; i++) all.push_back(*timed_run(request, chain));
    const double slow = chain.best_ns();
    test_clock().run_at(1);
    all.push_back(*timed_run(request, chain));
    mark_disturbed(all, chain);
    EXPECT_LT(chain.best_ns(), 0.9 * slow);
    for (std::size_t i : {0, 1, 2}) EXPECT_TRUE(all[i].disturbed) << i;
  });
}

// A machine that was suspended in the middle of a look: five seconds are missing from it.
TEST_F(Disturbed, AClockThatJumpsMovesNoReference) {
  some_attempt_succeeds([this] {
    ReferenceChain chain;
    chain.settle();
    for (int reading : {1, 2, 9, 16, 29, 30}) {
      const double best = chain.best_ns();
      test_clock().jump_after(reading, 5);
      EXPECT_LT(chain.step_ns(), 100 * best) << reading;
      EXPECT_GT(chain.best_ns(), 0.5 * best) << reading;
    }
    const double alone = chain.canary.best_cycles();
    for (int reading : {1, 2, 3, 4, 5, 6, 7, 8}) {
      test_clock().jump_after(reading, 5);
      EXPECT_LT(chain.canary.cycles(), 1000 * alone) << reading;
      EXPECT_GT(chain.canary.best_cycles(), 0.5 * alone) << reading;
    }
    test_clock().reset();
    // A run meanwhile keeps its processor time.
    const double quiet = summarize_runs(runs(chain)).seconds;
    test_clock().jump_after(100, 0.5);
    auto run = timed_run(request, chain);
    ASSERT_TRUE(run) << run.error().message();
    EXPECT_LT(run->cpu.value, 2 * quiet + 0.02);
  });
}

// The watch is preempted too: its slices are short and it takes their median.
TEST_F(Disturbed, TheReferenceChainKeepsItsBest) {
  ReferenceChain chain;
  for (int i = 0; i < 50; i++) chain.step_ns();
  const double best = chain.best_ns();
  {
    const OnCore beside(core);
    Neighbours busy(2, core, folder.file("busy"));
    for (int i = 0; i < 50; i++) EXPECT_GE(chain.step_ns(), 0.5 * best);
  }
  EXPECT_GT(chain.best_ns(), 0.5 * best);
  EXPECT_LE(chain.best_ns(), best);
}

}  // namespace
}  // namespace perfcast
