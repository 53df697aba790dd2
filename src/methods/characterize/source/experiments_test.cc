#include "methods/characterize/source/experiments.h"

#include <gtest/gtest.h>

#include <set>

#include "base/files.h"
#include "methods/characterize/source/generate.h"
#include "record/operations.h"

namespace perfcast::characterize {
namespace {

ExperimentSet shipped(const std::string& language, bool with_checks = false) {
  std::string path = std::string(PERFCAST_SOURCE_DIR) + "/data/experiments/" + (language == "fortran" ? "fortran" : "c") + ".experiments";
  auto text = read_file(path);
  EXPECT_TRUE(text.has_value());
  auto set = parse_experiments(*text, path, language, with_checks);
  if (!set) ADD_FAILURE() << set.error().message();
  return set.value_or(ExperimentSet{});
}

TEST(Experiments, BlocksRepeatForTypesAndStorage) {
  auto set = parse_experiments("types RS IS\nstorage L G\nbody add x3: $d = $s + $a;\ncost A$T$G = 0.5 add - add ; note\nend\n", "t", "c");
  ASSERT_TRUE(set.has_value());
  ASSERT_EQ(set->bodies.size(), 4u);
  EXPECT_EQ(set->bodies[1].name, "add.RS.G");
  EXPECT_EQ(set->bodies[1].repetitions, 3);
  ASSERT_EQ(set->costs.size(), 4u);
  EXPECT_EQ(set->costs[2].operation, "AISL");
  EXPECT_EQ(set->costs[2].note, "note");
  ASSERT_EQ(set->costs[2].terms.size(), 2u);
  EXPECT_EQ(set->costs[2].terms[0].factor, 0.5);
  EXPECT_EQ(set->costs[2].terms[1].factor, -1);
  EXPECT_EQ(set->costs[2].terms[1].body, 2u);
}

TEST(Experiments, ErrorsNameTheLine) {
  EXPECT_EQ(parse_experiments("\ncost X = nothing\n", "t", "c").error().where, "t:2");
  EXPECT_EQ(parse_experiments("bodi a: b\n", "t", "c").error().where, "t:1");
  EXPECT_FALSE(parse_experiments("types RS\nbody a: b;\n", "t", "c").has_value());
}

TEST(Experiments, ATypeInBracesEnds) {
  EXPECT_TRUE(parse_experiments("body a: $d = $s{RD} + $;\n", "t", "c"));
  EXPECT_EQ(parse_experiments("body a: $d = $s{RD;\n", "t", "c").error().where, "t:1");
}

TEST(Experiments, NumbersThatAreNoneAreNamed) {
  for (const char* body : {"body a x0: b;\n", "body a x: b;\n", "body a x3y: b;\n", "body a x99999999999: b;\n", "body a x1001: b;\n",
                           "body a: b;\ncost X = 1e999 a\n", "body a: b;\ncost X = 2a a\n", "check a: b; == 1e999 ARSL\n"}) {
    auto set = parse_experiments(body, "t", "c", true);
    ASSERT_FALSE(set) << body;
    EXPECT_TRUE(set.error().where.starts_with("t:")) << set.error().message();
  }
}

TEST(Experiments, AChecksBodyOfAnotherLanguageLeavesItOut) {
  auto set = parse_experiments("check a c++: b; == 2 ARSL\n", "t", "c", true);
  ASSERT_TRUE(set) << set.error().message();
  EXPECT_TRUE(set->bodies.empty() && set->checks.empty());
}

TEST(Experiments, WhatIsMarkedForCxxIsLeftOutForC) {
  auto text = "body a c++: b;\ncost X = a\n";
  EXPECT_TRUE(parse_experiments(text, "t", "c")->costs.empty());
  EXPECT_EQ(parse_experiments(text, "t", "c++")->costs.size(), 1u);
}

// Every operation the vocabulary says is measured for a language has an experiment, and the other way round.
TEST(Experiments, CoverTheVocabulary) {
  for (std::string language : {"c", "c++", "fortran"}) {
    std::set<std::string> measured;
    for (const auto& cost : shipped(language).costs) {
      EXPECT_TRUE(measured.insert(cost.operation).second) << cost.operation << " is measured twice";
      EXPECT_TRUE(find_operation(cost.operation)) << cost.operation;
    }
    for (const auto& operation : source_operations()) {
      bool wanted = language == "c" ? operation.c : language == "c++" ? operation.cxx : operation.fortran;
      EXPECT_EQ(measured.contains(operation.name), wanted) << operation.name << " in " << language;
    }
  }
}

TEST(Experiments, ChecksConsistOfMeasuredOperations) {
  auto set = shipped("c", true);
  EXPECT_GE(set.checks.size(), 10u);
  for (const auto& check : set.checks)
    for (const auto& [times, operation] : check.operations) EXPECT_TRUE(find_operation(operation)) << operation;
}

TEST(Generate, StatementsFormLooseChains) {
  Body body{"add", "$d = $s + $a + $k{IS};", "RD", "G"};
  std::vector<Operand> operands;
  EXPECT_EQ(expand(body, 0, operands), "gRDx0 = gRDx2 + gRDa0 + gISk;");
  EXPECT_EQ(expand(body, 2, operands), "gRDx2 = gRDx0 + gRDa1 + gISk;");
  EXPECT_TRUE(operands[0].written);
  EXPECT_FALSE(operands[1].written);
}

TEST(Generate, LinesKnowTheirExperimentAndLeftOnesHaveNoCode) {
  auto set = shipped("c");
  std::vector<bool> left_out(set.bodies.size(), false);
  left_out[0] = true;
  auto source = generate(set, "c", left_out);
  EXPECT_EQ(source.bodies.find("body0_once"), std::string::npos);
  EXPECT_NE(source.table.find("{nothing, nothing}"), std::string::npos);
  EXPECT_EQ(std::count(source.bodies.begin(), source.bodies.end(), '\n'), static_cast<long>(source.line_of.size()));
  EXPECT_EQ(source.line_of[5], 1u);
}

}  // namespace
}  // namespace perfcast::characterize
