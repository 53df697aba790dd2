#include "engine/memory/conflicts.h"

#include <gtest/gtest.h>

#include "engine/memory/hits.h"
#include "engine/test_core.h"

namespace perfcast::engine {
namespace {

// L1 of 12 ways and 64 sets, L2 of 2 MB, L3 of 32 MB.
MemoryModel caches() {
  MemoryModel m;
  for (double kib : {48.0, 2048.0, 32768.0}) m.levels.emplace_back().capacity_bytes = number(1024 * kib);
  m.levels.emplace_back();
  return m;
}

Access walk(double step, double lines) {
  Access a;
  a.stride_bytes = step, a.stride_share = 0.99, a.count = 1000, a.lines = {{lines, 1, 0}};
  return a;
}

TEST(Conflicts, StepsThatShareAFactorWithThePage) {
  EXPECT_DOUBLE_EQ(share_of_cache(walk(4096, 1), caches()), 1.0 / 64);
  EXPECT_DOUBLE_EQ(share_of_cache(walk(-8192, 1), caches()), 1.0 / 64);
  EXPECT_DOUBLE_EQ(share_of_cache(walk(2048, 1), caches()), 1.0 / 32);
  EXPECT_DOUBLE_EQ(share_of_cache(walk(3072, 1), caches()), 1.0 / 16);
  for (double step : {8.0, 64.0, 4160.0, 4104.0}) EXPECT_DOUBLE_EQ(share_of_cache(walk(step, 1), caches()), 1) << step;
  EXPECT_DOUBLE_EQ(share_of_cache(walk(3840, 1), caches(), 4), 1);  // 960, unrolled four times
  Access unsteady = walk(4096, 1);
  unsteady.stride_share = 0.2;
  EXPECT_DOUBLE_EQ(share_of_cache(unsteady, caches()), 1);
}

TEST(Conflicts, LinesThatWouldFitMiss) {
  auto level = [](const Access& a) {
    auto served = served_by(a, caches(), {1e9});
    return std::ranges::max_element(served.alone) - served.alone.begin();
  };
  EXPECT_EQ(level(walk(4096, 200)), 0);                              // 200 of 768 lines
  EXPECT_EQ(level(with_conflicts(walk(4096, 200), caches())), 1);    // of 12
  EXPECT_EQ(level(with_conflicts(walk(4096, 1000), caches())), 2);   // of 512
  EXPECT_EQ(level(with_conflicts(walk(4096, 1e5), caches())), 2);    // the last cache has no such sets
  EXPECT_EQ(level(with_conflicts(walk(4160, 200), caches())), 0);
  EXPECT_EQ(level(with_conflicts(walk(4096, 6), caches())), 0);      // as many as there are ways
}

}  // namespace
}  // namespace perfcast::engine
