#include "report/call_tree.h"

#include <gtest/gtest.h>

namespace perfcast::report {
namespace {

// A function of one block, executed `times`, that calls others once per execution.
Function function(const std::string& name, double times, const std::vector<Call>& calls) {
  Block block;
  block.name = "b", block.count.value = times, block.calls = calls;
  Function f;
  f.name = name, f.calls.value = times, f.blocks = {block};
  return f;
}

ModelPrediction predicted(std::vector<Part> functions, double outside = 0) {
  ModelPrediction p;
  p.model = Model::icc;
  for (const Part& part : functions) p.seconds += part.seconds;
  p.seconds += outside;
  if (outside > 0) p.parts = {{"start", outside, {}, {}}};
  p.views["function"] = std::move(functions);
  return p;
}

double sum_of_selves(const Frame& frame) {
  double sum = frame.self;
  for (const Frame& child : frame.children) sum += sum_of_selves(child);
  return sum;
}

TEST(CallTree, TimeIsDividedByTheNumberOfCalls) {
  Profile profile;
  profile.program = "p";
  profile.machine = Graph{{function("main", 1, {{"a", 1}, {"b", 3}}), function("a", 1, {{"work", 1}}), function("b", 3, {{"work", 1}}),
                           function("work", 4, {})}};
  Frame root = call_tree(profile, predicted({{"main", 1, {}, {}}, {"a", 1, {}, {}}, {"b", 1, {}, {}}, {"work", 8, {}, {}}}, 0.5));
  EXPECT_EQ(collapsed_stacks(root),
            "p;main 1000000000\np;main;b 1000000000\np;main;b;work 6000000000\np;main;a 1000000000\np;main;a;work 2000000000\n"
            "p;[start] 500000000\n");
  EXPECT_NEAR(sum_of_selves(root), 11.5, 1e-12);
}

TEST(CallTree, RecursionEndsAndNothingIsLost) {
  Profile profile;
  profile.machine = Graph{{function("even", 5, {{"odd", 1}}), function("main", 1, {{"even", 1}}), function("odd", 5, {{"even", 0.8}, {"odd", 1}})}};
  Frame root = call_tree(profile, predicted({{"even", 2, {}, {}}, {"odd", 3, {}, {}}, {"main", 1, {}, {}}}));
  EXPECT_NEAR(sum_of_selves(root), 6, 1e-12);
  ASSERT_EQ(root.children.size(), 1u);
  EXPECT_EQ(root.children[0].name, "main");
}

TEST(CallTree, CallsThroughPointersGoToFunctionsNobodyNames) {
  Profile profile;
  profile.machine = Graph{{function("main", 1, {{"sort", 1}}), function("sort", 1, {{"*", 100}}), function("compare", 100, {})}};
  Frame root = call_tree(profile, predicted({{"main", 1, {}, {}}, {"sort", 1, {}, {}}, {"compare", 4, {}, {}}}));
  ASSERT_EQ(root.children.size(), 1u);
  EXPECT_EQ(root.children[0].children[0].children[0].name, "compare");
}

TEST(CallTree, WhatTheSystemStartsIsNobodysCallee) {
  Profile profile;
  profile.program = "p";
  Function loader = function("_dl_start", 1, {}), compare = function("virtual_one", 5, {});
  loader.library = true;
  profile.machine = Graph{{function("main", 1, {{"*", 5}}), loader, compare}};
  Frame root = call_tree(profile, predicted({{"main", 1, {}, {}}, {"_dl_start", 2, {}, {}}, {"virtual_one", 3, {}, {}}}));
  EXPECT_EQ(collapsed_stacks(root), "p;main 1000000000\np;main;virtual_one 3000000000\np;_dl_start 2000000000\n");
}

TEST(CallTree, SmallFramesCountToTheirCaller) {
  Profile profile;
  profile.machine = Graph{{function("main", 1, {{"tiny", 1}}), function("tiny", 1, {})}};
  Frame root = call_tree(profile, predicted({{"main", 10, {}, {}}, {"tiny", 1e-6, {}, {}}}));
  EXPECT_TRUE(root.children[0].children.empty());
  EXPECT_NEAR(sum_of_selves(root), 10 + 1e-6, 1e-12);
}

TEST(CallTree, WithoutFunctionsThereIsOneFrame) {
  ModelPrediction p;
  p.seconds = 2;
  Profile profile;
  profile.program = "a;b";
  EXPECT_EQ(collapsed_stacks(call_tree(profile, p)), "a:b 2000000000\n");
}

}  // namespace
}  // namespace perfcast::report
