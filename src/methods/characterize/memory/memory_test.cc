#include <gtest/gtest.h>

#include <cmath>

#include "methods/characterize/memory/kernels.h"
#include "methods/characterize/memory/levels.h"
#include "methods/characterize/memory/slices.h"

namespace perfcast::characterize {
namespace {

// A machine of 32 KiB, 1 MiB and 16 MiB with 1, 4, 20 and 100 ns; rings larger than a cache miss it altogether.
std::vector<CurvePoint> planted_curve(double factor) {
  std::vector<CurvePoint> curve;
  for (double bytes = 12 * 1024; bytes <= 200 * 1024 * 1024; bytes *= factor)
    curve.push_back({bytes, bytes <= 32768 ? 1.0 : bytes <= 1048576 ? 4.0 : bytes <= 16777216 ? 20.0 : 100.0});
  return curve;
}

}  // namespace

TEST(Levels, PlantedCachesAreFound) {
  for (auto nominal : {std::vector<double>{32768, 1048576, 16777216}, std::vector<double>{}}) {
    auto plateaus = find_plateaus(planted_curve(std::sqrt(2.0)), nominal);
    ASSERT_EQ(plateaus.size(), 4u);
    EXPECT_DOUBLE_EQ(plateaus[0].value, 1);
    EXPECT_DOUBLE_EQ(plateaus[2].value, 20);
    EXPECT_DOUBLE_EQ(plateaus[3].value, 100);
    EXPECT_NEAR(std::log2(plateaus[0].capacity / 32768), 0, 0.5);
    EXPECT_NEAR(std::log2(plateaus[1].capacity / 1048576), 0, 0.5);
    EXPECT_NEAR(std::log2(plateaus[2].capacity / 16777216), 0, 0.5);
  }
}

TEST(Levels, OfSeveralMomentsTheMiddleCounts) {
  auto number = [](double value) {
    Measurement m;
    m.value = value;
    return m;
  };
  MemoryLevel crowded, calm, usual;
  crowded.random_read_ns = number(57), calm.random_read_ns = number(15), usual.random_read_ns = number(18);
  crowded.parallel_misses = number(9), calm.parallel_misses = number(16);
  usual.random_write_ns = {{"1", number(20)}}, crowded.random_write_ns = {{"1", number(70)}}, calm.random_write_ns = {{"1", number(22)}};
  MemoryLevel level = crowded;
  level.latency_ns = number(140);
  take_middle(level, {crowded, calm, usual});
  EXPECT_EQ(level.random_read_ns->value, 18);
  EXPECT_EQ(level.parallel_misses->value, 9);
  EXPECT_EQ(level.random_write_ns["1"].value, 22);
  EXPECT_EQ(level.latency_ns->value, 140);
  EXPECT_FALSE(level.random_update_ns);
}

TEST(Levels, ACacheSmallerThanItsNameIsMeasuredAsItIs) {
  // The system says 64 MiB, the curve says 16 MiB.
  auto plateaus = find_plateaus(planted_curve(1.41), {32768, 1048576, 67108864});
  ASSERT_GE(plateaus.size(), 3u);
  EXPECT_LT(plateaus[2].capacity, 32e6);
}

TEST(Levels, NoCacheIsLargerThanItIs) {
  auto plateaus = find_plateaus(planted_curve(1.41), {32768, 1048576, 8388608});
  ASSERT_EQ(plateaus.size(), 4u);
  EXPECT_DOUBLE_EQ(plateaus[2].capacity, 8388608);
}

// Whoever shares the core takes a part of its caches, but not for good.
TEST(Levels, TheCoresOwnCachesAreWhole) {
  auto plateaus = find_plateaus(planted_curve(1.41), {57344, 1572864, 16777216});
  ASSERT_EQ(plateaus.size(), 4u);
  EXPECT_DOUBLE_EQ(plateaus[0].capacity, 57344);
  EXPECT_DOUBLE_EQ(plateaus[1].capacity, 1572864);
}

TEST(Levels, EmptyCurveHasNoPlateaus) { EXPECT_TRUE(find_plateaus({}, {}).empty()); }

TEST(Levels, CrossingInterpolatesOnALogScale) {
  EXPECT_NEAR(crossing({{1, 1}, {4, 4}}, 1, 4), 2, 1e-9);
  EXPECT_EQ(crossing({{1, 0}, {4, 1}}, 5, 9), 0);
}

// A cache of 600,000 lines that others fill within 3 ms: the ring at which half of its latency is lost has some 50,000.
TEST(Levels, ADisturbedPointIsNoEdge) {
  const std::vector<CurvePoint> curve = {{64, 5}, {128, 9}, {256, 5}, {512, 5}, {1024, 6}, {2048, 25}, {4096, 30}};
  EXPECT_LT(crossing(curve, 5, 9), 128);
  EXPECT_GT(crossing(without_disturbance(curve), 5, 9), 1024);
}

TEST(Levels, ABusyCacheForgetsButIsNotSmall) {
  EXPECT_DOUBLE_EQ(size_behind_retention(85e3, 26, 105, 3.1e6, 590e3), 590e3);
  const double round = 0.5 / 100e3 * 3e6;  // ns for each line, so that others take half of the room
  EXPECT_NEAR(size_behind_retention(100e3, round / 2, round * 2, 3e6, 590e3), 100e3 / 0.4, 3e3);
  // Nobody else: as large as the ring, but for where half-way lies.
  EXPECT_NEAR(size_behind_retention(100e3, 26, 105, 1e15, 590e3), 100e3, 12e3);
}

TEST(Levels, WindowIsRecovered) {
  std::vector<CurvePoint> times;
  for (double filler : {0.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0})
    times.push_back({filler, std::max(100 / std::min(20.0, 1 + 140 / (filler + 7)), 0.05 * filler)});
  EXPECT_NEAR(fit_window(times, 100, 20, 7), 140, 6);
}

TEST(Levels, WhatTheCoreDoesBesideIsTakenOut) {
  const double lines = 0.5, core = 0.8, together = std::cbrt(lines * lines * lines + core * core * core);
  EXPECT_NEAR(without_core(together, core), lines, 1e-9);
  EXPECT_NEAR(without_core(5, 0.8), 5, 0.01);
  EXPECT_DOUBLE_EQ(without_core(0.79, 0.8), 0.3 * 0.79);
}

TEST(Kernels, RingVisitsEveryCellOnce) {
  Buffer buffer(64 * 1024, false);
  char* start = make_ring(buffer.begin(), 1000, line, false);
  EXPECT_EQ(chase(start, 1000), start);
  EXPECT_NE(chase(start, 999), start);
}

TEST(Kernels, WhatIsFlushedStaysWhatItWas) {
  Buffer b(1 << 16, false);
  ASSERT_TRUE(b.valid());
  char* cell = make_ring(b.begin(), 1024, 64, false);
  char* end = chase(cell, 300);
  flush_lines(b.begin(), b.bytes());
  EXPECT_EQ(chase(cell, 300), end);
}

TEST(Kernels, CopyCopiesAndUpdateUpdates) {
  Buffer buffer(8192, false);
  for (int i = 0; i < 4096; i++) buffer.begin()[i] = static_cast<char>(i);
  copy_streams(buffer.begin(), 8192, 2);
  for (int i = 0; i < 4096; i++) ASSERT_EQ(buffer.begin()[i], buffer.begin()[4096 + i]);
  long before = *reinterpret_cast<long*>(buffer.begin());
  update_lines(buffer.begin(), 8192);
  EXPECT_EQ(*reinterpret_cast<long*>(buffer.begin()), before + 1);
}

TEST(Slices, WhatTheClockPacesIsToldAtAnyClock) {
  Buffer b(4096, false);
  ASSERT_TRUE(b.valid());
  char* cell = make_ring(b.begin(), 4096 / line, line, false);
  auto told_at = [&](double ghz) { return time_slices(5, 4000, [&] { cell = chase(cell, 4000); }, Worker::this_thread, ghz).value; };
  const double slow = told_at(1), fast = told_at(4);
  EXPECT_GT(slow, 1.5);  // cycles of a load
  EXPECT_GT(slow, 2 * fast);
  EXPECT_LT(slow, 8 * fast);
}

}  // namespace perfcast::characterize
