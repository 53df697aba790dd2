#include "frontends/machine_code/binary.h"

#include <algorithm>

#include "frontends/machine_code/machine_graph.h"
#include "frontends/machine_code/test_support.h"

namespace perfcast::machine_code {
namespace {

const Function* find(const Graph& graph, const std::string& name) {
  for (const auto& f : graph.functions)
    if (f.name == name) return &f;
  return nullptr;
}

// What enters a block leaves it, unless it returns, calls something that does not, or the program ends in it.
void expect_conservation(const Function& f) {
  std::vector<double> in(f.blocks.size());
  in[0] = f.calls.value;
  for (const auto& b : f.blocks)
    for (const auto& edge : b.next) in[edge.to] += edge.count.value;
  for (std::size_t b = 0; b < f.blocks.size(); ++b) {
    EXPECT_EQ(in[b], f.blocks[b].count.value) << f.name << " " << f.blocks[b].name;
    double out = 0;
    for (const auto& edge : f.blocks[b].next) out += edge.count.value;
    EXPECT_LE(out, f.blocks[b].count.value) << f.name << " " << f.blocks[b].name;
  }
}

const char* const work = R"(
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
__attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) double waves(int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += sin(i * 0.1);
  return s;
}
int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 10, v[64];
  for (int i = 0; i < 64; i++) v[i] = (i * 37) % 64;
  qsort(v, 64, sizeof *v, compare);
  printf("%d %f %d\n", fib(n), waves(100 * n), v[5]);
  return 3;
}
)";

TEST(Binary, AProgramOfAnotherCompiler) {
  NEEDS(host_qemu);
  NEEDS("gcc");
  Workshop shop;
  run_or_fail({"gcc", "-O1", "-g", shop.source("work.c", work), "-o", shop.file("work"), "-lm"});
  auto profile = analyze_binary(shop.file("work"), {"12"});
  ASSERT_TRUE(profile) << profile.error().message();
  EXPECT_EQ(profile->run.exit_code, 3);
  EXPECT_GT(profile->run.page_faults, 10);
  const Graph& graph = *profile->machine;
  const Function* fib = find(graph, "fib");
  ASSERT_TRUE(fib);
  EXPECT_EQ(fib->calls.value, 465);  // calls of fib(12)
  EXPECT_TRUE(fib->library_name.empty());
  EXPECT_EQ(fib->at.line, 7);
  expect_conservation(*fib);
  const Function* waves = find(graph, "waves");
  ASSERT_TRUE(waves);
  EXPECT_EQ(waves->calls.value, 1);
  ASSERT_EQ(waves->loops.size(), 1u);
  EXPECT_EQ(waves->loops[0].iterations.value, 1200);
  EXPECT_EQ(waves->loops[0].entries.value, 1);
  expect_conservation(*waves);
  bool line = false;
  for (const auto& b : waves->blocks)
    for (const auto& i : b.code) line = line || i.line == 11;
  EXPECT_TRUE(line);
  EXPECT_EQ(profile->library_calls.at("sin"), 1200);
  EXPECT_EQ(profile->library_calls.at("qsort"), 1);
  double in_libm = 0;
  for (const auto& f : graph.functions)
    if (f.library_name.starts_with("libm")) in_libm += executed_instructions(f);
  EXPECT_GT(in_libm, 1200 * 10);
  const Function* compare = find(graph, "compare");
  ASSERT_TRUE(compare);
  EXPECT_GT(compare->calls.value, 63);
}

TEST(Binary, TheSameEveryTimeAndAllInstructionsAreThere) {
  NEEDS(host_qemu);
  Workshop shop;
  const std::string program = shop.clang("work", shop.source("work.c", work), {"-O2", "-static-pie", "-lm"});
  auto first = analyze_binary(program, {}), second = analyze_binary(program, {});
  ASSERT_TRUE(first && second);
  auto trace = trace_program(program, {});
  ASSERT_TRUE(trace);
  EXPECT_NEAR(executed_instructions(*first->machine), trace->instructions, 0.001 * trace->instructions);
  const Function *a = find(*first->machine, "fib"), *b = find(*second->machine, "fib");
  ASSERT_TRUE(a && b);
  EXPECT_EQ(*a, *b);
}

const std::string bare = std::string(bare_start) + R"(
__attribute__((noinline)) int collatz(unsigned n) { int s = 0; while (n != 1) { n = n & 1 ? 3 * n + 1 : n / 2; s++; } return s; }
int run(void) { int s = 0; for (unsigned i = 1; i <= 50; i++) s += collatz(i); return s & 127; }
)";

TEST(Binary, TheOtherInstructionSet) {
  NEEDS(foreign_qemu);
  Workshop shop;
  const std::string program = shop.clang("bare", shop.source("bare.c", bare), {"--target=" + std::string(foreign_triple), "-O2", "-nostdlib", "-static", "-fuse-ld=lld", "-g"});
  auto profile = analyze_binary(program, {});
  ASSERT_TRUE(profile) << profile.error().message();
  const Function* collatz = find(*profile->machine, "collatz");
  ASSERT_TRUE(collatz);
  EXPECT_EQ(collatz->calls.value, 50);
  expect_conservation(*collatz);
  ASSERT_EQ(collatz->loops.size(), 1u);
  double steps = 0;
  for (unsigned i = 1; i <= 50; i++)
    for (unsigned n = i; n != 1; n = n & 1 ? 3 * n + 1 : n / 2) steps++;
  EXPECT_EQ(collatz->loops[0].iterations.value, steps);
}

TEST(Binary, ErrorsSayWhatAndWhy) {
  NEEDS(host_qemu);
  Workshop shop;
  EXPECT_FALSE(analyze_binary(shop.file("missing"), {}));
  auto text = analyze_binary(shop.source("a.txt", "text"), {});
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message().find("not an ELF"), std::string::npos);
  const std::string crash = shop.clang("crash", shop.source("crash.c", "int main(void) { *(volatile int*)8 = 1; }\n"), {"-O1"});
  auto crashed = analyze_binary(crash, {});
  ASSERT_TRUE(crashed) << crashed.error().message();  // what it did until then is kept, and how it ended is said
  EXPECT_NE(crashed->run.ending.find("signal 11"), std::string::npos) << crashed->run.ending;
  EXPECT_FALSE(crashed->gaps.empty());
  const std::string forever = shop.clang("forever", shop.source("forever.c", "int main(void) { for (volatile int i;;) i = 1; }\n"), {"-O1"});
  BinaryOptions options;
  options.limits.time = Seconds{1};
  auto endless = analyze_binary(forever, {}, options);
  ASSERT_TRUE(endless) << endless.error().message();
  EXPECT_NE(endless->run.ending.find("longer than"), std::string::npos) << endless->run.ending;
  EXPECT_FALSE(endless->gaps.empty());
  const std::string object = shop.clang("a.o", shop.file("crash.c"), {"-c"});
  EXPECT_FALSE(analyze_binary(object, {}));
}

TEST(Binary, LibraryCodeAlone) {
  NEEDS(host_qemu);
  Workshop shop;
  const std::string program = shop.clang("work", shop.source("work.c", work), {"-O2", "-lm"});
  std::vector<InstructionForm> forms(1);
  forms[0].opcode = "already there";
  LibraryTraceOptions options;
  options.own_functions = {"main", "fib", "waves", "compare"};
  auto code = trace_library_code(program, {"20"}, forms, options);
  ASSERT_TRUE(code) << code.error().message();
  EXPECT_TRUE(code->complete);
  EXPECT_FALSE(find(code->graph, "fib"));
  EXPECT_EQ(forms[0].opcode, "already there");
  double libm = 0;
  for (const auto& f : code->graph.functions) {
    EXPECT_FALSE(f.library_name.empty()) << f.name;
    if (f.library_name.starts_with("libm")) libm += executed_instructions(f);
  }
  EXPECT_GT(libm, 2000 * 10);
  const Function* stub = find(code->graph, "sin@plt");
  ASSERT_TRUE(stub);
  EXPECT_EQ(stub->calls.value, 2000);
}

// What a library calls back is not traced, but that it called is.
TEST(Binary, LibraryCodeThatCallsBack) {
  NEEDS(host_qemu);
  Workshop shop;
  const char* text = R"(
#include <stdlib.h>
#include <string.h>
static int numbers(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
static int words(const void* a, const void* b) { return strcmp(a, b); }
int main(void) {
  int v[512]; char w[512][8]; unsigned x = 1;
  for (int i = 0; i < 512; i++) { v[i] = (x = x * 1103515245 + 12345) >> 8; memset(w[i], 'a' + (x >> 20) % 20, 7); w[i][7] = 0; }
  qsort(v, 512, sizeof *v, numbers); qsort(w, 512, sizeof *w, words);
  return v[0] > v[511] || w[0][0] > w[511][0];
}
)";
  const std::string program = shop.clang("sorts", shop.source("sorts.c", text), {"-O1", "-fno-builtin"});
  std::vector<InstructionForm> forms;
  LibraryTraceOptions options;
  options.own_functions = {"main", "numbers", "words"};
  auto code = trace_library_code(program, {}, forms, options);
  ASSERT_TRUE(code) << code.error().message();
  double back = 0, to_stubs = 0;
  for (const auto& f : code->graph.functions)
    for (const auto& block : f.blocks)
      for (const auto& call : block.calls) {
        if (call.callee == "*") back += block.count.value * call.per_execution;
        if (f.library_name.starts_with("libc") && call.callee == "strcmp@plt") to_stubs += block.count.value * call.per_execution;
      }
  EXPECT_GT(back, 2 * 512 * 5);  // some n log n of both sorts
  EXPECT_LT(back, 2 * 512 * 20);
  EXPECT_EQ(to_stubs, 0);
}

// What a program asks of the operating system, but not what loading it does.
TEST(Binary, SystemCallsAreCounted) {
  NEEDS(host_qemu);
  Workshop shop;
  const char* text = R"(
#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int main(void) {
  char buffer[100]; struct timespec t;
  int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY);
  for (int i = 0; i < 500; i++) {
    syscall(SYS_getppid);
    if (read(zero, buffer, 100) != 100 || write(null, buffer, 60) != 60) return 1;
    clock_gettime(CLOCK_MONOTONIC, &t);
  }
  return 0;
}
)";
  const std::string program = shop.clang("asks", shop.source("asks.c", text), {"-O1"});
  auto profile = analyze_binary(program, {});
  ASSERT_TRUE(profile && profile->run.system);
  auto expect = [](const SystemUse& use) {
    EXPECT_GE(use.calls, 1502);
    EXPECT_LT(use.calls, 1520);
    EXPECT_EQ(use.bytes_read, 50000);
    EXPECT_EQ(use.bytes_written, 30000);
    EXPECT_LE(use.clock_reads, 500);  // fewer where the emulator has the kernel's shared page
  };
  expect(*profile->run.system);
  std::vector<InstructionForm> forms;
  LibraryTraceOptions options;
  options.own_functions = {"main"};
  auto code = trace_library_code(program, {}, forms, options);
  ASSERT_TRUE(code);
  expect(code->system);
}

// One long call and a routine that is reached late: the trace goes on until it has seen them, if it may.
TEST(Binary, WorkInOneLongCallIsWaitedFor) {
  NEEDS(host_qemu);
  Workshop shop;
  const char* text = R"(
#include <math.h>
#include <stdlib.h>
static int compare(const void* a, const void* b) { return *(const unsigned*)a < *(const unsigned*)b ? -1 : 1; }
static unsigned v[150000];
int main(void) {
  for (unsigned i = 0, x = 1; i < 150000; i++) v[i] = x = x * 1664525 + 1013904223;
  qsort(v, 150000, sizeof *v, compare);
  volatile double s = 0;
  for (int i = 0; i < 30; i++) s += lgamma(v[i] * 1e-3);
  return s < 0;
}
)";
  const std::string program = shop.clang("long", shop.source("long.c", text), {"-O1", "-lm"});
  std::vector<InstructionForm> forms;
  LibraryTraceOptions options;
  options.own_functions = {"main", "compare"};
  options.known_calls = {{"qsort", 1}, {"lgamma", 30}};
  options.time = Seconds{0.02}, options.patience = Seconds{60};
  auto whole = trace_library_code(program, {}, forms, options);
  ASSERT_TRUE(whole);
  EXPECT_FALSE(whole->cut);
  const Function* stub = find(whole->graph, "lgamma@plt");
  ASSERT_TRUE(stub);
  EXPECT_GE(stub->calls.value, 20);
  options.patience = Seconds{0.02};
  auto cut = trace_library_code(program, {}, forms, options);
  ASSERT_TRUE(cut);
  EXPECT_TRUE(cut->cut);
  EXPECT_FALSE(cut->complete);
  EXPECT_TRUE(std::ranges::any_of(cut->gaps, [](const Gap& gap) { return gap.what.find("ended before the work of") != gap.what.npos; }));
  options.not_awaited = {"qsort", "lgamma"};
  auto brief = trace_library_code(program, {}, forms, options);
  ASSERT_TRUE(brief);
  EXPECT_FALSE(brief->cut);
}

TEST(Binary, InstructionsThatTheEmulatorLacksAreTold) {
  NEEDS(host_qemu);
  Workshop shop;
#if defined(__x86_64__)
  // A program that traps by itself is another matter.
  auto traps = analyze_binary(shop.clang("trap", shop.source("trap.c", "int main(void) { __builtin_trap(); }\n"), {"-O1"}), {});
  ASSERT_TRUE(traps) << traps.error().message();
  EXPECT_NE(traps->run.ending.find("SIGILL"), std::string::npos) << traps->run.ending;
  if (!__builtin_cpu_supports("avx512f")) GTEST_SKIP() << "this processor lacks them too";
  const char* text = "int main(void) { __asm__ volatile(\"vpxorq %zmm0, %zmm0, %zmm0\"); return 0; }\n";
  auto wide = analyze_binary(shop.clang("wide", shop.source("wide.c", text), {"-O1", "-mavx512f"}), {});
  ASSERT_FALSE(wide);
  EXPECT_NE(wide.error().message().find("instructions that qemu does not know"), std::string::npos) << wide.error().message();
#endif
}

TEST(Binary, ThreadsAreAddedUp) {
  NEEDS(host_qemu);
  Workshop shop;
  const char* text = R"(
#include <pthread.h>
__attribute__((noinline)) int step(volatile int* x) { return ++*x; }
static void* work(void* p) { for (int i = 0; i < 100000; i++) step(p); return 0; }
int main(void) { pthread_t t[4]; int x[4] = {0}; for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, work, &x[i]);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0); return 0; }
)";
  auto profile = analyze_binary(shop.clang("threads", shop.source("threads.c", text), {"-O1", "-pthread"}), {});
  ASSERT_TRUE(profile) << profile.error().message();
  const Function* step = find(*profile->machine, "step");
  ASSERT_TRUE(step);
  EXPECT_EQ(step->blocks[0].count.value, 400000);
}

}  // namespace
}  // namespace perfcast::machine_code
