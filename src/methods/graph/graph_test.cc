#include "methods/graph/graph.h"

#include <gtest/gtest.h>

namespace perfcast::graph {
namespace {

const char* find_max = R"(design find_max
parameter N = 1000   # elements
parameter Pmax = 0.01
step assign: TRSL 1
loop N:
  step loop: LOOV 1
  step if: CRSL 1
  branch:
    when Pmax: step assign
)";

TEST(Design, EquationOneOfThePaper) {
  auto design = parse_design(find_max, "f");
  ASSERT_TRUE(design) << design.error().message();
  EXPECT_EQ(timing_formula(*design), "t = t(assign) + N*(t(loop) + t(if) + Pmax*t(assign))");
  EXPECT_TRUE(check(*design).empty());
}

// Table 3, the surface estimation.
TEST(Design, TableThreeOfThePaper) {
  auto design = parse_design(R"(design integration
parameter Pedge = 0.1
parameter Npower = 3
parameter Nivals = 50
branch:
  when Pedge: step edge: flops 18
  else:
    loop Npower:
      step power: MISL 1
    step vinit: flops 8
    loop Nivals:
      step srf: flops 17
    step result: flops 9
)", "f");
  ASSERT_TRUE(design) << design.error().message();
  EXPECT_EQ(timing_formula(*design),
            "t = Pedge*t(edge) + (1 - (Pedge))*(Npower*t(power) + t(vinit) + Nivals*t(srf) + t(result))");
}

TEST(Design, CountsAreNumbersAndExpressions) {
  auto design = parse_design(find_max, "f");
  ASSERT_TRUE(design);
  auto profile = profile_of(*design, {{{"N", 500}}, {}});
  ASSERT_TRUE(profile) << profile.error().message();
  const auto& blocks = profile->source->functions[0].blocks;
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(blocks[1].count.value, 500);
  EXPECT_EQ(blocks[1].count.expression, "N");
  EXPECT_EQ(blocks[3].name, "assign#2");
  EXPECT_NEAR(blocks[3].count.value, 5, 1e-12);
  EXPECT_EQ(blocks[3].usage.at("TRSL"), 1);
}

TEST(Design, AnalysedCodeStandsForAStep) {
  auto design = parse_design("design d\nstep solve from solver.profile.json function solve\n", "f");
  ASSERT_TRUE(design) << design.error().message();
  auto without = profile_of(*design);
  ASSERT_TRUE(without);
  EXPECT_EQ(without->gaps.size(), 1u);
  auto with = profile_of(*design, {{}, {{"solve", 0.25}}});
  EXPECT_EQ(with->source->functions[0].blocks[0].usage.at("seconds"), 0.25);
}

TEST(Design, PartsAndTemplates) {
  auto design = parse_design("design d\nparameter N = 4\ngraph inner:\n  step a: flops N^2\nloop 3:\n  do inner\nstep b with halo(N = N, width = 2): flops 1\n", "f");
  ASSERT_TRUE(design) << design.error().message();
  auto steps = counted_steps(*design);
  ASSERT_TRUE(steps);
  ASSERT_EQ(steps->size(), 2u);
  EXPECT_EQ((*steps)[0].count, 3);
  EXPECT_EQ((*steps)[1].step->pattern, "halo");
  EXPECT_EQ((*steps)[1].step->settings.at("width"), "2");
}

TEST(Design, MistakesAreNamedWithTheirLine) {
  auto error_of = [](const std::string& text) {
    auto design = parse_design(text, "f");
    if (!design) return design.error().message();
    auto profile = profile_of(*design);
    return profile ? std::string("no error") : profile.error().message();
  };
  EXPECT_NE(error_of("design d\nloop N:\n  step a: flops 1\n").find("f:2"), std::string::npos);
  EXPECT_NE(error_of("design d\nstep a\n").find("says nowhere what it needs"), std::string::npos);
  EXPECT_NE(error_of("design d\nloop 3:\nstep a: flops 1\n").find("nothing stands indented"), std::string::npos);
  EXPECT_NE(error_of("design d\nbranch:\n  when 2: step a: flops 1\n").find("probability 2"), std::string::npos);
  EXPECT_NE(error_of("design d\nbranch:\n  when 0.7: step a: flops 1\n  when 0.6: step b: flops 1\n").find("add up to 1.3"), std::string::npos);
  EXPECT_NE(error_of("design d\nstep a: flops (1\n").find("f:2"), std::string::npos);
  EXPECT_NE(error_of("design d\ngraph a:\n  do a\ndo a\n").find("circle"), std::string::npos);
  EXPECT_NE(error_of("design d\nfrobnicate\n").find("expected step"), std::string::npos);
  EXPECT_NE(error_of("").find("empty"), std::string::npos);
}

// A graph used twice stands in its lines once: no time is shown twice.
TEST(Design, RegionsDoNotOverlap) {
  auto design = parse_design("design d\ngraph g:\n  step a: seconds 1\n  step b: seconds 2\ndo g\nloop 3:\n  do g\nstep a\n", "f");
  ASSERT_TRUE(design) << design.error().message();
  auto profile = profile_of(*design);
  ASSERT_TRUE(profile) << profile.error().message();
  EXPECT_EQ(profile->source->functions[0].blocks.size(), 5u);
  ASSERT_EQ(profile->regions.size(), 3u);
  EXPECT_EQ(profile->regions[0].name, "a");
  EXPECT_EQ(profile->regions[2].first_line, 8);
}

// What is given by other parameters follows what these are set to, unless it is set itself.
TEST(Design, ParametersOfParameters) {
  auto design = parse_design("design d\nparameter N = 3\nparameter M = 2*N\nstep a: seconds M\n", "f");
  ASSERT_TRUE(design) << design.error().message();
  auto needed = [&](const std::map<std::string, double>& set) { return profile_of(*design, {set, {}})->source->functions[0].blocks[0].usage.at("seconds"); };
  EXPECT_EQ(needed({}), 6);
  EXPECT_EQ(needed({{"N", 10}}), 20);
  EXPECT_EQ(needed({{"N", 10}, {"M", 7}}), 7);
  auto late = parse_design("design d\nparameter M = 2*N\nparameter N = 3\nstep a: seconds M\n", "f");
  ASSERT_FALSE(late);
  EXPECT_NE(late.error().message().find("f:2"), std::string::npos);
}

TEST(Design, DoubtsAreTold) {
  auto design = parse_design("design d\nstep a: florps 3\nbranch:\n  when 0.7: step a\n  when 0.6: step a\n", "f");
  ASSERT_TRUE(design) << design.error().message();
  EXPECT_EQ(check(*design).size(), 2u);
}

TEST(Design, DrawingsNameEverything) {
  auto design = parse_design(find_max, "f");
  ASSERT_TRUE(design);
  const std::string text = draw_text(*design), dot = draw_dot(*design);
  for (const char* word : {"assign", "N", "Pmax", "LOOV"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word;
    EXPECT_NE(dot.find(word), std::string::npos) << word;
  }
  EXPECT_EQ(dot.substr(0, 7), "digraph");
}

TEST(Design, ALoopNestIsReadOffAProfile) {
  Profile profile;
  Function f;
  f.name = "main", f.calls.value = 1;
  f.loops = {{{"a.c", 2, 0}, 1, {}, {1, "", {}}, {100, "", {}}, {}, false}};
  auto block = [](std::string name, double count, std::optional<int> loop, int line) {
    Block b;
    b.name = std::move(name), b.count.value = count, b.loop = loop, b.at = {"a.c", line, 0}, b.usage["ARDL"] = 1;
    return b;
  };
  f.blocks = {block("entry", 1, {}, 1), block("body", 100, 0, 3), block("rare", 25, 0, 4)};
  profile.source.emplace().functions.push_back(f);
  auto design = design_of(profile, "source", "main");
  ASSERT_TRUE(design);
  EXPECT_EQ(timing_formula(*design), "t = t(line1) + 100*(t(line3) + 0.25*t(line4))");
}

TEST(Design, WhatSaysNothingIsRefused) {
  EXPECT_NE(parse_design("design a\n", "a.design").error().what.find("does nothing"), std::string::npos);
  EXPECT_NE(parse_design("design a\nstep s: 100\n", "a.design").error().what.find("flops 100"), std::string::npos);
}

TEST(Design, NamesAreGivenOnce) {
  auto twice = parse_design("design a\nparameter N = 1\nparameter N = 2\nstep s: seconds N\n", "a.design");
  ASSERT_FALSE(twice);
  EXPECT_NE(twice.error().message().find("N is given twice"), std::string::npos);
  EXPECT_FALSE(parse_design("design a\ndesign b\nstep s: seconds 1\n", "a.design"));
}

}  // namespace
}  // namespace perfcast::graph
