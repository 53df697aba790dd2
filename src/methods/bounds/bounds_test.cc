#include "methods/bounds/bounds.h"

#include <gtest/gtest.h>

namespace perfcast::bounds {
namespace {

TEST(LoopNames, AreAFunctionALineOrBoth) {
  EXPECT_EQ(loop_name("sweep:12")->function, "sweep");
  EXPECT_EQ(loop_name("sweep:12")->line, 12);
  EXPECT_EQ(loop_name("12")->line, 12);
  EXPECT_EQ(loop_name("sweep")->function, "sweep");
  EXPECT_FALSE(loop_name("sweep:x"));
}

}  // namespace
}  // namespace perfcast::bounds
