// Experiments disturbed on purpose: neighbours on the core they run on, a program that is stopped in their middle, a
// frequency that changes all the time. On real hardware, so only order is checked: what is reported stays near what the
// experiment gave just before, or is called disturbed.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>

#include "base/cores.h"
#include "base/files.h"
#include "base/process.h"
#include "base/test_attempts.h"
#include "base/test_neighbours.h"
#include "methods/characterize/instructions/run_benchmarks.h"
#include "methods/characterize/source/program.h"
#include "methods/characterize/work.h"

namespace perfcast::characterize {
namespace {

// Processes that run `program`.
std::vector<pid_t> running(const std::string& program) {
  std::vector<pid_t> found;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", none)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != name.npos) continue;
    if (std::filesystem::read_symlink(entry.path() / "exe", none) == program) found.push_back(std::stoi(name));
  }
  return found;
}

class Experiments : public testing::Test {
 protected:
  // Compiled once for all tests.
  struct Made {
    TemporaryFolder folder = std::move(*TemporaryFolder::make("disturbed"));
    Result<ExperimentProgram> program = unfit("no C compiler");
  };
  static void SetUpTestSuite() {
    made = std::make_unique<Made>();
    const auto compiler = find_c_compiler();
    if (!compiler) return;
    made->program = build_program({"c", *compiler, "-O0"}, *compiler, made->folder.file("made"));
  }
  static void TearDownTestSuite() { made.reset(); }
  void SetUp() override { ASSERT_TRUE(made->program) << made->program.error().message(); }

  // Of the first few bodies.
  static std::vector<BodyEstimate> estimates() {
    auto results = run_experiments(*made->program, {400, 50e3, Seconds{3}, {0, 1, 2, 3}});
    EXPECT_TRUE(results) << results.error().message();
    std::vector<BodyEstimate> found;
    for (std::size_t i = 0; results && i < 4; i++)
      found.push_back(estimate_body(results->bodies[i], made->program->set.bodies[i].repetitions).value_or(BodyEstimate{}));
    return found;
  }
  // `disturbed` gives the estimates of experiments it disturbs.
  template <typename Disturbed>
  static void expect_near_or_said(const Disturbed& disturbed) {
    some_attempt_succeeds([&] {
      const auto quiet = estimates(), now = disturbed();
      ASSERT_EQ(now.size(), quiet.size());
      for (std::size_t i = 0; i < now.size(); i++)
        EXPECT_TRUE(now[i].disturbed || quiet[i].disturbed || std::abs(now[i].value / quiet[i].value - 1) < 0.35)
            << made->program->set.bodies[i].name << ": " << quiet[i].value << " ns undisturbed, " << now[i].value << " ns disturbed, and nothing says so";
    });
  }
  static inline std::unique_ptr<Made> made;
};

TEST_F(Experiments, NeighboursOnTheSameCore) {
  expect_near_or_said([] {
    const int core = measuring_core();
    const OnCore no_other(core);
    Neighbours busy(2, core, made->folder.file("busy"));
    return estimates();
  });
}

// As a machine is suspended and woken again.
TEST_F(Experiments, StoppedInTheirMiddle) {
  expect_near_or_said([] {
    std::atomic<bool> done = false;
    int stops = 0;
    std::jthread stopper([&] {
      while (!done) {
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
        for (pid_t process : running(made->program->executable)) {
          stops += ::kill(process, SIGSTOP) == 0;
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
          ::kill(process, SIGCONT);
        }
      }
    });
    auto stopped = estimates();
    done = true;
    stopper.join();
    EXPECT_GT(stops, 0) << "the experiments were over before they could be stopped";
    return stopped;
  });
}

// A preloaded clock whose pace changes every two milliseconds: to the experiments, a core that changes its frequency.
class Pace {
 public:
  explicit Pace(const std::string& pace) {
    ::setenv("LD_PRELOAD", PERFCAST_FAULT_SHIM, 1);
    ::setenv("FAULT_PACE", pace.c_str(), 1);
  }
  ~Pace() { ::unsetenv("LD_PRELOAD"), ::unsetenv("FAULT_PACE"); }
};

TEST_F(Experiments, AFrequencyThatChanges) {
  expect_near_or_said([] {
    Pace pace("1.5");
    return estimates();
  });
}

// Cycles are taken from a chain beside each slice: they do not depend on the frequency. Chains alone are compared: a stream
// also depends on who shares the core.
TEST(Benchmarks, CyclesStayTheSameWhenTheFrequencyChanges) {
  using instructions::Kind;
  auto table = instructions::bundled_form_table(instructions::host_isa());
  ASSERT_TRUE(table) << table.error().message();
  std::vector<instructions::Benchmark> some;
  for (const auto& benchmark : instructions::list_benchmarks(*table)) {
    const bool chain = benchmark.kind == Kind::chain || benchmark.kind == Kind::accumulate;
    if (chain || benchmark.kind == Kind::clock || benchmark.kind == Kind::canary || benchmark.kind == Kind::guard) some.push_back(benchmark);
    if (some.size() == 14) break;
  }
  instructions::RunOptions options;
  options.seconds = 2, options.least_slices = 8, options.cores = {measuring_core()};
  some_attempt_succeeds([&] {
    auto quiet = instructions::run_benchmarks(*table, some, options);
    ASSERT_TRUE(quiet) << quiet.error().message();
    Pace pace("1.5");
    auto changing = instructions::run_benchmarks(*table, some, options);
    ASSERT_TRUE(changing) << changing.error().message();
    for (const auto& benchmark : some) {
      const auto *before = quiet->find(benchmark.name), *now = changing->find(benchmark.name);
      if (benchmark.kind != Kind::chain || !before || !now || before->disturbed() || now->disturbed()) continue;
      EXPECT_NEAR(now->cycles / before->cycles, 1, 0.1) << benchmark.name;
    }
  });
}

}  // namespace
}  // namespace perfcast::characterize
