#include "engine/memory/hot_addresses.h"

#include <gtest/gtest.h>

#include <cmath>

namespace perfcast::engine {
namespace {

// What `count` addresses show, each with this chance in every execution, `step` stores apart.
std::vector<DistanceBin> shown(int count, double chance, double step = 1, double shortest = 1) {
  std::vector<DistanceBin> met;
  for (int k = 0; shortest + k * step <= 48; k++) met.push_back({shortest + k * step, count * chance * chance * std::pow(1 - chance, k), 0});
  return met;
}

TEST(HotAddresses, AreFoundByTheDistancesTheyShow) {
  for (auto [count, chance] : {std::pair{1, 0.9}, {1, 0.3}, {2, 0.5}, {4, 0.25}, {3, 0.2}}) {
    const auto met = shown(count, chance, 2);
    const auto hot = HotAddresses::fit(met);
    ASSERT_TRUE(hot) << count << " " << chance;
    EXPECT_NEAR(hot->share(), count * chance, 1e-6);
    EXPECT_EQ(hot->step(), 2);
    for (const DistanceBin& bin : hot->others(met)) EXPECT_NEAR(bin.share, 0, 1e-9);
  }
}

TEST(HotAddresses, RunsAndFixedDistancesHaveNone) {
  EXPECT_FALSE(HotAddresses::fit({}));
  EXPECT_FALSE(HotAddresses::fit({{1, 0.875, 0}}));                     // runs of eight
  EXPECT_FALSE(HotAddresses::fit({{1, 0.875, 0}, {2, 0.01, 0}}));
  EXPECT_FALSE(HotAddresses::fit({{2, 1, 0}}));                         // two in turn
  EXPECT_FALSE(HotAddresses::fit({{3, 0.5, 0}, {4, 0.5, 0}}));
}

TEST(HotAddresses, ADrawIsAsFarBackAsTheStoresSinceTheLast) {
  auto hot = HotAddresses::fit(shown(1, 0.9, 3, 2));  // stores per round: before, to the address, after
  ASSERT_TRUE(hot);
  EXPECT_EQ(hot->draw(0.1, 30), 0);
  EXPECT_EQ(hot->draw(0.1, 33), 2);
  EXPECT_EQ(hot->draw(0.1, 39), 5);
}

}  // namespace
}  // namespace perfcast::engine
