#include "frontends/memory_profile/observed.h"

#include <gtest/gtest.h>
#include <memory_profile_layout.h>

#include <memory>

#include "frontends/memory_profile/estimate.h"

namespace perfcast::memory_profile {
namespace {

int bin_at(double distance) {
  int bin = 0;
  while (distance_of_bin(bin) < distance) bin++;
  return bin;
}

// Half of the touches are far, as bursts saw that left out pages; of those `streams` looked like streams, `exact` while nothing was left out.
Access half_far(float streams, float exact, std::uint64_t exact_touches, AddressKind kind = AddressKind::regular, float settled = 1) {
  auto data = std::make_unique<perfcast_access_data>();
  data->touches = 100000;
  const int close = bin_at(3), far = bin_at(200000);
  data->lines[close].seen[0] = 1000, data->lines[far].seen[2] = 500, data->lines[close].seen[2] = 500;
  data->lines[far].censored[0] = 1000;
  data->all_seen[far] = 500, data->near_seen[far] = 500 * streams;
  data->all_exact = 1000, data->near_exact = 1000 * exact, data->exact_touches = exact_touches;
  data->settled = 1000 * settled, data->unsettled = 1000 * (1 - settled);
  Access access;
  access.kind = kind;
  describe_access(*data, false, access);
  return access;
}

double near_of_far(const Access& access) {
  for (const DistanceBin& bin : access.lines)
    if (bin.distance > 100000) return bin.near;
  return -1;
}

TEST(Observed, WhetherFarLinesAreStreamsIsToldWhereNoPageIsLeftOut) {
  EXPECT_NEAR(near_of_far(half_far(0.6F, 1.0F, 1000)), 1.0, 1e-6);
  EXPECT_NEAR(near_of_far(half_far(0.6F, 0.9F, 1000)), 0.9, 1e-6);
  EXPECT_NEAR(near_of_far(half_far(0.6F, 0.3F, 1000)), 0.3, 1e-6);
  EXPECT_NEAR(near_of_far(half_far(0.6F, 1.0F, 10)), 0.6, 1e-6);  // too few to tell
}

TEST(Observed, WhoWaitsForEachLineIsFetchedAheadForInLongRunsOnly) {
  EXPECT_NEAR(near_of_far(half_far(0.9F, 0.9F, 1000, AddressKind::regular, 0.5F)), 0.9, 1e-6);
  EXPECT_NEAR(near_of_far(half_far(0.9F, 0.9F, 1000, AddressKind::chase, 0.5F)), 0.9 * 0.7, 1e-6);
  EXPECT_NEAR(near_of_far(half_far(0.9F, 0.9F, 1000, AddressKind::dependent, 1)), 0.9, 1e-6);
}

}  // namespace
}  // namespace perfcast::memory_profile
