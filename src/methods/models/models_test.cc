#include "methods/models/models.h"

#include <gtest/gtest.h>

namespace perfcast::models {
namespace {

Machine full_machine() {
  Machine m;
  m.name = "m", m.isa = "x86_64";
  m.source.push_back({"c", "clang-19", "-O0", {{"ARDL", {}}}});
  m.core.emplace();
  m.mflops.emplace();
  return m;
}

TEST(Models, TableTwoOfThePaper) {
  const auto& facts = classification();
  ASSERT_EQ(facts.size(), 6u);
  EXPECT_FALSE(facts[0].code);
  EXPECT_EQ(facts[2].portability, 3);
  EXPECT_TRUE(facts[4].compiler && !facts[4].system);
  EXPECT_TRUE(facts[5].system && !facts[5].portability);
}

TEST(Models, NothingIsJudgedWithoutAProgram) {
  auto o = overview();
  EXPECT_FALSE(o.best);
  for (const auto& s : o.models) EXPECT_FALSE(s.usable);
}

TEST(Models, TheMostDetailedThatCanPredictIsChosen) {
  Machine machine = full_machine();
  ModelsOptions options;
  options.have = {true, false, true, false, true, true, nullptr, &machine};
  EXPECT_EQ(overview(options).best, Model::icc);
  options.have.compiler = false;
  EXPECT_EQ(overview(options).best, Model::hllc);
  machine.source.clear();
  EXPECT_EQ(overview(options).best, Model::poc);
  options.have = {true, true, false, false, true, true, nullptr, &machine};
  EXPECT_EQ(overview(options).best, Model::dbc);
}

// Code that stands for steps of a design is costed by any model; the design itself cannot be timed.
TEST(Models, ADesignWithCode) {
  Machine machine = full_machine();
  Profile code;
  code.source.emplace(), code.ir.emplace(), code.machine.emplace();
  ModelsOptions options;
  options.have = {true, true, false, false, true, true, &code, &machine, true};
  for (const auto& model : overview(options).models) EXPECT_EQ(model.usable, model.facts.model != Model::ct) << word_of(model.facts.model);
}

TEST(Models, CodeOfAnotherInstructionSetIsNoHelp) {
  Machine machine = full_machine();
  Profile profile;
  profile.source.emplace(), profile.ir.emplace(), profile.machine.emplace();
  profile.run.isa = "aarch64";
  ModelsOptions options;
  options.have = {true, false, false, false, true, false, &profile, &machine};
  auto o = overview(options);
  EXPECT_EQ(o.best, Model::intcc);
  EXPECT_NE(o.why.find("--target x86_64-linux-gnu"), std::string::npos);
}

}  // namespace
}  // namespace perfcast::models
