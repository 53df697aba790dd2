#include "methods/choose/gains.h"

#include <gtest/gtest.h>

namespace perfcast::choose {
namespace {

ModelPrediction answer(const std::string& machine, double ports, double memory, Model model = Model::icc) {
  ModelPrediction p;
  p.model = model, p.machine = machine, p.seconds = ports + memory;
  p.parts = {{"ports", ports, {}, {}}, {"memory: DRAM", memory, {}, {}}};
  return p;
}
Prediction predicted(const std::string& name, std::vector<ModelPrediction> answers) {
  Prediction p;
  p.program = name, p.predictions = std::move(answers);
  return p;
}
const std::vector<std::string> old_and_new = {"old", "new"};

}  // namespace

TEST(Gains, WhatGainsMostComesFirstWithItsReason) {
  std::vector<Prediction> programs = {predicted("core", {answer("old", 8, 2), answer("new", 7, 1)}),
                                      predicted("memory", {answer("old", 2, 8), answer("new", 2, 2)})};
  auto gains = compare_programs(programs, old_and_new);
  ASSERT_EQ(gains.size(), 2u);
  EXPECT_EQ(gains[0].program, "memory");
  EXPECT_DOUBLE_EQ(gains[0].gain["new"], 2.5);
  EXPECT_EQ(gains[0].mostly["new"], "memory: DRAM");
  EXPECT_DOUBLE_EQ(gains[0].mostly_seconds["new"], 6);
  EXPECT_DOUBLE_EQ(gains[0].shares["old"]["memory: DRAM"], 0.8);
  EXPECT_DOUBLE_EQ(gains[0].shares["new"]["memory: DRAM"], 0.5);
}

TEST(Gains, OtherModelsHaveOtherResources) {
  std::vector<Prediction> programs = {predicted("a", {answer("old", 1, 1), answer("new", 1, 0, Model::intcc)})};
  auto gains = compare_programs(programs, old_and_new);
  EXPECT_DOUBLE_EQ(gains[0].gain["new"], 2);
  EXPECT_TRUE(gains[0].mostly.empty());
}

TEST(Gains, NoAnswerIsNoGain) {
  std::vector<Prediction> programs = {predicted("a", {answer("new", 1, 1)}), predicted("b", {answer("old", 2, 0), answer("new", 1, 0)})};
  auto gains = compare_programs(programs, old_and_new);
  EXPECT_EQ(gains[0].program, "b");
  EXPECT_TRUE(gains[1].gain.empty());
}

}  // namespace perfcast::choose
