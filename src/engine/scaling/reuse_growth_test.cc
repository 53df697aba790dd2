#include "engine/scaling/reuse_growth.h"

#include <gtest/gtest.h>

namespace perfcast::engine {
namespace {

using Bins = std::vector<DistanceBin>;

TEST(ReuseGrowth, RowsAndPlanesByTheirQuantiles) {
  const Bins now{{1, 0.75, 0}, {100, 0.15, 0}, {10000, 0.1, 1}}, half{{1, 0.75, 0}, {50, 0.15, 0}, {2500, 0.1, 1}}, quarter{{1, 0.75, 0}, {25, 0.15, 0}, {625, 0.1, 1}};
  EXPECT_EQ(growth_powers(now, {{2, &half}, {4, &quarter}}), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(growth_powers(now, {{2, &half}, {4, &quarter}}, 1), (std::vector<double>{0, 1, 1}));
}

// At half the size another copy of the unrolled loop makes half of the far touches: the quantile falls among the near ones.
TEST(ReuseGrowth, SharesThatDifferBetweenSizes) {
  const Bins now{{1, 0.889, 0}, {1407, 0.111, 1}}, half{{1, 0.952, 0}, {351, 0.048, 1}}, quarter{{1, 0.92, 0}, {87, 0.08, 1}};
  EXPECT_EQ(growth_powers(now, {{2, &half}, {4, &quarter}}).back(), 2);
  Bins grown = now;
  grow_lines(grown, {{2, &half}, {4, &quarter}}, 8, 3);
  EXPECT_DOUBLE_EQ(grown.back().distance, 1407 * 64);
}

TEST(ReuseGrowth, RowsOfFewLines) {
  const Bins now{{6, 0.737, 0}, {29, 0.263, 0}}, half{{6, 0.722, 0}, {14, 0.12, 0}, {17, 0.158, 0}}, quarter{{6, 0.95, 0}, {8, 0.05, 0}};
  EXPECT_EQ(growth_powers(now, {{2, &half}, {4, &quarter}}), (std::vector<double>{0, 1}));
}

// Steps of a fifth of a page become steps of more than one: every touch then meets another page, as many as there are lines.
TEST(ReuseGrowth, StepsOutgrowPages) {
  const Bins now{{1, 0.8, 0}, {43, 0.2, 0}}, half{{1, 0.9, 0}, {11, 0.1, 0}}, lines{{1656, 1, 0}};
  Bins grown = now;
  grow_pages(grown, {{2, &half}}, 8, 3, 8, lines);
  EXPECT_DOUBLE_EQ(grown.back().share, 1);
  EXPECT_DOUBLE_EQ(grown.back().distance, 1656);
  EXPECT_DOUBLE_EQ(grown.front().share, 0);
}

// Among few lines nearly every touch has a neighbour that was touched shortly before; among many it is chance. Streams stay.
TEST(ReuseGrowth, ScatteredTouchesAreNoStreams) {
  const Bins half{{250, 1, 0.8}}, streams{{250, 1, 0.995}};
  Bins scattered{{500, 1, 0.55}}, stream{{500, 1, 0.99}};
  grow_lines(scattered, {{2, &half}}, 64, 3);
  EXPECT_DOUBLE_EQ(scattered[0].distance, 32000);
  EXPECT_LT(scattered[0].near, 0.03);
  EXPECT_GT(scattered[0].near, 0);
  grow_lines(stream, {{2, &streams}}, 64, 3);
  EXPECT_DOUBLE_EQ(stream[0].near, 0.99);
}

// One line in 14, in 28 begins a row; in 56 at the recorded size, of which a burst took one in three for scattered.
TEST(ReuseGrowth, LongerRowsHaveFewerBeginnings) {
  const Bins half{{250, 1, 1 - 1 / 28.0}}, quarter{{60, 1, 1 - 1 / 14.0}};
  Bins seen{{1000, 0.7, 0.9}, {1100, 0.3, 0.1}};
  grow_lines(seen, {{2, &half}, {4, &quarter}}, 4, 3);
  EXPECT_NEAR(seen[0].near, 1 - 1 / 224.0, 1e-9);
  EXPECT_NEAR(seen[1].near, 1 - 1 / 224.0, 1e-9);
}

TEST(ReuseGrowth, NothingToCompareWith) {
  Bins bins{{10, 1, 0}};
  grow_lines(bins, {}, 8, 3);
  EXPECT_EQ(bins, (Bins{{10, 1, 0}}));
}

}  // namespace
}  // namespace perfcast::engine
