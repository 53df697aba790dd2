// How long a phase of a parallel region is with other numbers of threads (data/runtime/threads_phases.h), by hand.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <string.h>

#include <memory>
#include <numeric>
#include <vector>

namespace perfcast::openmp {
namespace {
#include "../../../data/runtime/threads_phases.h"

// One phase that took these threads so long, each of which had so many iterations of one static loop.
std::unique_ptr<sharing> divided(const std::vector<double>& seconds, const std::vector<double>& iterations, double trip) {
  auto s = std::make_unique<sharing>();
  memset(s.get(), 0, sizeof *s);
  for (std::size_t k = 0; k < seconds.size(); k++) s->now.all[k] = s->now.own[k] = seconds[k];
  for (std::size_t k = 0; k < iterations.size(); k++) s->now.iterations[k] = iterations[k];
  s->now.trip = trip, s->now.loops = trip > 0 ? 1 : 0;
  return s;
}
double with(const sharing& s, int threads) {
  for (int i = 0; i < many_team_sizes; i++)
    if (team_sizes[i] == threads) return s.with_team[i];
  return -1;
}

// 24 iterations on 24 threads, the k-th of which costs k: every number of threads gets exactly its neighbours.
TEST(Phases, ATriangleDividedOnce) {
  std::vector<double> seconds(24), one(24, 1);
  std::iota(seconds.begin(), seconds.end(), 1);
  auto s = divided(seconds, one, 24);
  end_phase(s.get(), 24, 1);
  EXPECT_NEAR(s->seconds, 300, 1e-9);
  EXPECT_NEAR(s->busiest, 24, 1e-9);
  EXPECT_NEAR(with(*s, 1), 300, 1e-9);
  EXPECT_NEAR(with(*s, 2), 222, 1e-9);              // 13 to 24
  EXPECT_NEAR(with(*s, 4), 19 + 20 + 21 + 22 + 23 + 24, 1e-9);
  EXPECT_NEAR(with(*s, 5), 21 + 22 + 23 + 24, 1e-9);  // 5, 5, 5, 5, 4 iterations
  EXPECT_NEAR(with(*s, 24), 24, 1e-9);
  EXPECT_NEAR(with(*s, 256), 24, 1e-9);             // an iteration is not divided
}

TEST(Phases, FewIterationsLeaveThreadsIdle) {
  auto s = divided({3, 3, 2}, {3, 3, 2}, 8);        // eight of a second each
  end_phase(s.get(), 3, 1);
  EXPECT_NEAR(with(*s, 2), 4, 1e-9);
  EXPECT_NEAR(with(*s, 5), 2, 1e-9);
  EXPECT_NEAR(with(*s, 8), 1, 1e-9);
  EXPECT_NEAR(with(*s, 64), 1, 1e-9);
}

// Blocks of two of 16 iterations, dealt out to two threads.
TEST(Phases, DealtOut) {
  auto s = divided({8, 8}, {2, 2}, 16);
  end_phase(s.get(), 2, 1);
  EXPECT_NEAR(with(*s, 4), 4, 1e-4);
  EXPECT_NEAR(with(*s, 5), 4, 1e-4);                // two rounds
  EXPECT_NEAR(with(*s, 16), 2, 1e-4);
}

TEST(Phases, PiecesGoToWhoeverIsFree) {
  auto s = divided({9, 0}, {}, 0);
  for (double seconds : {1, 1, 5, 1}) add_piece(&s->now, 0, seconds);  // the thread's own second made them
  end_phase(s.get(), 2, 1);
  EXPECT_NEAR(with(*s, 1), 9, 1e-9);
  EXPECT_NEAR(with(*s, 2), 6, 1e-9);
  EXPECT_NEAR(with(*s, 64), 5, 1e-9);               // the longest
}

// Of very many chunks the first are timed. That one thread took most of the rest says nothing of other numbers of threads.
TEST(Phases, ChunksThatAreTooManyToKeepAreShared) {
  auto s = divided({9, 1}, {}, 0);
  for (int i = 0; i < 2; i++) add_piece(&s->now, 0, 1);
  s->now.untimed = 8;                               // of a second each
  end_phase(s.get(), 2, 1);
  EXPECT_NEAR(with(*s, 1), 10, 1e-9);
  EXPECT_NEAR(with(*s, 2), 5 + 0.5, 1e-9);
  EXPECT_NEAR(with(*s, 4), 2.5 + 0.75, 1e-9);
}

TEST(Phases, WhatOneDoesAloneIsNotDivided) {
  auto s = divided({6, 0, 0, 0}, {}, 0);
  end_phase(s.get(), 4, 1);
  for (int threads : {1, 2, 3, 4}) EXPECT_NEAR(with(*s, threads), 6, 1e-9) << threads;
  EXPECT_NEAR(with(*s, 8), 1.5 * 4 / 8 + 4.5, 1e-9);
  auto even = divided({2, 2, 2, 2}, {}, 0);
  end_phase(even.get(), 4, 1);
  EXPECT_NEAR(with(*even, 2), 4, 1e-9);
  EXPECT_NEAR(with(*even, 8), 1, 1e-9);
}

// Phases add up, each as long as its own busiest thread.
TEST(Phases, PhaseByPhase) {
  auto s = divided({3, 1}, {1, 1}, 2);
  end_phase(s.get(), 2, 0);
  s->now.all[0] = s->now.own[0] = 1, s->now.all[1] = s->now.own[1] = 3;
  end_phase(s.get(), 2, 0);
  EXPECT_NEAR(s->seconds, 8, 1e-9);
  EXPECT_NEAR(s->busiest, 6, 1e-9);
  // Too short for the clock: kept until there is more.
  s->now.all[0] = 1e-6;
  end_phase(s.get(), 2, 0);
  EXPECT_NEAR(s->seconds, 8, 1e-9);
  end_phase(s.get(), 2, 1);
  EXPECT_NEAR(s->seconds, 8 + 1e-6, 1e-12);
}

}  // namespace
}  // namespace perfcast::openmp
