// The door as users meet it: programs that end in every way, options that are wrong, several levels at once.
#include "frontends/analyze.h"

#include <gtest/gtest.h>

#include "base/files.h"

namespace perfcast {
namespace {

class Analyze : public testing::Test {
 protected:
  void SetUp() override {
    options.folder = folder.path().string();
    options.source_level = options.machine_level = options.memory_level = false;
  }
  void source(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file(folder.file(name), text));
    options.sources.push_back(name);
  }
  TemporaryFolder folder = std::move(*TemporaryFolder::make("test"));
  AnalyzeOptions options;
};

TEST_F(Analyze, AllLevelsOfACProgram) {
  source("sum.c", R"(#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1;
  double *a = malloc(8 * (size_t)n), s = 0;
  for (int i = 0; i < n; i++)
    a[i] = i;
  for (int i = 0; i < n; i++)
    s += a[i];
  printf("%g\n", s);
  free(a);
  return 0;
}
)");
  options.source_level = options.machine_level = options.memory_level = true;
  options.cflags = "-O2", options.arguments = {"5000"}, options.parameters = {{"N", 1}};
  auto profile = analyze(options);
  ASSERT_TRUE(profile) << profile.error().message();
  EXPECT_FALSE(run_trouble(*profile));
  EXPECT_EQ(profile->program, "sum");
  EXPECT_EQ(profile->run.parameters.at("N"), 5000);
  EXPECT_EQ(profile->run.language, "c");
  ASSERT_TRUE(profile->source && profile->ir && profile->machine);
  EXPECT_EQ(dynamic_usage(*profile->ir)["flops"], 5000);
  EXPECT_EQ(profile->library_calls.at("free"), 1);
  // The program can be built again from what the profile says of it.
  ASSERT_TRUE(build_program(options_of(profile->run), folder.file("again")));
  RunRequest again;
  again.command = {folder.file("again"), "5000"};
  EXPECT_EQ(run_program(again)->output, "1.24975e+07\n");
}

TEST_F(Analyze, ACrashKeepsWhatWasCounted) {
  source("crash.c", R"(__attribute__((noinline)) int f(int i) { return i + 1; }
int main(void) { int s = 0; for (int i = 0; i < 7; i++) s = f(s); return *(volatile int *)(long)(s - 7); })");
  auto profile = analyze(options);
  ASSERT_TRUE(profile) << profile.error().message();
  EXPECT_EQ(profile->run.ending, "was killed by signal 11 (SIGSEGV)");
  ASSERT_TRUE(run_trouble(*profile));
  EXPECT_EQ(run_trouble(*profile)->kind, Trouble::unfit);
  EXPECT_EQ(profile->ir->functions[0].calls.value, 7);
  EXPECT_FALSE(profile->gaps.empty());
}

TEST_F(Analyze, AnEndlessProgramIsStopped) {
  source("loop.c", "int main(void) { for (;;); }");
  options.limits.time = Seconds{0.5};
  auto profile = analyze(options);
  ASSERT_TRUE(profile) << profile.error().message();
  EXPECT_EQ(profile->run.ending, "ran longer than 0.5 s");
  EXPECT_TRUE(run_trouble(*profile));
}

TEST_F(Analyze, AnExitCodeIsNoTroubleAndInputIsRead) {
  source("in.c", "#include <stdio.h>\nint main(void) { int n = 0; while (getchar() != EOF) n++; return n; }");
  ASSERT_TRUE(write_file(folder.file("text"), "hello"));
  options.input_file = folder.file("text");
  auto profile = analyze(options);
  ASSERT_TRUE(profile) << profile.error().message();
  EXPECT_EQ(profile->run.exit_code, 5);
  EXPECT_EQ(profile->run.ending, "exited with code 5");
  EXPECT_FALSE(run_trouble(*profile));
}

TEST_F(Analyze, TooMuchOutputEndsIt) {
  source("talk.c", "#include <stdio.h>\nint main(void) { for (;;) puts(\"again\"); }");
  options.limits.output = Bytes{1 << 20};
  auto profile = analyze(options);
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->run.ending, "printed more than 1 MiB");
}

TEST_F(Analyze, WrongOptionsAreToldApart) {
  source("ok.c", "int main(void) { return 0; }");
  options.parameters = {{"N", 1}};
  EXPECT_EQ(analyze(options).error().kind, Trouble::usage);  // no argument 1
  options.arguments = {"many"};
  EXPECT_EQ(analyze(options).error().kind, Trouble::usage);  // not a number
  options.parameters.clear();
  options.cflags = "-no-such-flag-at-all";
  EXPECT_EQ(analyze(options).error().kind, Trouble::unfit);
  options.cflags = "-lno_such_library";
  auto linked = analyze(options);
  ASSERT_FALSE(linked);
  EXPECT_NE(linked.error().what.find("does not link"), std::string::npos);
  EXPECT_FALSE(parameter_of("N"));
  EXPECT_FALSE(parameter_of("N=ARG"));
  EXPECT_FALSE(parameter_of("=ARG1"));
  EXPECT_EQ(parameter_of("size=ARG12")->second, 12);
}

TEST_F(Analyze, ABuildFolderSaysHowToCompile) {
  ASSERT_TRUE(write_file(folder.file("a.c"), "int twice(int);\nint main(void) { return twice(THREE) - 6; }"));
  ASSERT_TRUE(write_file(folder.file("b.c"), "int twice(int x) { return 2 * x; }"));
  const std::string where = folder.path().string();
  ASSERT_TRUE(write_file(folder.file("compile_commands.json"),
                         R"([{"directory": ")" + where + R"(", "file": "a.c", "command": "gcc -O2 -DTHREE=3 -o a.o -c a.c"},
                             {"directory": ")" + where + R"(", "file": "b.c", "arguments": ["cc", "-O1", "-c", "b.c"]}])"));
  options.build_folder = ".";
  auto profile = analyze(options);
  ASSERT_TRUE(profile) << profile.error().message();
  EXPECT_EQ(profile->run.exit_code, 0);
  EXPECT_EQ(profile->ir->functions.size(), 2u);
  ASSERT_TRUE(build_program(options_of(profile->run), folder.file("again")));
  options.build_folder = "nowhere";
  EXPECT_FALSE(analyze(options));
}

}  // namespace
}  // namespace perfcast
