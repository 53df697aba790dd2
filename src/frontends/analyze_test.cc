// The door as users meet it: programs that end in every way, options that are wrong, several levels at once.
#include "frontends/analyze.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/files.h"
#include "engine/memory/hits.h"
#include "frontends/machine_code/test_support.h"
#include "frontends/analyze_parallel.h"

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

// Modules are written for one compiler; mpif.h is for all.
TEST_F(Analyze, FortranWithRanksUsesTheModuleMpi) {
  if (!find_program("mpifort")) GTEST_SKIP() << "no mpifort";
  ::setenv("PERFCAST_HOME", folder.file("home").c_str(), 1);
  source("p.f90", "program p\n use mpi\n integer :: ierr, r\n double precision :: s, t\n call MPI_Init(ierr)\n"
                  " call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)\n s = r\n"
                  " call MPI_Allreduce(s, t, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)\n call MPI_Finalize(ierr)\nend program\n");
  auto profile = analyze_parallel(options, {{2}, 0});
  ::unsetenv("PERFCAST_HOME");
  ASSERT_TRUE(profile) << profile.error().message();
  EXPECT_FALSE(profile->messages.is_null());
  EXPECT_TRUE(profile->ir);
  options.sources.clear();
  source("q.f90", "program q\n use mpi_f08\n call MPI_Init()\n call MPI_Finalize()\nend program\n");
  auto newer = analyze_parallel(options, {{2}, 0});
  ASSERT_FALSE(newer);
  EXPECT_NE(newer.error().try_this.find("--binary"), std::string::npos);
}

// The header's C++ classes, which optimisation would drop, need a library of their own; threads inside ranks are told.
TEST_F(Analyze, CxxWithRanksLinksUnoptimised) {
  if (!find_program("mpicxx")) GTEST_SKIP() << "no mpicxx";
  source("sum.cc", R"(#include <mpi.h>
int main(int c, char** v) {
  MPI_Init(&c, &v);
  double x = 1, y = 0;
#pragma omp parallel
  { volatile double z = x; (void)z; }
  MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
})");
  options.cflags = "-O0 -fopenmp";
  auto profile = analyze_parallel(options, {{2}, 0});
  ASSERT_TRUE(profile) << profile.error().message();
  EXPECT_TRUE(std::ranges::any_of(profile->gaps, [](const Gap& gap) { return gap.what.find("threads of their own") != std::string::npos; }));
}

// Of the rank that is counted, without what MPI's routines do; the others only run along.
TEST_F(Analyze, LibrariesOfARankAreTraced) {
  if (!find_program("mpicc") || !find_program("qemu-x86_64")) GTEST_SKIP() << "no MPI, or no qemu";
  source("sines.c", R"(#include <math.h>
#include <mpi.h>
int main(int c, char** v) {
  int rank;
  double x = 0, all = 0;
  MPI_Init(&c, &v);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (volatile int busy = rank ? 20000000 : 0; busy > 0; busy--) {}  // the busiest is counted
  for (int i = 0; i < (rank ? 3000 : 30); i++) {
    x += sin(0.001 * i);
    if (i % 10 == 0 && i < 30) MPI_Allreduce(&x, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return all > 1e9;
})");
  options.cflags = "-O1 -lm";
  options.machine_level = options.ir_level = true;
  auto profile = analyze_parallel(options, {{2}, 0});
  ASSERT_TRUE(profile) << profile.error().message();
  ASSERT_TRUE(profile->machine);
  EXPECT_FALSE(profile->run.libraries_cut);
  double sine = 0, messages = 0;
  for (const Function& f : profile->machine->functions) {
    if (f.name.starts_with("sin@plt")) sine += f.calls.value;
    if (f.library_name.starts_with("libmpi") || f.library_name.starts_with("libopen-")) messages++;
  }
  EXPECT_EQ(sine, 3000);
  EXPECT_EQ(messages, 0);
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
  for (const char* taken : {"mod=ARG1", "log2=ARG1", "N M=ARG1", "H1=ARG1"}) EXPECT_FALSE(parameter_of(taken)) << taken;
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

// Lines that come from each level of a small machine: 32 KB, 256 KB, 1 MB, memory.
std::vector<double> lines_by_level(const Graph& graph) {
  MemoryModel memory;
  memory.levels.resize(4);
  for (auto [level, bytes] : {std::pair{0, 32768.0}, {1, 262144.0}, {2, 1048576.0}}) {
    Measurement capacity;
    capacity.value = bytes;
    memory.levels[static_cast<std::size_t>(level)].capacity_bytes = capacity;
  }
  std::vector<double> lines(4, 0.0);
  for (const Function& function : graph.functions)
    for (const Block& block : function.blocks)
      for (const Access& access : block.accesses) {
        auto served = engine::served_by(access, memory, {1e9, nullptr, 0});
        for (std::size_t i = 0; i < lines.size(); i++) lines[i] += access.count * (served.near[i] + served.alone[i]);
      }
  return lines;
}

TEST_F(Analyze, CallsThatTheCodeGeneratorAddsAreFollowed) {
  NEEDS(machine_code::host_qemu);
  source("powers.c", R"(int main(int argc, char **argv) {
  unsigned long a = argc + 4, r = 0;
  (void)argv;
  for (int i = 0; i < 3000; i++)
    r += a = (unsigned __int128)a * a % 1000003 + 2;
  return r == 0;
}
)");
  options.machine_level = true, options.cflags = "-O2";
  auto profile = analyze(options);
  ASSERT_TRUE(profile) << profile.error().message();
  ASSERT_TRUE(profile->machine);
  EXPECT_TRUE(std::ranges::any_of(profile->machine->functions, [](const Function& f) { return f.name == "__umodti3"; }));
}

// qemu has no AVX-512; what the program calls in libraries is the same without.
TEST_F(Analyze, LibrariesOfAnAvx512ProgramAreTraced) {
#if !defined(__x86_64__)
  if (!std::filesystem::exists("/usr/x86_64-linux-gnu/lib")) GTEST_SKIP() << "no C library of x86_64";
  options.target = "x86_64-linux-gnu";
#endif
  NEEDS("qemu-x86_64");
  source("wide.c", R"(double sin(double);
static double a[512];
int main(void) {
  double s = 0;
  for (int k = 0; k < 20; k++) {
    for (int i = 0; i < 512; i++) a[i] = 1.5 * a[i] + i;
    for (int i = 0; i < 512; i++) s += sin(a[i]);
  }
  return s > 1e9;
}
)");
  options.machine_level = true, options.memory_level = options.source_level = false, options.cflags = "-O3 -march=x86-64-v4 -mprefer-vector-width=512 -lm";
  auto profile = analyze(options);
  ASSERT_TRUE(profile) << profile.error().message();
  ASSERT_TRUE(profile->machine);
  EXPECT_TRUE(std::ranges::any_of(profile->forms, [](const InstructionForm& form) { return form.vector_bits == 512; }));
  EXPECT_TRUE(std::ranges::any_of(profile->machine->functions, [](const Function& f) { return f.library && f.name.find("sin") != f.name.npos; }));
  for (const Gap& gap : profile->gaps) EXPECT_EQ(gap.what.find("not traced"), gap.what.npos) << gap.what;
}

// Nothing in the source tells that the copy made for this host will take the other way.
TEST_F(Analyze, ACopyThatDoesOtherwiseIsNotBelieved) {
#if defined(__x86_64__)
  const std::string other = "aarch64";
#else
  const std::string other = "x86_64";
#endif
  NEEDS("qemu-" + other);
  if (!std::filesystem::exists("/usr/" + other + "-linux-gnu/lib")) GTEST_SKIP() << "no C library of " << other;
  const std::string text = R"(int uname(void *);
int main(void) {
  static char name[6][65];
  volatile long s = 0;
  uname(name);
  for (int i = 0; i < (name[4][0] == ASKED ? 5000 : 5); i++) s += i;
  return 0;
}
)";
  source("machine.c", text);
  options.target = other + "-linux-gnu", options.memory_level = options.source_level = options.machine_level = false, options.ir_level = true;
  auto most_in = [&](char letter) {
    options.cflags = "-O1 -DASKED=" + std::to_string(letter);
    auto profile = analyze(options);
    if (!profile) return std::pair(profile.error().message(), 0.0);
    double most = 0;
    for (const Block& block : profile->ir->functions[0].blocks) most = std::max(most, block.count.value);
    return std::pair(profile->made_by.more["counted"], most);
  };
  auto [how, times] = most_in(other[0]);
  EXPECT_EQ(how, "under qemu-user: the copy for this host counts otherwise");
  EXPECT_GE(times, 5000);
  EXPECT_EQ(most_in('?').first, "on this host, from the same IR");
}

// The same source by two compilers, watched in two ways: in the IR of one, under emulation for the binary of the other.
TEST_F(Analyze, ABinaryMissesAsTheCompiledProgramDoes) {
  NEEDS("gcc");
  NEEDS(machine_code::host_qemu);
  source("levels.c", R"(#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; long pad[7]; };
int main(void) {
  enum { far = 300000, middle = 65536, near = 2048, steps = 200000 };
  double *a = malloc(far * sizeof *a), s = 0;
  long *b = malloc(middle * sizeof *b), t = 0;
  struct node *c = malloc(near * sizeof *c), *p = c;
  unsigned x = 1;
  for (long i = 0; i < far; i++) a[i] = i;
  for (long i = 0; i < middle; i++) b[i] = i;
  for (long i = 0; i < near; i++) c[i * 1031 % near].next = &c[(i + 1) * 1031 % near];
  for (int k = 0; k < 3; k++)
    for (long i = 0; i < far; i++) s += a[i];
  for (long i = 0; i < steps; i++) x = x * 1664525u + 1013904223u, t += b[x >> 16];
  for (long i = 0; i < steps; i++) p = p->next;
  printf("%g %ld %ld\n", s, t, (long)(p - c));
  return 0;
}
)");
  RunRequest gcc;
  gcc.command = {"gcc", "-O2", folder.file("levels.c"), "-o", folder.file("levels")};
  ASSERT_TRUE(run_program(gcc)->ok());
  options.memory_level = options.whole_run = true, options.cflags = "-O2";
  auto compiled = analyze(options);
  ASSERT_TRUE(compiled) << compiled.error().message();
  options.sources.clear(), options.cflags.clear(), options.binary = folder.file("levels");
  auto binary = analyze(options);
  ASSERT_TRUE(binary) << binary.error().message();
  auto expected = lines_by_level(*compiled->ir), found = lines_by_level(*binary->machine);
  for (std::size_t i = 1; i < expected.size(); i++) {
    EXPECT_GT(expected[i], 10000) << i;
    EXPECT_NEAR(found[i], expected[i], 0.1 * expected[i]) << i;
  }
}

TEST_F(Analyze, ABrokenListOfCommandsIsRefused) {
  options.build_folder = ".";
  for (const char* broken : {"{}", "7", "[7]", R"([{"file": 3}])", R"([{"file": "a.c", "directory": 3}])", R"([{"file": "a.c", "arguments": "cc a.c"}])",
                             R"([{"file": "a.c", "arguments": ["cc", 3]}])", R"([{"file": "a.c", "command": ["cc"]}])"}) {
    ASSERT_TRUE(write_file(folder.file("compile_commands.json"), broken));
    auto refused = analyze(options);
    ASSERT_FALSE(refused) << broken;
    EXPECT_NE(refused.error().where.find("compile_commands.json"), std::string::npos) << broken << ": " << refused.error().message();
  }
}

TEST_F(Analyze, AParameterIsAFiniteNumber) {
  source("a.c", "int main(void) { return 0; }");
  options.parameters = {{"N", 1}};
  for (const char* text : {"nan", "inf", "1e999", "ten"}) {
    options.arguments = {text};
    auto refused = analyze(options);
    ASSERT_FALSE(refused) << text;
    EXPECT_NE(refused.error().what.find("is not a number"), std::string::npos) << refused.error().message();
  }
}

TEST_F(Analyze, ABuildOfCMakeNamesItsPrograms) {
  const std::string where = folder.path().string();
  ASSERT_TRUE(write_file(folder.file("a.c"), "// perfcast: region all\nint main(void) { return 0; }\n// perfcast: end\n"));
  ASSERT_TRUE(write_file(folder.file("b.c"), "int main(void) { return 1; }"));
  auto entry = [&](const std::string& name, const std::string& target) {
    return R"({"directory": ")" + where + R"(", "file": ")" + where + "/" + name + R"(", "command": "cc -O1 -o CMakeFiles/)" + target + ".dir/" + name +
           ".o -c " + where + "/" + name + "\"}";
  };
  ASSERT_TRUE(write_file(folder.file("compile_commands.json"), "[" + entry("a.c", "first") + "," + entry("b.c", "second") + "]"));
  options.build_folder = ".";
  auto both = analyze(options);
  ASSERT_FALSE(both);
  EXPECT_NE(both.error().try_this.find("first: a.c"), std::string::npos) << both.error().message();
  options.sources = {"a.c"};
  options.source_level = options.machine_level = true;
  auto one = analyze(options);
  ASSERT_TRUE(one) << one.error().message();
  EXPECT_EQ(one->program, "first");
  // All levels spell a file alike, so that regions of the source hold machine code too.
  ASSERT_EQ(one->regions.size(), 1u);
  ASSERT_TRUE(one->machine && !one->machine->functions.empty());
  EXPECT_EQ(one->machine->functions[0].blocks[0].at.file, one->regions[0].file);
}

}  // namespace
}  // namespace perfcast
