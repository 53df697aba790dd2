// Whole characterizations, shortened: what happens when things go wrong. Nothing here depends on how fast anything is.
#include "methods/characterize/characterize.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/files.h"
#include "base/mpi.h"
#include "base/process.h"
#include "methods/characterize/rate/rate.h"
#include "methods/characterize/source/compilers.h"
#include "methods/characterize/source/program.h"
#include "methods/characterize/source/study.h"
#include "record/messages.h"

namespace perfcast::characterize {
namespace {

std::string some_c_compiler() { return plan_compilers({}).c_compiler; }

TEST(Characterize, StopKeepsWhatIsThereAndSaysWhatIsMissing) {
  std::atomic<bool> stop = true;
  CharacterizeOptions options;
  options.quick = true, options.stop = &stop, options.name = "stopped";
  auto machine = characterize(options);
  ASSERT_TRUE(machine.has_value());
  EXPECT_EQ(machine->name, "stopped");
  EXPECT_FALSE(machine->isa.empty());
  EXPECT_FALSE(machine->gaps.empty());
  EXPECT_NE(machine->gaps[0].what.find("interrupted"), std::string::npos);
}

TEST(Characterize, StopInTheMiddleKeepsEarlierSections) {
  std::atomic<bool> stop = false;
  CharacterizeOptions options;
  options.quick = true, options.stop = &stop, options.sections = {"system", "rate", "source"};
  options.progress = [&](const Progress& p) { if (p.doing.starts_with("rate") || p.doing.starts_with("source")) stop = true; };
  auto machine = characterize(options);
  ASSERT_TRUE(machine.has_value());
  ASSERT_TRUE(machine->system.has_value());
  EXPECT_GT(machine->system->clock_overhead_ns->value, 0);
  EXPECT_GT(machine->system->system_call_ns->value, 0);
  EXPECT_GT(machine->system->write_byte_ns->value, 0);
  EXPECT_GT(machine->system->read_byte_ns->value, 0);
  EXPECT_TRUE(machine->source.empty());
  EXPECT_FALSE(machine->gaps.empty());
}

TEST(Characterize, AMissingCompilerIsAGap) {
  CharacterizeOptions options;
  options.quick = true, options.sections = {"system", "source"}, options.compilers = {"no-such-compiler"};
  std::string remarks;
  options.remark = [&](const std::string& text) { remarks += text; };
  auto machine = characterize(options);
  ASSERT_TRUE(machine.has_value());
  EXPECT_NE(remarks.find("no-such-compiler"), std::string::npos);
  ASSERT_FALSE(machine->gaps.empty());
  EXPECT_NE(machine->gaps[0].what.find("no-such-compiler"), std::string::npos);
}

TEST(Characterize, NothingMeasuredIsAnError) {
  CharacterizeOptions options;
  options.sections = {"source"}, options.compilers = {"no-such-compiler"};
  EXPECT_FALSE(characterize(options).has_value());
}

TEST(Characterize, ASectionThatIsNotThereIsWrongUsage) {
  CharacterizeOptions options;
  options.sections = {"system", "instructions"};
  auto machine = characterize(options);
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().kind, Trouble::usage);
}

TEST(Characterize, TheProcessorHasANameOnBothInstructionSets) {
  EXPECT_EQ(processor_of("processor\t: 0\nmodel name\t: Some Processor 3\n"), "Some Processor 3");
  EXPECT_EQ(processor_of("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n"), "Arm Neoverse V1");
  EXPECT_EQ(processor_of("CPU implementer\t: 0x61\nCPU part\t: 0x032\n"), "maker 0x61 part 0x032");
  EXPECT_EQ(processor_of(""), "");
}

TEST(Characterize, NamesAreFitForFiles) {
  for (char c : default_name()) EXPECT_TRUE(std::isalnum(static_cast<unsigned char>(c)) || c == '-') << default_name();
}

TEST(Compilers, LanguageFromName) {
  EXPECT_EQ(language_of_compiler("clang-19"), "c");
  EXPECT_EQ(language_of_compiler("/opt/bin/g++-13"), "c++");
  EXPECT_EQ(language_of_compiler("flang-new-19"), "fortran");
  EXPECT_EQ(language_of_compiler("x86_64-linux-gnu-gfortran"), "fortran");
}

TEST(Compilers, QuickTakesOneCompilerOfEachLanguageAtO0) {
  CharacterizeOptions options;
  options.quick = true;
  std::map<std::string, int> seen;
  for (const auto& choice : plan_compilers(options).choices) {
    seen[choice.language]++;
    EXPECT_EQ(choice.flags, "-O0");
  }
  for (const auto& [language, times] : seen) EXPECT_EQ(times, 1) << language;
}

// The shipped experiments compile with every compiler that is here, and a few of them run.
class EveryCompiler : public testing::TestWithParam<std::string> {};
TEST_P(EveryCompiler, TakesAllExperiments) {
  if (!find_program(GetParam())) GTEST_SKIP() << GetParam() << " is not here";
  auto folder = TemporaryFolder::make("characterize-test");
  auto program = build_program({language_of_compiler(GetParam()), GetParam(), "-O0"}, some_c_compiler(), folder->file("made"), true);
  ASSERT_TRUE(program.has_value()) << program.error().message();
  EXPECT_TRUE(program->lost.empty()) << program->lost.front();
  auto results = run_experiments(*program, {4, 2000, Seconds{5}, {0, 1, 2, 3}});
  ASSERT_TRUE(results.has_value()) << results.error().message();
  EXPECT_EQ(results->bodies.size(), program->set.bodies.size());
  for (std::size_t i : {0, 1, 2, 3}) EXPECT_EQ(results->bodies[i].once.size(), 4u) << i;
  EXPECT_TRUE(results->bodies[5].once.empty());
}
INSTANTIATE_TEST_SUITE_P(Here, EveryCompiler, testing::Values("clang-19", "clang++-19", "flang-new-19", "gcc", "g++", "gfortran"),
                         [](const auto& info) { std::string name; for (char c : info.param) if (c == '+') name += "p"; else if (std::isalnum(static_cast<unsigned char>(c))) name += c; return name; });

// Experiments of one's own, in a data folder of one's own: one does not compile, one crashes, one is fine.
TEST(Program, AFailingExperimentLosesOnlyItself) {
  std::string compiler = some_c_compiler();
  if (compiler.empty()) GTEST_SKIP() << "no C compiler";
  auto folder = TemporaryFolder::make("characterize-test");
  std::filesystem::copy(std::string(PERFCAST_SOURCE_DIR) + "/data/experiments", folder->file("experiments"));
  std::ofstream(folder->file("experiments/c.experiments"))
      << "body good: $d{RD} = $s{RD} + $a{RD};\nbody wrong: this is not C;\nbody crash: *(volatile int*)0 = 1;\n"
         "cost ARDL = good\ncost SRDL = wrong\ncost MRDL = crash\n";
  ::setenv("PERFCAST_DATA", folder->path().c_str(), 1);
  auto program = build_program({"c", compiler, "-O0"}, compiler, folder->file("made"));
  ASSERT_TRUE(program.has_value()) << program.error().message();
  EXPECT_EQ(program->lost, std::vector<std::string>{"wrong"});
  auto results = run_experiments(*program, {6, 2000, Seconds{5}, {}});
  ASSERT_TRUE(results.has_value()) << results.error().message();
  EXPECT_EQ(results->bodies[0].once.size(), 6u);
  EXPECT_EQ(results->bodies[2].failed_with_signal, SIGSEGV);

  CharacterizeOptions options;
  options.quick = true, options.sections = {"source"}, options.compilers = {compiler};
  auto machine = characterize(options);
  ::unsetenv("PERFCAST_DATA");
  ASSERT_TRUE(machine.has_value());
  ASSERT_EQ(machine->source.size(), 1u);
  EXPECT_TRUE(machine->source[0].costs.contains("ARDL"));
  EXPECT_FALSE(machine->source[0].costs.contains("SRDL"));
  EXPECT_FALSE(machine->source[0].costs.contains("MRDL"));
  EXPECT_EQ(machine->gaps.size(), 2u);  // the refused one, and the costs that are lost
}

// What programs with ranks or threads need, on this machine; only order is checked.
TEST(Characterize, ThreadsAndMessages) {
  CharacterizeOptions options;
  options.quick = true, options.sections = {"threads", "messages"};
  auto machine = characterize(options);
  if (!machine) GTEST_SKIP() << machine.error().message();  // neither OpenMP nor MPI is here
  if (!machine->threads.is_null()) {
    ThreadCosts costs;
    from_json_value(machine->threads, costs, "");
    EXPECT_EQ(costs.processors, usable_processors());
    ASSERT_FALSE(costs.fork_join_ns.empty());
    for (const auto& [threads, cost] : costs.fork_join_ns) EXPECT_GT(cost.value, 0) << threads;
    ASSERT_TRUE(costs.atomic_ns);
    EXPECT_LT(costs.atomic_ns->value, costs.fork_join_ns.rbegin()->second.value) << "an addition takes longer than a parallel region";
  }
  if (!machine->messages.is_null()) {
    MessageCosts costs;
    from_json_value(machine->messages, costs, "");
    ASSERT_FALSE(costs.paths.empty());
    EXPECT_FALSE(costs.library.empty());
    for (const auto& path : costs.paths) {
      ASSERT_FALSE(path.regimes.empty()) << path.name;
      EXPECT_EQ(path.regimes.front().from_bytes, 0) << path.name;
      const auto& last = path.regimes.back();
      EXPECT_GT(last.startup_ns + last.per_byte_ns * 1e6, path.regimes.front().startup_ns) << path.name << ": a megabyte is sent as fast as nothing";
    }
  } else {
    EXPECT_FALSE(machine->gaps.empty()) << "messages were not measured, and nothing says why";
  }
}

// The study of how good measurements are, with experiments of its own: two operations and a statement made of both.
TEST(Study, IntervalsByLengthAndRepetitionsAndTheBestStatistic) {
  const std::string compiler = some_c_compiler();
  if (compiler.empty()) GTEST_SKIP() << "no C compiler";
  auto folder = TemporaryFolder::make("characterize-test");
  std::filesystem::copy(std::string(PERFCAST_SOURCE_DIR) + "/data/experiments", folder->file("experiments"));
  std::ofstream(folder->file("experiments/c.experiments"))
      << "body add: $d{RD} = $s{RD} + $a{RD};\nbody divide: $d{RD} = $s{RD} / $a{RD};\n"
         "cost ARDL = add\ncost DRDL = divide\n"
         "check both: $d{RD} = $s{RD} + $a{RD} / $b{RD}; == 1 ARDL + 1 DRDL\n";
  ::setenv("PERFCAST_DATA", folder->path().c_str(), 1);
  CharacterizeOptions options;
  options.quick = true, options.compilers = {compiler};
  auto done = study(options);
  for (int again = 0; again < 4 && done && done->checks.empty(); again++) done = study(options);  // a starved machine gives no observation at times
  std::atomic<bool> stop = true;
  options.stop = &stop;
  auto stopped = study(options);
  options.stop = nullptr, options.compilers = {"gfortran"};
  auto without_c = study(options);
  ::unsetenv("PERFCAST_DATA");
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(done->title, "c, " + compiler + " -O0");
  EXPECT_GT(done->clock_overhead_ns, 0);
  ASSERT_EQ(done->intervals.size(), 16u);  // four lengths, four numbers of repetitions
  for (const auto& point : done->intervals) EXPECT_LE(point.typical, point.worst) << point.test_ns << " ns, " << point.repetitions;
  ASSERT_EQ(done->checks.size(), 1u);
  EXPECT_EQ(done->checks[0].name, "both");
  EXPECT_GT(done->checks[0].measured_ns, 0);
  EXPECT_GE(done->checks[0].average_ns, 0);  // on a crowded machine strays hide both operations from the average
  EXPECT_GE(done->checks[0].minimum_ns, 0);
  ASSERT_TRUE(stopped) << stopped.error().message();
  EXPECT_TRUE(stopped->intervals.empty());
  EXPECT_FALSE(without_c);
}

TEST(Rate, HarmonicMeanOfTheLoops) {
  auto rate = rate_of("r a 1000 1000 1000 1000 1000\nr b 2000 6000 6000 6000 6000\n");  // 1 and 3 ns per flop
  ASSERT_TRUE(rate.has_value());
  EXPECT_DOUBLE_EQ(rate->value, 500);
  EXPECT_DOUBLE_EQ(*rate->sd, 0);
  EXPECT_FALSE(rate_of("nothing").has_value());
  // Passes on a shared core are left out while five others are there, and said otherwise.
  auto crowded = rate_of("r a 1000 ~9000 1000 1000 ~9000 1000 1000 1000\n");
  EXPECT_DOUBLE_EQ(crowded->value, 1000);
  EXPECT_FALSE(crowded->disturbed);
  EXPECT_TRUE(rate_of("r a 1000 ~1000 ~1000 ~1000 ~1000 ~1000 ~1000\n")->disturbed);
}

}  // namespace
}  // namespace perfcast::characterize
