#include <gtest/gtest.h>

#include "record/foresight.h"
#include "record/library.h"
#include "record/prediction.h"
#include "record/record_file.h"
#include "record/validation.h"

namespace perfcast {
namespace {

Profile small_profile() {
  Profile p;
  p.program = "tiny";
  Function f;
  f.name = "main";
  Block a, b;
  a.name = "entry", a.count = {1, "", Certainty::counted}, a.usage = {{"ARSL", 2}}, a.next = {{1, {1, "", {}}}};
  b.name = "loop", b.count = {100, "N^2", Certainty::interpolated}, b.usage = {{"ARSL", 1}, {"MRSL", 3}}, b.loop = 0;
  Instruction i;
  i.form = 0, i.text = "add", i.defs = {{3, 0, false}}, i.uses = {{3, 0, false}, {4, 1, true}}, i.immediate = -5;
  b.code = {i}, b.mispredicted = {10, 25, 5}, b.mispredicted_calls = {3, 4, 3};
  f.blocks = {a, b};
  f.loops = {Loop{{"t.c", 3, 1}, 1, {}, {1, "", {}}, {100, "", {}}, {{"fadd.f64", 1}}, false}};
  p.source = Graph{{f}};
  p.forms.resize(1), p.forms[0].opcode = "ADD64rr";
  p.gaps = {{"asm", {"t.c", 9, 2}, 3}};
  return p;
}

TEST(Records, SectionsMeasuredAgainLeaveTheOthersAlone) {
  auto number = [](double value) {
    Measurement m;
    m.value = value;
    return m;
  };
  Machine known, again;
  known.name = again.name = "m";
  known.mflops = number(100), known.core.emplace(), known.core->clock_ghz = number(4);
  known.system.emplace(), known.system->page_fault_ns = number(500), known.system->routines["sin"] = number(9);
  again.memory.emplace(), again.memory->line_bytes = 128;
  again.system.emplace(), again.system->core_sharing = number(0.2);
  again.gaps = {{"interrupted", {}, 0}};
  const Machine both = refreshed(known, again);
  EXPECT_EQ(both.mflops, known.mflops);
  EXPECT_EQ(both.core, known.core);
  EXPECT_EQ(both.memory, again.memory);
  EXPECT_EQ(both.system->page_fault_ns, known.system->page_fault_ns);
  EXPECT_EQ(both.system->routines, known.system->routines);
  EXPECT_EQ(both.system->core_sharing, again.system->core_sharing);
  EXPECT_EQ(both.gaps.size(), 1u);
}

}  // namespace

TEST(Records, WriteThenReadIsIdentity) {
  Profile p = small_profile();
  auto json = parse_json(record_text(p), "text");
  ASSERT_TRUE(json);
  auto back = record_from_json<Profile>(*json, "text");
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(*back, p);
}

TEST(Records, ACoreMispredictsAsOftenAsItsPredictorIsLarge) {
  const Mispredictions mispredicted{100, 300, 10};
  BranchCosts core;
  auto on = [&](double period) { return core.learned_period = Measurement{period}, mispredicted_on(core, mispredicted); };
  EXPECT_DOUBLE_EQ(mispredicted_on(core, mispredicted), 100);
  EXPECT_DOUBLE_EQ(on(20000), 100);
  EXPECT_DOUBLE_EQ(on(500), 300);
  EXPECT_GT(on(1600), on(6000));
  EXPECT_GT(on(6000), 100);
  // Of the targets of jumps cores learn less.
  auto jumps_on = [&](double period) { return core.learned_targets = Measurement{period}, jumps_mispredicted_on(core, mispredicted); };
  EXPECT_DOUBLE_EQ(jumps_on(4000), 100);
  EXPECT_DOUBLE_EQ(jumps_on(400), 300);
}

// One that learns much more of many branches than of one remembers the way.
TEST(Records, ACoreThatRemembersTheWayIsKnownByManyBranches) {
  const Mispredictions mispredicted{100, 300, 10};
  BranchCosts core;
  core.learned_period = Measurement{4500}, core.learned_targets = Measurement{1300};
  auto on = [&](double branches) { return core.learned_branches = Measurement{branches}, mispredicted_on(core, mispredicted); };
  EXPECT_GT(on(4700), 100);
  EXPECT_LT(on(8000), on(4700));
  EXPECT_DOUBLE_EQ(on(12000), 10);
  // So does one with less room, which misses a little more: what counts is how many more it learns of many than of one.
  core.learned_period = Measurement{1600};
  EXPECT_GT(on(6500), 10);
  EXPECT_LT(on(6500), 100);
  core.learned_period = Measurement{4500}, core.learned_branches = Measurement{12000};
  const double jumps = jumps_mispredicted_on(core, mispredicted);
  core.learned_branches.reset();
  EXPECT_DOUBLE_EQ(jumps, (10 + jumps_mispredicted_on(core, mispredicted)) / 2);
}

TEST(Records, UsageIsCountTimesVector) {
  Profile p = small_profile();
  EXPECT_EQ(dynamic_usage(*p.source), (std::map<std::string, double>{{"ARSL", 102}, {"MRSL", 300}}));
  EXPECT_EQ(static_usage(*p.source), (std::map<std::string, double>{{"ARSL", 3}, {"MRSL", 3}}));
}

TEST(Records, NewerVersionIsRefusedByName) {
  auto result = record_from_json<Machine>(*parse_json(R"({"format":"perfcast.machine","version":999})", "x"), "x");
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().what.find("version 999"), std::string::npos);
}

TEST(Records, OtherFormatIsRefused) {
  EXPECT_FALSE(record_from_json<Machine>(*parse_json(R"({"format":"perfcast.profile","version":1})", "x"), "x"));
  EXPECT_FALSE(record_from_json<Machine>(*parse_json(R"({"a":1})", "x"), "x"));
  EXPECT_FALSE(record_from_json<Machine>(*parse_json("[]", "x"), "x"));
}

TEST(Records, MissingKeyNamesItsPlace) {
  auto result = record_from_json<Machine>(
      *parse_json(R"({"format":"perfcast.machine","version":1,"name":"m","source":[{"language":"c"}]})", "m.json"),
      "m.json");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().where, "m.json: /source/0/costs");
}

TEST(Records, CostsForPicksTheNearestOptimisation) {
  Machine m;
  std::map<std::string, Measurement> some = {{"ARSL", {}}};
  m.source = {{"c", "clang-19", "-O0", some}, {"c", "gcc", "-O2", some}, {"c", "clang-19", "-O2", some}, {"c", "clang-19", "-O3", {}}};
  EXPECT_EQ(m.costs_for("c", "clang 19.1.7", "-O3 -march=native"), &m.source[2]);
  EXPECT_EQ(m.costs_for("c", "gcc 12", "-Os"), &m.source[1]);
  EXPECT_EQ(m.costs_for("c", "clang 19.1.7", "-g"), &m.source[0]);
}

TEST(Records, CostsForPicksTheNearestCompiler) {
  Machine m;
  std::map<std::string, Measurement> some = {{"ARSL", {}}};
  m.source = {{"c", "gcc", "-O0", some}, {"c", "clang-19", "-O0", some}, {"fortran", "flang-new-19", "-O0", some}};
  EXPECT_EQ(m.costs_for("c", "clang-19", "-O2")->compiler, "clang-19");
  EXPECT_EQ(m.costs_for("fortran", "gfortran", "-O0")->compiler, "flang-new-19");
  EXPECT_EQ(m.costs_for("ada", "", ""), nullptr);
}

}  // namespace perfcast
