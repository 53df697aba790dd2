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

TEST(Conflicts, StepsThatShareAFactorWithThePage) {
  EXPECT_DOUBLE_EQ(share_of_cache(4096, caches()), 1.0 / 64);
  EXPECT_DOUBLE_EQ(share_of_cache(-8192, caches()), 1.0 / 64);
  EXPECT_DOUBLE_EQ(share_of_cache(2048, caches()), 1.0 / 32);
  EXPECT_DOUBLE_EQ(share_of_cache(3072, caches()), 1.0 / 16);
  for (double step : {0.0, 8.0, 64.0, 4160.0, 4104.0}) EXPECT_DOUBLE_EQ(share_of_cache(step, caches()), 1) << step;
}

TEST(Conflicts, LinesThatWouldFitMiss) {
  auto level = [](double step, double lines) {
    Access a;
    a.count = 1000, a.lines = {{lines, 1, 0}};
    auto served = served_by(with_conflicts(a, step, caches()), caches(), {1e9});
    return std::ranges::max_element(served.alone) - served.alone.begin();
  };
  EXPECT_EQ(level(8, 200), 0);       // 200 of 768 lines
  EXPECT_EQ(level(4096, 200), 1);    // of 12
  EXPECT_EQ(level(4096, 1000), 2);   // of 512
  EXPECT_EQ(level(4096, 1e5), 2);    // the last cache has no such sets
  EXPECT_EQ(level(4160, 200), 0);
  EXPECT_EQ(level(4096, 6), 0);      // fewer than there are ways
}

// A column of 64 lines in steps of 512 bytes, in a loop unrolled twice: each copy makes steps of 1024, but only half of the lines
// between its reuses go where it goes.
TEST(Conflicts, CopiesOfOneWalkShareTheirPlaces) {
  Access copy;
  copy.line = 7, copy.bytes = 8, copy.count = 1000, copy.lines = {{64, 1, 0}}, copy.stride_bytes = 1024, copy.stride_share = 1;
  Access other = copy;
  other.line = 8;
  const std::vector<Access> loop = {copy, copy, other};
  EXPECT_EQ(copies_among(loop), (std::vector<int>{2, 2, 1}));
  EXPECT_LT(served_by(copy, caches(), {1e9}).alone[0], 0.2);
  EXPECT_GT(served_by(copy, caches(), {1e9}, 2).alone[0], 0.9);
}

}  // namespace
}  // namespace perfcast::engine
