#include "methods/validate/validate.h"

#include <gtest/gtest.h>

#include "base/files.h"

namespace perfcast::validate {
namespace {

Suite suite_of(std::vector<std::string> names) {
  Suite suite;
  suite.folder = "/suite";
  for (auto& name : names) suite.programs.push_back({name, {name + ".c"}, "-O2", {}, ""});
  return suite;
}

Prepared prepared(const std::string& name, double seconds) {
  Prepared p;
  ModelPrediction prediction;
  prediction.model = Model::icc, prediction.seconds = seconds, prediction.interval = {0.9 * seconds, 1.1 * seconds};
  p.prediction.predictions = {prediction};
  p.run.command = {name};
  return p;
}

// Programs take the number they are named for; "bad" crashes.
Steps fake_steps(std::vector<std::string>& order) {
  Steps steps;
  steps.prepare = [](const SuiteProgram& program) -> Result<Prepared> {
    if (program.name == "broken") return unfit("does not compile", "broken.c");
    return prepared(program.name, program.name == "bad" ? 1 : 1.05 * std::stod(program.name));
  };
  steps.time = [&order](const RunRequest& request) -> Result<TimedRun> {
    order.push_back(request.command[0]);
    TimedRun run;
    if (request.command[0] == "bad") run.outcome.ending = Ending::signalled, run.outcome.code = 11;
    else run.cpu = {std::stod(request.command[0])};
    return run;
  };
  return steps;
}

ProgramOutcome outcome(double measured, double predicted, bool covered) {
  ProgramOutcome o;
  o.measured = measured;
  o.models["hllc"] = {predicted, predicted / measured - 1, {0, 0}, covered, {}};
  return o;
}

}  // namespace

TEST(Validate, AnInterruptLosesNothing) {
  std::vector<std::string> order;
  std::atomic<bool> stop = false;
  Steps steps = fake_steps(order);
  steps.prepare = [&stop](const SuiteProgram& program) -> Result<Prepared> {
    stop = program.name == "2";
    return prepared(program.name, std::stod(program.name));
  };
  ValidateOptions options;
  options.stop = &stop;
  auto validation = validate(suite_of({"1", "2", "3"}), "toy", steps, options);
  ASSERT_TRUE(validation) << validation.error().message();
  EXPECT_EQ(order, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(validation->models["icc"].programs, 2);
  EXPECT_NE(validation->programs[2].failed.find("interrupted"), std::string::npos);
}

TEST(Validate, TimesRoundRobinAndGoesOnAfterFailures) {
  std::vector<std::string> order;
  auto validation = validate(suite_of({"1", "broken", "bad", "2"}), "toy", fake_steps(order));
  ASSERT_TRUE(validation) << validation.error().message();
  EXPECT_EQ((std::vector<std::string>(order.begin(), order.begin() + 5)), (std::vector<std::string>{"1", "bad", "2", "1", "2"}));
  EXPECT_NEAR(validation->programs[0].models["icc"].error, 0.05, 1e-12);
  EXPECT_EQ(validation->programs[0].runs, 5);
  EXPECT_NE(validation->programs[1].failed.find("does not compile"), std::string::npos);
  EXPECT_NE(validation->programs[2].failed.find("signal 11"), std::string::npos);
  EXPECT_FALSE(validation->programs[2].measured);
  EXPECT_EQ(validation->models["icc"].programs, 2);
  EXPECT_EQ(validation->models["icc"].coverage, 1);
  EXPECT_EQ(validation->models["icc"].tau, 1);
}

TEST(Validate, NothingTimedIsAnError) {
  std::vector<std::string> order;
  EXPECT_FALSE(validate(suite_of({"broken"}), "toy", fake_steps(order)));
}

TEST(Validate, AtAnotherClockTheCoreTakesLongerAndMemoryDoesNot) {
  ModelPrediction p;
  p.seconds = 10, p.parts = {{"ports", 4, {}, {}}, {"memory: L2", 2, {}, {}}, {"memory: DRAM", 4, {}, {}}};
  EXPECT_NEAR(seconds_at_clock(p, 3, 3), 10, 1e-12);
  EXPECT_NEAR(seconds_at_clock(p, 3, 2), 4 * 1.5 + 2 * 1.5 + 4, 1e-12);
  std::vector<std::string> order;
  Steps steps = fake_steps(order), slow = steps;
  slow.time = [&](const RunRequest& request) {
    auto run = steps.time(request);
    run->step_ns = 0.5;  // 2 GHz
    return run;
  };
  ValidateOptions options;
  options.machine_ghz = 2;
  auto validation = validate(suite_of({"1", "2"}), "toy", slow, options);
  ASSERT_TRUE(validation);
  EXPECT_NEAR(*validation->programs[0].clock_ghz, 2, 1e-12);
  EXPECT_NEAR(*validation->programs[0].models["icc"].error_at_clock, 0.05, 1e-12);
  EXPECT_NEAR(*validation->models["icc"].mape_at_clock, 0.05, 1e-12);
}

TEST(Validate, SummaryOfKnownErrors) {
  auto s = summarize({outcome(1, 1.04, true), outcome(2, 1.84, true), outcome(3, 3.6, false), outcome(4, 2, false)}).at("hllc");
  EXPECT_NEAR(s.mape, (0.04 + 0.08 + 0.2 + 0.5) / 4, 1e-12);
  EXPECT_NEAR(s.median, 0.14, 1e-12);
  EXPECT_NEAR(s.bias, (0.04 - 0.08 + 0.2 - 0.5) / 4, 1e-12);
  EXPECT_EQ(s.within.at("5"), 0.25);
  EXPECT_EQ(s.within.at("10"), 0.5);
  EXPECT_EQ(s.coverage, 0.5);
  EXPECT_NEAR(s.tau, (5.0 - 1.0) / 6, 1e-12);
}

TEST(Suite, ReadsAFolderOrAFile) {
  auto folder = TemporaryFolder::make("suite");
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_file(folder->file("suite.json"), R"({"programs":[{"name":"a","sources":["a.c"],"args":["3"]}]})"));
  for (const std::string& name : {folder->path().string(), folder->file("suite.json")}) {
    auto suite = read_suite(name);
    ASSERT_TRUE(suite) << suite.error().message();
    EXPECT_EQ(suite->folder, folder->path().string());
    EXPECT_EQ(suite->programs[0].args, std::vector<std::string>{"3"});
  }
  ASSERT_TRUE(write_file(folder->file("suite.json"), R"({"programs":[{"name":"a"}]})"));
  EXPECT_EQ(read_suite(folder->path().string()).error().what, "is missing");
  EXPECT_FALSE(read_suite("/nowhere"));
}

}  // namespace perfcast::validate
