// Counts of programs that end in every way, of several threads and processes, and of those that do not compile.
#include "frontends/llvm_ir/test_programs.h"

namespace perfcast::llvm_ir {
namespace {

class Endings : public Programs {};

TEST_P(Endings, CountsSurvive) {
  const std::string text = std::string(R"(#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) int work(int n) {
  volatile int s = 0;
  for (int i = 0; i < n; i++) s += i;
  return s;
}
int main(void) {
  for (int i = 0; i < 50; i++) work(i);
  )") + GetParam() + ";\n  return 0;\n}\n";
  auto counted = count_files({{"end.c", text}}, "-O2");
  ASSERT_TRUE(counted) << counted.error().message();
  EXPECT_EQ(counted->entries("work"), 50);
  EXPECT_EQ(counted->at_line("work", 7), 1275);  // the test of the loop: once more than its body
  EXPECT_EQ(counted->final.outcome.ending, counted->plain.ending);
  EXPECT_EQ(counted->final.outcome.code, counted->plain.code);
}
INSTANTIATE_TEST_SUITE_P(All, Endings,
                         testing::Values("return 7", "_exit(4)", "quick_exit(5)", "abort()", "kill(getpid(), 9)",
                                         "*(volatile int *)8 = 1", "raise(SIGTERM)"));

class Processes : public Programs {};

TEST_P(Processes, Threads) {
  COUNT(c, count_text("threads.cc", R"(#include <atomic>
#include <cstdio>
#include <thread>
std::atomic<long> sum;
extern "C" __attribute__((noinline)) long step(long i) { return i & 3 ? 1 : 2; }
extern "C" __attribute__((noinline)) void work(long n) {
  for (long i = 0; i < n; i++)
    sum += step(i);
}
int main() {
  for (int round = 0; round < 3; round++) {
    std::thread a(work, 100000), b(work, 100000);
    work(1000);
    a.join(), b.join();
  }
  std::printf("%ld\n", sum.load());
}
)"));
  EXPECT_TRUE(c.program.threads);
  EXPECT_EQ(c.entries("work"), 9);
  EXPECT_EQ(c.entries("step"), 603000);
  EXPECT_EQ(c.at_line("work", 8), 603000);
}

TEST_P(Processes, ForkedChildrenAdd) {
  COUNT(c, count_text("fork.c", R"(#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int work(int i) { volatile int x = i; return x; }
int main(void) {
  for (int i = 0; i < 10; i++) work(i);
  for (int child = 0; child < 3; child++)
    if (fork() == 0) {
      for (int i = 0; i < 1000; i++) work(i);
      _exit(0);
    }
  while (wait(0) > 0) work(0);
  printf("done\n");
  return 0;
}
)"));
  EXPECT_EQ(c.entries("work"), 3013);
  EXPECT_EQ(c.entries("main"), 1);
  EXPECT_EQ(c.at_line("main", 10), 3);
}

INSTANTIATE_TEST_SUITE_P(Levels, Processes, testing::Values("-O0", "-O1", "-O2", "-O3"),
                         [](const auto& level) { return std::string(level.param).substr(1); });

TEST(Counted, NumbersTooSmallToBeNormalAreMet) {
  auto folder = TemporaryFolder::make("test");
  ASSERT_TRUE(write_file(folder->file("small.c"), "int main(int argc, char **argv) { volatile double x = argc > 1 ? 3e-310 : 3e-10, y = x * 0.3; return y > 1; }\n"));
  CompileRequest request;
  request.sources = {folder->file("small.c")};
  auto program = compile_program(request);
  ASSERT_TRUE(program);
  CountOptions options;
  auto normal = count_run(*program, Stage::final, options);
  options.arguments = {"small"};
  auto small = count_run(*program, Stage::final, options);
  ASSERT_TRUE(normal && small);
  EXPECT_FALSE(normal->subnormal);
  EXPECT_TRUE(small->subnormal);
}

TEST(Compile, ABrokenSourceIsTold) {
  CompileRequest request;
  auto folder = TemporaryFolder::make("test");
  ASSERT_TRUE(write_file(folder->file("broken.c"), "int main("));
  request.sources = {folder->file("broken.c")};
  auto compiled = compile_program(request);
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().kind, Trouble::unfit);
  EXPECT_NE(compiled.error().message().find("error:"), std::string::npos);
  request.sources = {folder->file("none.c")};
  EXPECT_FALSE(compile_program(request));
  request.sources = {"a.txt"};
  EXPECT_FALSE(compile_program(request));
}

}  // namespace
}  // namespace perfcast::llvm_ir
