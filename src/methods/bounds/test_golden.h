// For the tests of this room: profiles made by hand, of its golden cases.
#pragma once

#include <gtest/gtest.h>

#include "record/profile.h"

namespace perfcast::bounds {

inline Profile golden(const std::string& name) {
  auto profile = read_record<Profile>(std::string(PERFCAST_SOURCE_DIR) + "/tests/golden/bounds/" + name + "/" + name + ".profile.json");
  EXPECT_TRUE(profile) << profile.error().message();
  return *profile;
}

}  // namespace perfcast::bounds
