#include "frontends/llvm_ir/source_loops.h"

#include <gtest/gtest.h>

#include "frontends/llvm_ir/address_trace.h"
#include "frontends/llvm_ir/remarks.h"

namespace perfcast::llvm_ir {
namespace {

constexpr const char* loops = R"(#include <stdlib.h>
__attribute__((noinline)) void daxpy(int n, double a, const double *x, double *y) {
  for (int i = 0; i < n; i++) y[i] += a * x[i];
}
__attribute__((noinline)) double dot(int n, const double *x, const double *y) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * y[i];
  return s;
}
__attribute__((noinline)) void stencil(int n, const double *restrict x, double *restrict y) {
  for (int i = 1; i < n - 1; i++) y[i] = (x[i - 1] + x[i] + x[i + 1]) * 0.333;
}
__attribute__((noinline)) void third(int n, double *a) {
  for (int i = 3; i < n; i++) a[i] = a[i - 3] * 0.9 + 1;
}
__attribute__((noinline)) double gather(int n, const int *at, const double *x, double *y) {
  double most = 0;
  for (int i = 0; i < n; i++)
    if (x[at[i]] > most) most = x[at[i]];
  return most;
}
__attribute__((noinline)) int search(int n, const int *sorted, int key) {
  int low = 0, high = n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (sorted[middle] < key) low = middle + 1; else high = middle;
  }
  return low;
}
__attribute__((noinline)) double restarts(int n, const double *x) {
  double s = 1;
  for (int i = 0; i < n; i++) s = i % 4 == 3 ? x[i] : s * 1.5;
  return s;
}
__attribute__((noinline)) void roots(int n, double *x) {
  for (int i = 0; i < n; i++) x[i] = __builtin_sqrt(x[i]);
}
__attribute__((noinline)) void relaxed(int n, const double *y, double *x) {
  for (int i = 1; i < n; i++) x[i] = x[i] + 0.175 * (x[i - 1] * y[i] + y[i] - x[i]);
}
__attribute__((noinline)) unsigned long digits(int n, const int *at) {
  unsigned long rest = n, sum = 0;
  for (int i = 0; i < n; i++) { rest = rest << 8 | (unsigned char)at[i]; sum += rest / (unsigned long)n; rest %= (unsigned long)n; }
  return sum + rest;
}
__attribute__((noinline)) double either(int n, const double *x) {
  double s = 1;
  for (int i = 0; i < n; i++) {
    if (x[i] > 0.5) s = s * 0.999;
    else s = s + x[i];
  }
  return s;
}
__attribute__((noinline)) double fibonacci(int n, double a, double b) {
  for (int i = 0; i < n; i++) { double t = a + b; a = b; b = t; }
  return b;
}
__attribute__((noinline)) double product_last(int n, const double *x) {
  double s = 0;
  for (int i = 0; i < n; i++) s = 0.1 * x[i] + 0.9 * s;
  return s;
}
__attribute__((noinline)) double difference(int n, const double *x) {
  double s = 0;
  for (int i = 0; i < n; i++) s = x[i] * x[i] - s * x[i];
  return s;
}
__attribute__((noinline)) unsigned hash(int n, const int *at) {
  unsigned h = 0;
  for (int i = 0; i < n; i++) h = h * 37 + (unsigned)at[i];
  return h;
}
__attribute__((noinline)) void halves(int n, double *x) {
  for (int i = 1; i < n; i++) x[i] = x[i - 1] * 0.5;
}
struct wide { double v[7]; };
__attribute__((noinline)) void copies(int n, struct wide *restrict to, const struct wide *restrict from) {
  for (int i = 0; i < n; i++) to[i] = from[n - 1 - i];
}
struct long_one { double v[100]; };
__attribute__((noinline)) void long_copies(int n, struct long_one *restrict to, const struct long_one *restrict from) {
  for (int i = 0; i < n; i++) to[i] = from[n - 1 - i];
}
__attribute__((noinline)) void every_other(int n, double *restrict to, const double *restrict from) {
  for (int i = 0; i < n; i++) to[i] = from[2 * i];
}
__attribute__((noinline)) void positive(int n, double *restrict to, const double *restrict from) {
  for (int i = 0; i < n; i++) to[i] = from[i] > 0 ? from[i] : 0;
}
__attribute__((noinline)) int word(const char *text) {
  int length = 0;
  while (*text && *text != ' ') text++, length++;
  return length;
}
__attribute__((noinline)) double in_vectors(int n, const double *x) {
  double s = 0;
#pragma omp simd reduction(+ : s)
  for (int i = 0; i < n; i++) s += x[i];
  return s;
}
__attribute__((noinline)) double through_short(int n, const double *x) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 4; k++) s = s * 0.5 + x[k];
  return s;
}
__attribute__((noinline)) double through_any(int n, int m, const double *x) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++) s = s * 0.5 + x[k];
  return s;
}
static inline double helped(double x) {
  return x * 3 + 1;
}
int main(void) {
  double *x = calloc(103, 8), *y = calloc(103, 8), s = 0;
  int *at = calloc(103, 4);
  for (int i = 0; i < 103; i++) s += search(103, at, i % 2), s += restarts(103, x);
  roots(103, x);
  relaxed(103, y, x), s += digits(103, at);
  struct wide *from = calloc(103, sizeof *from), *to = calloc(103, sizeof *to);
  for (int i = 0; i < 103; i++) y[i] = i % 2;
  s += either(100, y + 1) + fibonacci(103, 1, 2) + product_last(103, x) + difference(103, y) + hash(103, at);
  struct long_one *far = calloc(6, sizeof *far);
  long_copies(3, far, far + 3), halves(103, x), copies(103, to, from), every_other(50, x, y);
  for (int i = 0; i < 103; i++) x[i] = i % 2 ? 1 : -1;
  positive(103, y, x), s += word("three") + word("four and") + in_vectors(103, x) + through_short(103, x) + through_any(103, 4, x);
  for (int i = 0; i < 103; i++)
    y[i] = helped(x[i]);
  for (int k = 0; k < 10; k++) { daxpy(103, 2, x, y); s += dot(103, x, y); stencil(103, x, y); third(103, x); s += gather(103, at, x, y); }
  return s > 1;
}
)";

struct Found {
  std::vector<SourceLoop> loops;
  std::vector<CompilerRemark> remarks;
  const SourceLoop& in(const std::string& function) const {
    for (const auto& loop : loops)
      if (loop.function == function) return loop;
    throw std::runtime_error("no loop in " + function);
  }
};

Result<Found> found_in(const std::string& flags) {
  TRY(TemporaryFolder folder, TemporaryFolder::make("test"));
  CHECK_OK(write_file(folder.file("loops.c"), loops));
  CompileRequest request;
  request.sources = {folder.file("loops.c")}, request.cflags = flags;
  TRY(CompiledProgram program, compile_program(request));
  TRY(CountedRun run, count_run(program, Stage::early, {}));
  Found found;
  TRY(found.loops, source_loops(program, Stage::early, run));
  found.remarks = compiler_remarks(program);
  return found;
}

double elements(const SourceLoop& loop, bool store) {
  double sum = 0;
  for (const auto& reference : loop.references) sum += reference.store == store ? reference.elements : 0;
  return sum;
}

TEST(SourceLoops, EssentialOperationsWhateverTheFlags) {
  for (const char* flags : {"-O0", "-O3"}) {
    auto found = found_in(flags);
    ASSERT_TRUE(found) << found.error().message();
    const SourceLoop& daxpy = found->in("daxpy");
    EXPECT_EQ(daxpy.operations, (std::map<std::string, double>{{"fma.f64", 1}})) << flags;
    EXPECT_EQ(daxpy.iterations, 1030) << flags;
    EXPECT_EQ(daxpy.entries, 10) << flags;
    EXPECT_EQ(elements(daxpy, false), 2) << flags;
    EXPECT_EQ(elements(daxpy, true), 1) << flags;
    EXPECT_TRUE(daxpy.recurrences.empty()) << flags;
    EXPECT_EQ(elements(found->in("stencil"), false), 1) << flags;  // x(i-1) and x(i) were there before
    EXPECT_EQ(found->in("stencil").flops, 3) << flags;
  }
}

// Who asks for vectors has said that the order of the sum does not matter.
TEST(SourceLoops, VectorsThatAreAskedForMayReorderSums) {
  testing::internal::CaptureStderr();
  auto strict = found_in("-O2"), simd = found_in("-O2 -fopenmp-simd");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "we do not vectorise; the compiler did";
  ASSERT_TRUE(strict && simd);
  ASSERT_FALSE(strict->in("in_vectors").recurrences.empty() || simd->in("in_vectors").recurrences.empty());
  EXPECT_FALSE(strict->in("in_vectors").recurrences[0].allowed);
  EXPECT_TRUE(simd->in("in_vectors").recurrences[0].allowed);
  EXPECT_FALSE(simd->in("dot").recurrences[0].allowed);
}

TEST(SourceLoops, RecurrencesWithDistanceAndOrder) {
  auto found = found_in("-O2");
  ASSERT_TRUE(found) << found.error().message();
  const SourceLoop& dot = found->in("dot");
  ASSERT_FALSE(dot.recurrences.empty());
  EXPECT_TRUE(dot.recurrences[0].reassociable);
  EXPECT_FALSE(dot.recurrences[0].allowed);
  const SourceLoop& third = found->in("third");
  ASSERT_FALSE(third.recurrences.empty());
  EXPECT_EQ(third.recurrences[0].distance, 3);
  EXPECT_FALSE(third.recurrences[0].reassociable);
  EXPECT_EQ(elements(third, false), 0);  // all it loads was stored three iterations before
  EXPECT_FALSE(found->in("gather").references.empty());
  auto fast = found_in("-O2 -ffast-math");
  ASSERT_TRUE(fast) << fast.error().message();
  EXPECT_TRUE(fast->in("dot").recurrences[0].allowed);
  bool said = false;
  for (const auto& remark : found->remarks) said = said || (remark.at.line == 7 && remark.pass == "loop-vectorize" && remark.missed);
  EXPECT_TRUE(said);
}

// Four steps an iteration where the loop inside is unrolled whole; one of unknown length is a loop of its own.
TEST(SourceLoops, RecurrencesThroughAShortLoopInside) {
  auto found = found_in("-O2");
  ASSERT_TRUE(found) << found.error().message();
  const SourceLoop &around = found->in("through_short"), &around_any = found->in("through_any");
  ASSERT_FALSE(around.innermost || around_any.innermost);
  ASSERT_FALSE(around.recurrences.empty());
  EXPECT_EQ(around.recurrences[0].operations, (std::map<std::string, double>{{"fma.f64", 4}}));
  EXPECT_EQ(around.operations.count("fma.f64"), 0);  // those are the inner loop's
  EXPECT_TRUE(around_any.recurrences.empty());
}

// What a core may foresee carries nothing; what begins anew is no chain; a root is one operation, errno or not.
TEST(SourceLoops, ChoicesCarryWhatTheyChose) {
  auto found = found_in("-O2");
  ASSERT_TRUE(found) << found.error().message();
  for (const Recurrence& recurrence : found->in("search").recurrences)
    for (const auto& [name, times] : recurrence.operations) EXPECT_FALSE(name.starts_with("load")) << "the loaded value only decides";
  for (const Recurrence& recurrence : found->in("restarts").recurrences) EXPECT_FALSE(recurrence.operations.contains("fmul.f64"));
  EXPECT_EQ(found->in("roots").operations, (std::map<std::string, double>{{"sqrt.f64", 1}}));
}

// Sums and products of what is carried are one step where they may be done in any order; a remainder comes with its division.
TEST(SourceLoops, AChainIsAsShortAsTheRulesAllow) {
  auto strict = found_in("-O2"), fast = found_in("-O2 -ffast-math");
  ASSERT_TRUE(strict && fast);
  double strictly = 0;
  for (const auto& [name, times] : strict->in("relaxed").recurrences.at(0).operations) strictly += times;
  EXPECT_GE(strictly, 3);
  EXPECT_EQ(fast->in("relaxed").recurrences.at(0).operations, (std::map<std::string, double>{{"fma.f64", 1}}));
  const auto& chain = strict->in("digits").recurrences.at(0).operations;
  EXPECT_FALSE(chain.contains("mul.i64"));
  EXPECT_EQ(chain.count("udiv.i64") + chain.count("urem.i64"), 1u);
}

double times(const std::map<std::string, double>& operations, const std::string& name) {
  auto it = operations.find(name);
  return it == operations.end() ? 0 : it->second;
}

// Every way of an iteration counts, by how often it is taken; of two products a sum may take up either, with either sign.
TEST(SourceLoops, AChainGoesEveryWay) {
  auto found = found_in("-O2");
  ASSERT_TRUE(found) << found.error().message();
  const auto& either = found->in("either").recurrences.at(0);
  EXPECT_NEAR(times(either.operations, "fmul.f64"), 0.5, 0.02);
  EXPECT_NEAR(times(either.operations, "fadd.f64"), 0.5, 0.02);
  EXPECT_FALSE(either.reassociable);
  for (const char* function : {"product_last", "difference"}) {
    const SourceLoop& loop = found->in(function);
    EXPECT_EQ(loop.recurrences.at(0).operations, (std::map<std::string, double>{{"fma.f64", 1}})) << function;
    EXPECT_EQ(times(loop.operations, "fneg.f64"), 0) << function;
  }
}

// Numbers of second order are no sum; a hash is linear, so that many steps can be taken at once.
TEST(SourceLoops, OrderIsAllThatMakesSomeChains) {
  for (const char* flags : {"-O2", "-O2 -ffast-math"}) {
    auto found = found_in(flags);
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_FALSE(found->in("fibonacci").recurrences.at(0).reassociable) << flags;
    EXPECT_TRUE(found->in("hash").recurrences.at(0).allowed) << flags;
    EXPECT_EQ(found->in("halves").recurrences.at(0).allowed, std::string(flags) != "-O2") << flags;
  }
}

TEST(SourceLoops, WholeVectorsBringWhatLiesTogether) {
  auto found = found_in("-O2");
  ASSERT_TRUE(found) << found.error().message();
  const SourceLoop& copies = found->in("copies");
  EXPECT_EQ(elements(copies, false), 7);
  EXPECT_EQ(elements(copies, true), 7);
  EXPECT_TRUE(copies.calls.empty());
  EXPECT_TRUE(found->in("long_copies").references.empty());  // a library's
  for (const Reference& reference : copies.references) EXPECT_TRUE(reference.contiguous());
  for (const Reference& reference : found->in("every_other").references) EXPECT_TRUE(reference.contiguous());
  for (const Reference& reference : found->in("gather").references) EXPECT_EQ(reference.contiguous(), reference.type == "i32");
}

TEST(SourceLoops, AMaximumIsOneOperation) {
  auto found = found_in("-O2");
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->in("positive").operations, (std::map<std::string, double>{{"fmax.f64", 1}}));
  EXPECT_EQ(found->in("positive").flops, 1);
}

// A condition of two parts is one test.
TEST(SourceLoops, TestsAreNoIterations) {
  auto found = found_in("-O2");
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->in("word").iterations, 5 + 4);
  EXPECT_EQ(found->in("word").entries, 2);
}

// The lines of a loop are those it is written in, not those of what was inlined into it.
TEST(SourceLoops, LinesAreTheLoopsOwn) {
  auto found = found_in("-O2");
  ASSERT_TRUE(found) << found.error().message();
  bool seen = false;
  for (const SourceLoop& loop : found->loops)
    if (loop.function == "main" && loop.operations.contains("fma.f64")) {
      seen = true;
      EXPECT_EQ(loop.last_line - loop.first_line, 1);
    }
  EXPECT_TRUE(seen);
}

// Two loops of a macro begin at one place, and so do a nest's outer and inner one: each has iterations of its own.
TEST(SourceLoops, LoopsOfOnePlaceAreCountedApart) {
  auto folder = TemporaryFolder::make("test");
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_file(folder->file("macro.c"), R"(#define TWO(x, y, s) for (int i = 0; i < 90; i++) y[i] += 2 * x[i]; for (int i = 0; i < 40; i++) s += x[i] / y[i];
#define NEST(a) for (int i = 0; i < 7; i++) for (int j = 0; j < 30; j++) a[30 * i + j] *= 3;
static double x[210], y[90];
int main(void) {
  volatile double kept; double s = 0;
  for (int i = 0; i < 90; i++) x[i] = i, y[i] = 1;
  TWO(x, y, s)
  NEST(x)
  kept = s + x[5];
  return kept < 0;
}
)"));
  CompileRequest request;
  request.sources = {folder->file("macro.c")}, request.cflags = "-O2";
  auto program = compile_program(request);
  ASSERT_TRUE(program) << program.error().message();
  auto run = count_run(*program, Stage::early, {});
  ASSERT_TRUE(run) << run.error().message();
  auto loops = source_loops(*program, Stage::early, *run);
  ASSERT_TRUE(loops) << loops.error().message();
  std::map<int, std::map<double, int>> found;  // by line: iterations and number
  for (const SourceLoop& loop : *loops) found[loop.at.line][loop.iterations] = loop.beside;
  EXPECT_EQ(found[7], (std::map<double, int>{{90, 0}, {40, 1}}));
  EXPECT_EQ(found[8].count(210), 1u);
  EXPECT_EQ(found[8].count(217), 0u);
}

TEST(AddressTrace, WritesEveryAccessOfTheLines) {
  auto folder = TemporaryFolder::make("test");
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_file(folder->file("loops.c"), loops));
  CompileRequest request;
  request.sources = {folder->file("loops.c")}, request.cflags = "-O1", request.early = false;
  auto program = compile_program(request);
  ASSERT_TRUE(program) << program.error().message();
  auto places = trace_addresses(*program, {folder->file("loops.c"), 3, 3, folder->file("trace")}, {});
  ASSERT_TRUE(places) << places.error().message();
  EXPECT_EQ(places->places, 3);
  EXPECT_TRUE(places->whole);
  auto bytes = read_file(folder->file("trace.0"));
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->size(), 32u + 16u * 3 * 1030);
  EXPECT_EQ(bytes->substr(0, 8), "PFTRACE1");
  auto cut = trace_addresses(*program, {folder->file("loops.c"), 3, 3, folder->file("short"), 100}, {});
  ASSERT_TRUE(cut) << cut.error().message();
  EXPECT_FALSE(cut->whole);
}

// Accessors have lines of their own; what they load belongs to the line that calls them.
TEST(AddressTrace, WhatWasInlinedBelongsToTheLine) {
  auto folder = TemporaryFolder::make("test");
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_file(folder->file("access.cc"), R"(struct Box { double v[64]; double at(int i) const {
  return v[i]; } };
static Box box;
__attribute__((noinline)) void copy(double* to, const Box& from) {
  for (int i = 0; i < 64; i++) to[i] = from.at(i);
}
int main() { double to[64]; box.v[1] = 1; copy(to, box); return to[0] > 1; }
)"));
  CompileRequest request;
  request.sources = {folder->file("access.cc")}, request.cflags = "-O1 -fno-unroll-loops", request.early = false;
  auto program = compile_program(request);
  ASSERT_TRUE(program) << program.error().message();
  auto traced = trace_addresses(*program, {folder->file("access.cc"), 5, 5, folder->file("trace")}, {});
  ASSERT_TRUE(traced) << traced.error().message();
  auto bytes = read_file(folder->file("trace.0"));
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->size(), 32u + 16u * 2 * 64);
}

}  // namespace
}  // namespace perfcast::llvm_ir
