#include "methods/tree/skeleton.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "methods/tree/build.h"

namespace perfcast::tree {

TEST(Skeleton, PatternsAndStars) {
  std::string star;
  EXPECT_TRUE(fits("*/level:*", "scalar/level:L2", &star));
  EXPECT_EQ(star, "L2");
  EXPECT_TRUE(fits("mode:*", "mode:16", &star));
  EXPECT_EQ(star, "16");
  EXPECT_TRUE(fits("*/*:front end", "scalar/load:front end"));
  EXPECT_FALSE(fits("*/load:ports", "scalar/load:window"));
  EXPECT_FALSE(fits("start", "starting"));
}

TEST(Skeleton, BundledOnesAreReadAndUnknownOnesRefused) {
  for (const char* name : {"core", "source", "vector-pipeline", "parallel", "message-passing", "hypercube"})
    EXPECT_TRUE(find_skeleton(name)) << name << ": " << find_skeleton(name).error().message();
  EXPECT_FALSE(find_skeleton("no-such"));
}

TEST(Skeleton, ManyStarsEnd) {
  std::string star;
  EXPECT_FALSE(fits(std::string(36, '*') + "z", "scalar/integer:dependences"));
  EXPECT_TRUE(fits("a**b*c", "axxbyyc", &star));
  EXPECT_EQ(star, "yy");
  EXPECT_FALSE(fits("ab*bc", "abc"));
}

TEST(Skeleton, MisdrawnOnesAreRefused) {
  const std::string path = testing::TempDir() + "misdrawn.skeleton.json";
  auto read = [&](const std::string& rest) {
    EXPECT_TRUE(write_file(path, R"({"format": "perfcast.tree-skeleton", "version": 1, "name": "a", )" + rest + "}"));
    return find_skeleton(path);
  };
  EXPECT_TRUE(read(R"("root": {"name": "p", "children": [{"name": "*", "takes": ["*/level:*"], "change": "level:*"}]})"));
  for (const char* wrong : {
           R"("root": {"name": "*", "takes": ["*/*"]})",
           R"("root": {"name": "p", "childs": []})",
           R"("root": {"name": "p", "children": [{"name": "x", "take": ["*"]}]})",
           R"("root": {"name": "p", "children": [{"name": "x", "change": "bogus"}]})",
           R"("root": {"name": "p", "children": [{"name": "x"}, {"name": "x"}]})",
           R"("root": {"name": "p", "children": [{"name": "a/b"}]})",
           R"("root": {"name": "p", "children": [{"name": "*"}]})",
           R"("root": {"name": "p"}, "changes": [{"name": "turbo", "change": "bogus"}])",
       })
    EXPECT_FALSE(read(wrong)) << wrong;
}

// What a * stands for below a node named so is what it stands for there; patterns of all kinds name such nodes.
TEST(Skeleton, AStarMeansTheSameBelow) {
  Skeleton skeleton;
  skeleton.root = {"program", "", {}, "", {{"*", "", {"level:*", "dependent:*"}, "level:*", {{"latency", "from *", {"dependent:*"}, "latency:*", {}}}}}};
  Observed observed;
  observed.all = {{"level:L2", 1, 1}, {"dependent:DRAM", 1, 1}};
  const Skeleton expanded = expand(skeleton, observed);
  ASSERT_EQ(expanded.root.children.size(), 2u);
  const SkeletonNode& dram = expanded.root.children[1];
  EXPECT_EQ(dram.name, "DRAM");
  EXPECT_EQ(dram.children.at(0).name, "latency");
  EXPECT_EQ(dram.children.at(0).meaning, "from DRAM");
  EXPECT_EQ(dram.children.at(0).change, "latency:DRAM");
  EXPECT_EQ(dram.children.at(0).takes, std::vector<std::string>{"dependent:DRAM"});
}

}  // namespace perfcast::tree
