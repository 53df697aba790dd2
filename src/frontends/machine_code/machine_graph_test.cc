// The law of this room: counts of IR blocks, carried over to machine code, are what an emulator counts instruction by
// instruction when it runs the same program.
#include "frontends/machine_code/machine_graph.h"

#include <map>

#include "frontends/llvm_ir/instrument.h"
#include "frontends/machine_code/binary.h"
#include "frontends/machine_code/test_support.h"

namespace perfcast::machine_code {
namespace {

// Branches, copies, switches, recursion, short-circuit conditions, early exits.
const char* const program_in_c = R"(#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned state = 12345;
static unsigned next(void) { state = state * 1103515245u + 12345u; return state >> 16; }
__attribute__((noinline)) static int classify(unsigned x) {
  switch (x % 11) {
    case 0: return 3;
    case 1: return x > 20000 ? 5 : 2;
    case 2: case 3: return 8;
    case 4: if (x & 64) return 1; break;
    case 5: return 13;
    case 7: x /= 3; break;
    case 9: return 21;
  }
  return x & 1 ? -1 : (int)(x & 7);
}
__attribute__((noinline)) static int search(const int* v, int n, int wanted) {
  int low = 0, high = n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (v[middle] == wanted) return middle;
    if (v[middle] < wanted) low = middle + 1; else high = middle;
  }
  return -1;
}
__attribute__((noinline)) static int probe(const int* v, unsigned i) {
  int steps = 0;
  while ((v[i] & 3) != 0 && (v[i] & 28) != 4) i = (i + 1) & 1023, steps++;
  return steps;
}
__attribute__((noinline)) static void sort(int* v, int n) {
  if (n < 2) return;
  int p = v[n / 2], i = 0, j = n - 1;
  for (;; i++, j--) {
    while (v[i] < p) i++;
    while (v[j] > p) j--;
    if (i >= j) break;
    int t = v[i]; v[i] = v[j]; v[j] = t;
  }
  sort(v, i);
  sort(v + i, n - i);
}
__attribute__((noinline)) static int words(const char* s) {
  int in = 0, count = 0;
  for (; *s; s++) {
    int letter = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || *s == '_';
    if (letter && !in) count++;
    in = letter;
  }
  return count;
}
__attribute__((noinline)) static void blend(float* a, const float* b, int n) {
  for (int i = 0; i < n; i++) a[i] = b[i] > 0.5f ? a[i] * b[i] : a[i] + b[i];
}
__attribute__((noinline)) static void dispatch(long* a, const int* kind, int n) {
  for (int i = 0; i < n; i++) switch (kind[i] & 3) {
    case 0: a[i] += 1; break;
    case 1: a[i] ^= 5; break;
    case 2: a[i] *= 3; break;
    default: a[i] = 0;
  }
}
int main(void) {
  static int v[3000];
  static long kinds[1003];
  static float a[1001], b[1001];
  static char text[5000];
  long sum = 0;
  for (int i = 0; i < 3000; i++) v[i] = (int)next() % 5000;
  for (int i = 0; i < 3000; i++) sum += classify((unsigned)v[i]);
  for (int i = 0; i < 2000; i++) sum += probe(v, next() & 1023);
  for (int i = 0; i < 10; i++) dispatch(kinds, v, 1003), sum += kinds[i];
  sort(v, 3000);
  for (int i = 0; i < 2000; i++) sum += search(v, 3000, (int)next() % 5000);
  for (int i = 0; i < 1001; i++) a[i] = 1, b[i] = (float)(next() % 100) / 100;
  for (int i = 0; i < 20; i++) blend(a, b, 1001);
  for (int i = 0; i < 4999; i++) text[i] = "abc _Z9;,"[next() % 9];
  sum += words(text);
  printf("%ld %g\n", sum, (double)a[77]);
  if (sum > 0) exit(0);
  return 1;
}
)";

const char* const program_in_cxx = R"(#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
static int checked(int x) { if (x % 17 == 0) throw std::runtime_error("no"); return x * 3; }
int main() {
  std::map<std::string, int> table;
  std::vector<int> values;
  int caught = 0;
  for (int i = 0; i < 500; i++) {
    try { values.push_back(checked(i)); table[std::to_string(i % 37)] += values.back(); }
    catch (const std::exception&) { caught++; }
  }
  std::printf("%d %zu %d\n", caught, values.size(), table["5"]);
}
)";

struct Compared {
  MachineLevel level;
  Profile traced;
};

Result<Compared> compare(const std::string& name, const std::string& text, const std::string& flags) {
  TRY(TemporaryFolder folder, TemporaryFolder::make("law"));
  CHECK_OK(write_file(folder.file(name), text));
  llvm_ir::CompileRequest request;
  request.sources = {folder.file(name)}, request.cflags = flags, request.early = false;
  TRY(auto program, llvm_ir::compile_program(request));
  TRY(auto run, llvm_ir::count_run(program, llvm_ir::Stage::final, {}));
  Compared c;
  TRY(c.level, machine_level(program, run.units));
  CHECK_OK(llvm_ir::build_plain(program, folder.file("plain")));
  BinaryOptions options;
  options.plain_run = false;
  TRY(c.traced, analyze_binary(folder.file("plain"), {}, options));
  return c;
}

std::uint64_t start_of(const Function& f) {
  std::uint64_t start = ~std::uint64_t{0};
  for (const auto& b : f.blocks)
    if (!b.code.empty()) start = std::min(start, b.code.front().address);
  return start;
}

struct Difference {
  double all = 0, off = 0, off_where_exact = 0;  // executed instructions
};
void add_difference(const Function& ours, const Function& theirs, Difference& d) {
  std::map<std::uint64_t, double> traced;
  for (const auto& b : theirs.blocks)
    for (const auto& i : b.code) traced[i.address - start_of(theirs)] += b.count.value;
  for (const auto& b : ours.blocks)
    for (const auto& i : b.code) {
      const double count = traced[i.address - start_of(ours)], off = std::abs(count - b.count.value);
      d.all += count, d.off += off;
      if (b.count.certainty == Certainty::counted) d.off_where_exact += off;
    }
}

void expect_conserved(const Function& f) {
  std::vector<double> in(f.blocks.size());
  in[0] = f.calls.value;
  for (const auto& b : f.blocks)
    for (const auto& edge : b.next) in[edge.to] += edge.count.value;
  for (std::size_t b = 0; b < f.blocks.size(); ++b)
    EXPECT_NEAR(in[b], f.blocks[b].count.value, 0.5 + 1e-6 * in[b]) << f.name << " " << f.blocks[b].name;
}

class Law : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Law, MachineCountsAreWhatTheEmulatorCounts) {
  NEEDS(host_qemu);
  const auto [name, flags] = GetParam();
  auto compared = compare(name, std::string(name).ends_with(".c") ? program_in_c : program_in_cxx, flags);
  ASSERT_TRUE(compared) << compared.error().message();
  Difference d;
  int functions = 0;
  for (const auto& f : compared->level.graph.functions) {
    expect_conserved(f);
    if (f.calls.value == 0) continue;
    for (const auto& t : compared->traced.machine->functions)
      if (t.name == f.name && !t.library) {
        ++functions;
        EXPECT_EQ(f.calls.value, t.calls.value) << f.name;
        add_difference(f, t, d);
      }
  }
  EXPECT_GT(functions, 4);
  // What a call that throws leaves of its block is not executed, though the block was entered.
  EXPECT_LE(d.off_where_exact, std::string(name).ends_with(".c") ? 0 : 0.0005 * d.all);
  EXPECT_LT(d.off, 0.01 * d.all);
}
INSTANTIATE_TEST_SUITE_P(C, Law, testing::Combine(testing::Values("law.c"), testing::Values("-O0", "-O1", "-O2", "-O3")));
INSTANTIATE_TEST_SUITE_P(Cxx, Law, testing::Combine(testing::Values("law.cc"), testing::Values("-O0", "-O2")));

TEST(MachineGraph, LoopsCallsAndLines) {
  NEEDS(host_qemu);
  auto compared = compare("law.c", program_in_c, "-O2");
  ASSERT_TRUE(compared) << compared.error().message();
  bool printed = false, sorted = false, lines = false;
  for (const auto& f : compared->level.graph.functions)
    for (const auto& b : f.blocks) {
      for (const auto& call : b.calls) printed = printed || call.callee == "printf", sorted = sorted || call.callee == "sort";
      for (const auto& i : b.code) lines = lines || i.line > 0;
      EXPECT_TRUE(!b.loop || *b.loop < static_cast<int>(f.loops.size()));
    }
  EXPECT_TRUE(printed && sorted && lines);
}

// Counts made by hand: the graph must hold for the other instruction set too, wherever this runs.
TEST(MachineGraph, BothInstructionSets) {
  Workshop shop;
  const char* text = "double g[64]; extern void more(int);\n"
                     "double f(const double* a, int n) {\n  double s = 0;\n  for (int i = 0; i < n; i++) s += a[i] * g[i & 63];\n"
                     "  if (s > 3) more(n);\n  return s;\n}\n";
  for (const char* triple : {x86_triple, arm_triple}) {
    SCOPED_TRACE(triple);
    const std::string bitcode = shop.bitcode("f.bc", shop.source("f.c", text), triple, {"-O1"});
    auto code = generate_code_from_file(bitcode, {1, false, {}});
    ASSERT_TRUE(code);
    llvm_ir::UnitCounts counts;
    llvm_ir::FunctionCounts f_counts;
    f_counts.name = f_counts.unique = "f", f_counts.entries = 10;
    f_counts.blocks = {{"entry", 10, {}, 0}, {"for.body", 1000, {}, 0}, {"if.then", 4, {}, 0}};
    counts.functions.push_back(f_counts);
    auto decoder = Decoder::make(triple);
    ASSERT_TRUE(decoder);
    FormTable forms;
    Graph graph;
    std::vector<Gap> gaps;
    ASSERT_TRUE(add_unit(*code, counts, *decoder, forms, graph, gaps));
    ASSERT_EQ(graph.functions.size(), 1u);
    const Function& f = graph.functions[0];
    EXPECT_EQ(f.calls.value, 10);
    ASSERT_EQ(f.loops.size(), 1u);
    EXPECT_EQ(f.loops[0].iterations.value, 1000);
    EXPECT_EQ(f.at.line, 2);
    expect_conserved(f);
    bool called = false;
    for (const auto& b : f.blocks)
      for (const auto& call : b.calls) {
        EXPECT_EQ(call.callee, "more");
        EXPECT_EQ(b.count.value, 4);
        called = true;
      }
    EXPECT_TRUE(called);
  }
}

}  // namespace
}  // namespace perfcast::machine_code
