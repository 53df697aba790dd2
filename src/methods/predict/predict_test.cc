#include "methods/predict/predict.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "methods/predict/accuracy.h"
#include "methods/predict/flops.h"
#include "record/library.h"
#include "record/record_file.h"

namespace perfcast::predict {
namespace {

Measurement cost(double ns, double sd) {
  Measurement m;
  m.value = ns, m.sd = sd;
  return m;
}

Machine small_machine() {
  Machine m;
  m.name = "small";
  m.source = {{"c", "clang-19", "-O0", {{"ARSL", cost(1, 0.1)}, {"MRSL", cost(2, 0.2)}, {"ARR2", cost(2, 0)}, {"ARR3", cost(3, 0)}}}};
  m.mflops = cost(1000, 0);
  return m;
}

Block block_of(double count, std::map<std::string, double> usage, int line) {
  Block b;
  b.name = "b" + std::to_string(line), b.count.value = count, b.usage = std::move(usage), b.at = {"p.c", line, 1};
  return b;
}

Profile small_profile() {
  Profile p;
  p.program = "p";
  p.run.language = "c";
  Function f, g;
  f.name = "f", g.name = "g";
  f.blocks = {block_of(1e9, {{"ARSL", 2}}, 3), block_of(1e9, {{"MRSL", 1}}, 4)};
  g.blocks = {block_of(1e9, {{"ARSL", 1}}, 9)};
  p.source = Graph{{f, g}};
  p.regions = {{"core", "p.c", 4, 10}};
  return p;
}

ModelPrediction one(const Profile& p, const Machine& m, Model model) {
  PredictOptions options;
  options.models = {model};
  auto result = predict(p, std::span(&m, 1), options);
  EXPECT_TRUE(result) << result.error().message();
  return result->predictions.at(0);
}

}  // namespace

TEST(Hllc, AddsCountsTimesCosts) {
  auto prediction = one(small_profile(), small_machine(), Model::hllc);
  EXPECT_DOUBLE_EQ(prediction.seconds, 5);
  // ARSL 3e9 x 0.1 ns and MRSL 1e9 x 0.2 ns: variances add between operations, not within one.
  EXPECT_NEAR(*prediction.sd, std::hypot(0.3, 0.2), 1e-12);
  EXPECT_EQ(prediction.parts[0].name, "ARSL");
  EXPECT_DOUBLE_EQ(prediction.parts[0].seconds + prediction.parts[1].seconds, prediction.seconds);
}

TEST(Hllc, ViewsByFunctionLineAndRegion) {
  auto views = one(small_profile(), small_machine(), Model::hllc).views;
  EXPECT_EQ(views["function"][0].name, "f");
  EXPECT_DOUBLE_EQ(views["function"][0].seconds, 4);
  EXPECT_EQ(views["line"].size(), 3u);
  EXPECT_DOUBLE_EQ(views["region"][0].seconds, 3);
}

TEST(Hllc, OperationWithoutCostIsAGapWithItsShare) {
  auto profile = small_profile();
  profile.source->functions[0].blocks.push_back(block_of(1e9, {{"sinh", 1}}, 5));
  auto prediction = one(profile, small_machine(), Model::hllc);
  EXPECT_DOUBLE_EQ(prediction.seconds, 5);
  ASSERT_EQ(prediction.gaps.size(), 1u);
  EXPECT_EQ(prediction.gaps[0].weight, 1e9);
  EXPECT_NE(prediction.gaps[0].what.find("20 %"), std::string::npos);
}

TEST(Hllc, FourDimensionsContinueTheLine) {
  auto profile = small_profile();
  profile.source->functions[0].blocks = {block_of(1e9, {{"ARR4", 1}}, 5)};
  profile.source->functions.resize(1);
  auto prediction = one(profile, small_machine(), Model::hllc);
  EXPECT_DOUBLE_EQ(prediction.seconds, 4);
  EXPECT_DOUBLE_EQ(prediction.estimated_share, 1);
}

TEST(Hllc, CppMayUseTheCostsOfCAndSaysSo) {
  auto profile = small_profile();
  profile.run.language = "c++";
  EXPECT_EQ(one(profile, small_machine(), Model::hllc).remarks.size(), 1u);
}

TEST(Dbc, AddsWhatTheStepsOfADesignNeed) {
  Profile design;
  design.program = "plan", design.run.language = "c";
  Function f;
  f.name = "plan";
  f.blocks = {block_of(1000, {{"flops", 1e6}, {"ARSL", 1e6}}, 1), block_of(1, {{"seconds", 2}, {"bytes", 64}}, 2)};
  for (auto& block : f.blocks) block.kind = "step";
  design.source = Graph{{f}};
  auto prediction = one(design, small_machine(), Model::dbc);
  EXPECT_DOUBLE_EQ(prediction.seconds, 1 + 1 + 2);
  ASSERT_EQ(prediction.gaps.size(), 1u);  // bytes: this machine has no memory numbers
  auto machine = small_machine();
  EXPECT_EQ(predict(design, std::span(&machine, 1))->predictions[0].model, Model::dbc);
}

TEST(Poc, CountsWeightedFlops) {
  EXPECT_DOUBLE_EQ(one(small_profile(), small_machine(), Model::poc).seconds, 4);
  EXPECT_EQ(flops_of("ARDG"), 1);
  EXPECT_EQ(flops_of("DRSL"), 4);
  EXPECT_EQ(flops_of("SQRD"), 4);
  EXPECT_EQ(flops_of("SIND"), 8);
  EXPECT_EQ(flops_of("CRSL"), 1);
  EXPECT_EQ(flops_of("SRSL"), 0);
  EXPECT_EQ(flops_of("AISL"), 0);
  EXPECT_EQ(flops_of("ARR1"), 0);
}

TEST(Ct, IsWhatWasTimed) {
  auto machine = small_machine();
  PredictOptions options;
  options.models = {Model::ct};
  EXPECT_FALSE(predict(small_profile(), std::span(&machine, 1), options));
  options.timed = MeasuredTime{1.5, {1.4, 1.6}, 5, 0, "median"};
  EXPECT_EQ(predict(small_profile(), std::span(&machine, 1), options)->predictions[0].seconds, 1.5);
}

// Where memory is touched first, there pages are mapped: the views show it, and the sum holds it once.
TEST(Icc, PageFaultsAreSeenWhereMemoryIsTouchedFirst) {
  auto profile = read_record<Profile>(PERFCAST_SOURCE_DIR "/tests/golden/bounds/toy-daxpy/toy-daxpy.profile.json");
  auto machine = find_machine(PERFCAST_SOURCE_DIR "/data/machines/toy.machine.json");
  ASSERT_TRUE(profile && machine && profile->machine);
  machine->system.emplace().page_fault_ns = cost(1000, 0);
  auto seconds = [&](double faults) {
    profile->run.page_faults = faults;
    auto prediction = one(*profile, *machine, Model::icc);
    return std::pair{prediction.seconds, prediction.views["function"].at(0).seconds};
  };
  auto [whole, seen] = seconds(5000);
  auto [whole_without, seen_without] = seconds(0);
  EXPECT_NEAR(whole - whole_without, 5e-3, 1e-9);
  EXPECT_EQ(seen, seen_without);  // nobody knows where
  Access access;
  access.count = 100, access.cold = 0.5;
  profile->machine->functions[0].blocks[0].accesses.push_back(access);
  std::tie(whole, seen) = seconds(5000);
  std::tie(whole_without, seen_without) = seconds(0);
  EXPECT_NEAR(whole - whole_without, 5e-3, 1e-9);
  EXPECT_NEAR(seen - seen_without, 5e-3, 1e-9);
}

TEST(Icc, SystemCallsCostWhatTheMachineSays) {
  auto profile = read_record<Profile>(PERFCAST_SOURCE_DIR "/tests/golden/bounds/toy-daxpy/toy-daxpy.profile.json");
  auto machine = find_machine(PERFCAST_SOURCE_DIR "/data/machines/toy.machine.json");
  ASSERT_TRUE(profile && machine);
  const double without = one(*profile, *machine, Model::icc).seconds;
  profile->run.system = SystemUse{1000, 200, 4e6, 2e6};
  auto unknown = one(*profile, *machine, Model::icc);
  EXPECT_EQ(unknown.seconds, without);
  auto said = [](const ModelPrediction& p, const std::string& what) {
    return std::ranges::any_of(p.gaps, [&](const Gap& gap) { return gap.what.find(what) != gap.what.npos; });
  };
  EXPECT_TRUE(said(unknown, "1000 system calls")) << "a machine file without their cost";
  EXPECT_TRUE(said(unknown, "reading") && said(unknown, "writing"));
  SystemCosts& costs = machine->system.emplace();
  costs.system_call_ns = cost(100, 1), costs.clock_overhead_ns = cost(20, 1), costs.read_byte_ns = cost(0.1, 0), costs.write_byte_ns = cost(0.5, 0);
  auto known = one(*profile, *machine, Model::icc);
  EXPECT_NEAR(known.seconds - without, 1e-9 * (1000 * 100 + 200 * 20 + 4e6 * 0.1 + 2e6 * 0.5), 1e-12);
  EXPECT_FALSE(said(known, "system calls"));
}

// A prediction repeats what the profile does not know, and is held against the run that was recorded on the same machine.
TEST(Icc, IsHeldAgainstTheRecordedRun) {
  auto profile = read_record<Profile>(PERFCAST_SOURCE_DIR "/tests/golden/bounds/toy-daxpy/toy-daxpy.profile.json");
  auto machine = find_machine(PERFCAST_SOURCE_DIR "/data/machines/toy.machine.json");
  ASSERT_TRUE(profile && machine);
  machine->made_by.host = profile->made_by.host = "here", profile->run.isa = machine->isa, profile->run.target.clear(), profile->made_by.more.clear();
  profile->gaps = {{"library code was not traced", {}, 0}, {"a statement that is not understood", {"p.c", 3}, 0}};
  const double seconds = one(*profile, *machine, Model::icc).seconds;
  auto warned = [&](double recorded) {
    profile->run.seconds = recorded;
    auto remarks = one(*profile, *machine, Model::icc).remarks;
    return std::ranges::any_of(remarks, [](const std::string& text) { return text.starts_with("the recorded run took"); });
  };
  EXPECT_FALSE(warned(0)) << "not known";
  EXPECT_FALSE(warned(1.5 * seconds));
  EXPECT_TRUE(warned(10 * seconds + 1));
  machine->made_by.host = "elsewhere";
  EXPECT_FALSE(warned(10 * seconds + 1));
  auto gaps = one(*profile, *machine, Model::icc).gaps;
  ASSERT_EQ(std::ranges::count(gaps, profile->gaps[0]), 1);
  EXPECT_EQ(std::ranges::count(gaps, profile->gaps[1]), 0) << "of the source level";
  profile->run.libraries_cut = true, profile->run.ending = "exited with code 3";
  auto cut = one(*profile, *machine, Model::icc);
  EXPECT_GE(cut.interval[1], profile->run.seconds);
  EXPECT_EQ(std::ranges::count(cut.remarks, "the recorded run exited with code 3"), 1);
  // Of ranks, that is what the counted one computed, and known where libraries were not traced.
  machine->made_by.host = "here", profile->messages = {{"runs", Json::array()}};
  EXPECT_TRUE(warned(10 * seconds + 1));
  EXPECT_NEAR(one(*profile, *machine, Model::icc).interval[1], profile->run.seconds, 1e-9);
  profile->run.libraries_cut = false;
  EXPECT_FALSE(warned(10 * seconds + 1));
}

// A part that the machine file lacks is named, with what stands for it.
TEST(Icc, SaysWhatTheMachineFileLacks) {
  auto profile = read_record<Profile>(PERFCAST_SOURCE_DIR "/tests/golden/bounds/toy-daxpy/toy-daxpy.profile.json");
  auto whole = find_machine(PERFCAST_SOURCE_DIR "/data/machines/toy.machine.json");
  auto measured = find_machine("neoverse-v1");
  ASSERT_TRUE(profile && whole && measured);
  profile->run.page_faults = 7, profile->run.isa = "aarch64", whole->isa = "aarch64";
  whole->memory = measured->memory, whole->core->branches.misprediction = cost(20, 0);
  whole->system.emplace().page_fault_ns = cost(1000, 0);
  whole->system->process_start_ns = cost(1e5, 0);
  auto says = [&](const Machine& machine, const std::string& what) {
    auto remarks = one(*profile, machine, Model::icc).remarks;
    return std::ranges::any_of(remarks, [&](const std::string& remark) { return remark.find(what) != remark.npos; });
  };
  EXPECT_FALSE(says(*whole, " has no "));
  EXPECT_FALSE(says(*whole, "SVE"));
  Machine less = *whole;
  less.system.reset(), less.isa.clear(), less.core->branches.misprediction.reset(), less.memory->levels.clear();
  for (const char* what : {"no cost of starting a program", "no cost of a page fault: the 7 of", "does not say its instruction set", "mispredicted branch: 15 cycles", "no memory levels"})
    EXPECT_TRUE(says(less, what)) << what;
}

TEST(Icc, SaysThatScalableVectorsWereNotMeasured) {
  auto profile = read_record<Profile>(PERFCAST_SOURCE_DIR "/tests/golden/bounds/toy-daxpy/toy-daxpy.profile.json");
  auto machine = find_machine("neoverse-v1");
  ASSERT_TRUE(profile && machine);
  profile->run.isa = "aarch64";
  auto without_sve = [&] {
    auto remarks = one(*profile, *machine, Model::icc).remarks;
    return std::ranges::any_of(remarks, [](const std::string& remark) { return remark.find("without SVE") != remark.npos; });
  };
  EXPECT_FALSE(without_sve());
  for (Function& function : profile->machine->functions)
    for (Block& block : function.blocks)
      for (Instruction& instruction : block.code) instruction.text = "fadd\tz0.d, p0/m, z0.d, z1.d";
  for (InstructionForm& form : profile->forms) form.opcode = "FADD_ZPmZ_D";
  EXPECT_TRUE(without_sve());
}

// What others on the core usually take is added, unless one asks for a core of one's own.
TEST(Icc, NeighboursTakeTheirShare) {
  auto profile = read_record<Profile>(PERFCAST_SOURCE_DIR "/tests/golden/bounds/toy-daxpy/toy-daxpy.profile.json");
  auto quiet = find_machine(PERFCAST_SOURCE_DIR "/data/machines/toy.machine.json");
  ASSERT_TRUE(profile && quiet);
  Machine shared = *quiet;
  shared.system.emplace().core_sharing = cost(0.5, 0.1);
  auto seconds = [&](const Machine& machine, bool alone) {
    PredictOptions options;
    options.models = {Model::icc}, options.alone = alone;
    return predict(*profile, std::span(&machine, 1), options)->predictions.at(0).seconds;
  };
  EXPECT_EQ(seconds(shared, true), seconds(*quiet, false));
  EXPECT_GT(seconds(shared, false), seconds(*quiet, false));
  EXPECT_LT(seconds(shared, false), 1.5 * seconds(*quiet, false));
}

TEST(Predict, AllModelsListWhatCannotAnswer) {
  auto machine = small_machine();
  PredictOptions options;
  options.models = {Model::dbc, Model::poc, Model::hllc, Model::intcc, Model::icc, Model::ct};
  auto result = predict(small_profile(), std::span(&machine, 1), options);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->predictions.size() + result->refused.size(), 6u);
}

TEST(Predict, WithoutAChoiceTheBestAnswersWithARemark) {
  auto machine = small_machine();
  auto result = predict(small_profile(), std::span(&machine, 1));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->predictions[0].model, Model::hllc);
  EXPECT_NE(result->predictions[0].remarks.at(0).find("icc"), std::string::npos);
}

TEST(Predict, ASlowerMachineNeverPredictsAFasterRun) {
  auto machine = small_machine(), slower = small_machine();
  for (auto& [name, cost] : slower.source[0].costs) cost.value *= 1.5;
  EXPECT_GT(one(small_profile(), slower, Model::hllc).seconds, one(small_profile(), machine, Model::hllc).seconds);
}

TEST(Interval, HoldsThePredictionAndWidensWithConfidence) {
  for (ModelError error : {hllc_in_order, hllc_overlapping, hllc_optimised, poc_in_order, poc_optimised}) {
    auto narrow = interval_of(10, 1, error, 0.5), wide = interval_of(10, 1, error, 0.95);
    EXPECT_LE(wide[0], narrow[0]);
    EXPECT_LE(narrow[0], 10);
    EXPECT_GE(narrow[1], 10);
    EXPECT_GE(wide[1], narrow[1]);
    EXPECT_GT(wide[0], 0);
  }
}

}  // namespace perfcast::predict
