#include "base/steal.h"

#include <gtest/gtest.h>

namespace perfcast {

TEST(Steal, OfACoreAndOfAllCores) {
  const std::string stat = "cpu  10 20 30 40 50 0 7 300 0 0\ncpu0 5 10 15 20 25 0 3 100 0 0\ncpu1 5 10 15 20 25 0 4 200 0 0\nintr 99\n";
  EXPECT_EQ(stolen_in(stat, {}, 100)->value, 3);
  EXPECT_EQ(stolen_in(stat, 0, 100)->value, 1);
  EXPECT_EQ(stolen_in(stat, 1, 1000)->value, 0.2);
}

TEST(Steal, UnknownWhereItIsNotTold) {
  EXPECT_FALSE(stolen_in("", {}, 100));
  EXPECT_FALSE(stolen_in("cpu 1 2 3 4\n", {}, 100));  // kernels before 2.6.11
  EXPECT_FALSE(stolen_in("cpu0 1 2 3 4 5 6 7 8\n", 7, 100));
}

TEST(Steal, NeverGoesBack) {
  const double before = stolen_seconds({}).value;
  EXPECT_GE(before, 0);
  EXPECT_GE(stolen_seconds({}).value, before);
}

}  // namespace perfcast
