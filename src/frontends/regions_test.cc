#include "frontends/regions.h"

#include <gtest/gtest.h>

namespace perfcast {
namespace {

TEST(Regions, CommentsOfEveryLanguageNestAndClose) {
  std::vector<Region> regions;
  std::vector<Gap> gaps;
  find_regions("a", "x = 1\n! perfcast: region outer\nC perfcast: region inner\n  // perfcast: end\n\t/* perfcast: end */\n",
               regions, gaps);
  ASSERT_EQ(regions.size(), 2u);
  EXPECT_EQ(regions[0], (Region{"outer", "a", 2, 5}));
  EXPECT_EQ(regions[1], (Region{"inner", "a", 3, 4}));
  EXPECT_TRUE(gaps.empty());
}

TEST(Regions, TalkAboutRegionsIsNone) {
  std::vector<Region> regions;
  std::vector<Gap> gaps;
  find_regions("a", "// a comment `perfcast: region NAME` names one\nputs(\"perfcast: region x\");\n", regions, gaps);
  EXPECT_TRUE(regions.empty());
  EXPECT_TRUE(gaps.empty());
}

TEST(Regions, WhatDoesNotMatchIsAGap) {
  std::vector<Region> regions;
  std::vector<Gap> gaps;
  find_regions("a", "// perfcast: end\n// perfcast: region open\nx\n", regions, gaps);
  ASSERT_EQ(regions.size(), 1u);
  EXPECT_GE(regions[0].last_line, 3);
  EXPECT_EQ(gaps.size(), 2u);
}

}  // namespace
}  // namespace perfcast
