#include "methods/scale/data_size.h"

#include <gtest/gtest.h>

#include "expr/print.h"

namespace perfcast::scale {
namespace {

DataSize size_of(const std::string& touched, const Setting& recorded) {
  Profile profile;
  profile.run.parameters = recorded;
  profile.scaling.emplace().page_faults = touched;
  return data_size(profile);
}

TEST(DataSize, StepsHaveNoneOfTheWeight) {
  const DataSize size = size_of("12 + N^2/512", {{"N", 100}, {"S", 20}});
  EXPECT_DOUBLE_EQ(size.factor({{"N", 800}, {"S", 200}}), 8);
  EXPECT_DOUBLE_EQ(size.factor({{"S", 200}}), 1);
  EXPECT_EQ(expr::text(size.expression()), "N");
}

TEST(DataSize, SidesShareIt) {
  const DataSize size = size_of("5 + N*M/64", {{"M", 50}, {"N", 100}});
  EXPECT_DOUBLE_EQ(size.factor({{"N", 400}}), 2);
  EXPECT_DOUBLE_EQ(size.factor({{"N", 400}, {"M", 200}}), 4);
  const DataSize cubes = size_of("5 + N*M^3", {{"M", 50}, {"N", 100}});
  EXPECT_DOUBLE_EQ(cubes.factor({{"N", 1600}}), 2);
}

TEST(DataSize, WhereNothingIsKnownAllAreAlike) {
  EXPECT_DOUBLE_EQ(size_of("40", {{"M", 50}, {"N", 100}}).factor({{"N", 400}}), 2);
  EXPECT_DOUBLE_EQ(size_of("", {{"N", 100}}).factor({{"N", 400}}), 4);
  EXPECT_EQ(expr::text(size_of("40", {}).expression()), "1");
}

}  // namespace
}  // namespace perfcast::scale
