#include "methods/choose/choose.h"

#include <gtest/gtest.h>

namespace perfcast::choose {
namespace {

ModelPrediction answer(const std::string& machine, double seconds, Model model = Model::icc) {
  ModelPrediction p;
  p.model = model, p.machine = machine, p.seconds = seconds, p.interval = {0.9 * seconds, 1.1 * seconds};
  p.parts = {{"ports", 0.75 * seconds, {}, {}}, {"memory", 0.25 * seconds, {}, {}}};
  return p;
}
Prediction program(const std::string& name, std::vector<ModelPrediction> answers) {
  Prediction p;
  p.program = name, p.predictions = std::move(answers);
  return p;
}
const std::vector<std::string> machines = {"old", "new", "huge"};
std::vector<Prediction> two_programs() {
  return {program("a", {answer("old", 100), answer("new", 50), answer("huge", 20)}),
          program("b", {answer("old", 100), answer("new", 70), answer("huge", 30)})};
}

}  // namespace

TEST(Choose, FastestCheapestAndBestValue) {
  ChooseOptions options;
  options.price_per_hour = {{"old", 36}, {"new", 72}, {"huge", 360}};
  Choice choice = choose(two_programs(), machines, options);
  ASSERT_EQ(choice.offers.size(), 3u);
  EXPECT_EQ(choice.offers[0].machine, "huge");
  EXPECT_DOUBLE_EQ(choice.offers[0].seconds, 50);
  EXPECT_DOUBLE_EQ(*choice.offers[0].cost, 5);
  EXPECT_DOUBLE_EQ((*choice.offers[0].cost_interval)[1], 5.5);
  EXPECT_EQ(choice.fastest, "huge");
  EXPECT_EQ(choice.cheapest, "old");      // 200 s at a cent
  EXPECT_EQ(choice.best_value, "huge");   // 1/(50*5) > 1/(120*2.4) > 1/(200*2)
  EXPECT_DOUBLE_EQ(*choice.offers[1].value, 250.0 / 288);
  EXPECT_DOUBLE_EQ(choice.offers[1].programs[0].gain, 2);
  EXPECT_EQ(choice.offers[1].programs[0].mostly, "ports");
}

TEST(Choose, WhatCostsNothingGivesMostForTheMoney) {
  ChooseOptions options;
  options.price_per_hour = {{"old", 0}, {"new", 0}, {"huge", 360}};
  Choice choice = choose(two_programs(), machines, options);
  EXPECT_EQ(choice.fastest, "huge");
  EXPECT_EQ(choice.cheapest, "new");
  EXPECT_EQ(choice.best_value, "new");  // the faster one of the two
}

TEST(Choose, ADeadlineRulesOut) {
  ChooseOptions options;
  options.price_per_hour = {{"old", 36}, {"new", 72}, {"huge", 360}};
  options.deadline_seconds = 125;
  Choice choice = choose(two_programs(), machines, options);
  EXPECT_EQ(choice.cheapest, "new");
  EXPECT_EQ(choice.offers[0].deadline, Deadline::met);
  EXPECT_EQ(choice.offers[1].deadline, Deadline::likely);
  EXPECT_EQ(choice.offers[2].deadline, Deadline::missed);
  options.deadline_seconds = 1;
  choice = choose(two_programs(), machines, options);
  EXPECT_EQ(choice.fastest, "");
  EXPECT_EQ(choice.remarks, std::vector<std::string>{"no machine is likely to meet the deadline"});
}

TEST(Choose, AMachineThatCannotAnswerForAllIsNoChoice) {
  std::vector<Prediction> programs = {program("a", {answer("old", 10), answer("new", 5)}), program("b", {answer("old", 10)})};
  Choice choice = choose(programs, std::vector<std::string>{"old", "new"});
  EXPECT_EQ(choice.fastest, "old");
  EXPECT_FALSE(choice.offers[1].complete);
  EXPECT_EQ(choice.offers[1].remarks, std::vector<std::string>{"no model answers for b"});
  EXPECT_EQ(choice.cheapest, "");
}

TEST(Choose, TheMostDetailedModelCounts) {
  std::vector<Prediction> programs = {program("a", {answer("old", 9, Model::icc), answer("old", 3, Model::poc)})};
  EXPECT_DOUBLE_EQ(choose(programs, std::vector<std::string>{"old"}).offers[0].seconds, 9);
}

}  // namespace perfcast::choose
