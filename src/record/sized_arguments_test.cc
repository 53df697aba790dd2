#include "record/sized_arguments.h"

#include <gtest/gtest.h>

namespace perfcast {
namespace {

TEST(SizedArguments, ANumberOrTheEndOfAnOption) {
  const std::vector<std::string> arguments{"500", "--steps=20", "-n64", "0.5", "SIZE=1e3"};
  const std::map<std::string, int> all{{"N", 1}, {"S", 2}, {"M", 3}, {"H", 4}, {"L", 5}};
  auto values = parameter_values(arguments, all);
  ASSERT_TRUE(values) << values.error().message();
  EXPECT_EQ(*values, (std::map<std::string, double>{{"N", 500}, {"S", 20}, {"M", 64}, {"H", 0.5}, {"L", 1000}}));
  EXPECT_EQ(arguments_at(arguments, all, {{"N", 7}, {"S", 8}, {"M", 9}, {"H", 0.25}, {"L", 10}}), (std::vector<std::string>{"7", "--steps=8", "-n9", "0.25", "SIZE=10"}));
  EXPECT_EQ(arguments_at(arguments, all, {{"M", 1e10}})[2], "-n10000000000");
}

TEST(SizedArguments, WhatIsNoSizeIsTold) {
  for (const char* wrong : {"size.txt", "run12", "-v", "--verbose", "-n", "128x128", "nan", "inf", "0", "-5", "", "N="}) {
    auto values = parameter_values({wrong}, {{"N", 1}});
    ASSERT_FALSE(values) << wrong;
    EXPECT_EQ(values.error().kind, Trouble::usage) << wrong;
  }
  EXPECT_NE(parameter_values({"size.txt"}, {{"N", 1}}).error().message().find("environment"), std::string::npos);
  EXPECT_FALSE(parameter_values({"5"}, {{"N", 2}}));
  EXPECT_FALSE(parameter_values({}, {{"N", 1}}));
}

}  // namespace
}  // namespace perfcast
