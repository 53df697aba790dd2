#include "frontends/clang_ast/read_c_family.h"

#include <gtest/gtest.h>

#include <cctype>

#include "frontends/clang_ast/test_reading.h"
#include "record/operations.h"

namespace perfcast {
namespace {

std::string blocks_of(const Function* function) {
  if (!function) return "no such function";
  std::vector<std::string> lines;
  for (const auto& block : function->blocks)
    lines.push_back(block.name + (block.loop ? " loop " + std::to_string(*block.loop) : "") + ": " + usage_text(block.usage));
  return join(lines, "\n");
}

TEST(ReadC, PartsOnTheirOwnConditionAreBlocks) {
  auto read = read_files({{"t.c", R"(int g;
int f(int n, int *a) {
  int k = 0;
  for (int i = 0; i < n; i++) {
    if (a[i] > 3 && a[i + 1] < 5)
      k += a[i] ? k : k * 2;
    while (k > n) k--;
  }
  return k;
}
)"}});
  EXPECT_EQ(blocks_of(read.find("f")), R"(declaration@3:7: TISL
for-init@4:12: LOIN
for-test@4:21 loop 0: 
if@5:18 loop 0: ANDC ARR1 BRAN CISL
operand@5:30 loop 0: ARR1 CISL IADD
assign@6:9 loop 0: AISL ARR1 COND SISL
arm@6:25 loop 0: MISL
while-test@7:14 loop 1: BRAN CISL
assign@7:20 loop 1: AISL SISL
for-step@4:27 loop 0: LOOV
return@9:3: )");
  const auto& loops = read.find("f")->loops;
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[1].parent, 0);
  EXPECT_EQ(loops[0].header, 2);
}

TEST(ReadC, CallsBetweenFilesAreProceduresOthersLibraryRoutines) {
  auto read = read_files({{"h.h", "double half(double); int abs(int); static inline int one(void) { return 1; }\n"},
                          {"a.c", "#include \"h.h\"\n#include <math.h>\nint main(void) { double x = half(sqrt(2.0 * one())); return x > abs(3); }\n"},
                          {"b.c", "#include \"h.h\"\ndouble half(double x) { return x / 2; }\nint abs(int x) { return x < 0 ? -x : x; }\n"}});
  EXPECT_EQ(usage_of(read.find("main")), "AGIS AGRD CRDL MRDL 3*PROC SQRD SRDL 2*VISRD");
  EXPECT_EQ(usage_of(read.find("half")), "DRDL");
  EXPECT_EQ(usage_of(read.find("one")), "");
  EXPECT_EQ(read.graph.functions.size(), 4u);
}

TEST(ReadC, MacrosStandAtTheirExpansion) {
  auto read = read_files({{"t.c", R"(#define SWAP(a, b) do { int t = a; a = b; b = t; } while (0)
void f(int x, int y) {
  SWAP(x, y);
}
)"}});
  EXPECT_EQ(blocks_of(read.find("f")), "declaration@3:3: TISL\nassign@3:3: TISL\nassign@3:3.2: TISL");
}

TEST(ReadCxx, InstantiationsAndOverloadsAreFunctionsOfTheirOwn) {
  auto read = read_files({{"t.cc", R"(template <class T> T add(T a, T b) { return a + b; }
int over(int x) { return x + 1; }
double over(double x) { return x * 2; }
struct C { int n = 3; double d; C(double x) : d(x * 2) {} C(const C&) = default; };
int main() { C c(1.5); C k = c; return add(1, 2) + add(1.0, 2.0) + over(3); }
)"}});
  EXPECT_EQ(usage_of(read.find("_Z3addIiET_S0_S0_")), "AISL");
  EXPECT_EQ(usage_of(read.find("_Z3addIdET_S0_S0_")), "ARDL");
  EXPECT_EQ(usage_of(read.find("_Z4overi")), "AISL");
  EXPECT_EQ(usage_of(read.find("_Z4overd")), "MRDL");
  EXPECT_EQ(usage_of(read.find("_ZN1CC2Ed")), "MRDL SRDL TISL");
  EXPECT_EQ(read.find("add<int>"), read.find("_Z3addIiET_S0_S0_"));
}

TEST(ReadCxx, TheStandardLibraryIsPartOfTheProgram) {
  auto read = read_files({{"t.cc", R"(#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>
struct Shape { virtual double area() const = 0; virtual ~Shape() = default; };
struct Square : Shape { double s; Square(double x) : s(x) {} double area() const override { return s * s; } };
int main(int argc, char** argv) {
  std::vector<int> v{3, 1, 2};
  std::sort(v.begin(), v.end(), [argc](int a, int b) { return a < b + argc; });
  std::map<std::string, int> m;
  for (int i = 0; i < argc; i++) m[argv[i]]++;
  std::unique_ptr<Shape> p = std::make_unique<Square>(2.0);
  std::function<int(int)> g = [&](int x) { return x + v[0]; };
  try { if (argc > 3) throw std::runtime_error("x"); } catch (const std::exception& e) { std::cout << e.what(); }
  std::cout << p->area() << g(3) << m.size() << "\n";
}
)"}});
  EXPECT_TRUE(read.find("_ZNK6Square4areaEv"));
  EXPECT_TRUE(read.find("main"));
  int library = 0, empty_names = 0;
  for (const auto& function : read.graph.functions) library += function.library, empty_names += function.name.empty();
  EXPECT_GT(library, 200);
  EXPECT_EQ(empty_names, 0);
  for (const auto& gap : read.gaps) EXPECT_EQ(gap.what.rfind("not understood", 0), gap.what.npos) << gap.what << gap.at.text();
}

TEST(ReadC, EveryOperationIsInTheVocabularyOrARoutine) {
  auto read = read_files({{"t.cc", "#include <vector>\n#include <string>\n#include <algorithm>\n#include <numeric>\n"
                                   "int main() { std::vector<double> v(5); std::iota(v.begin(), v.end(), 1.f); std::string s = \"a\";"
                                   "std::stable_sort(v.begin(), v.end()); s += std::to_string(v[0]); return s.size(); }\n"}});
  for (const auto& [operation, times] : static_usage(read.graph)) {
    bool upper = std::all_of(operation.begin(), operation.end(), [](unsigned char c) { return std::isupper(c) || std::isdigit(c); });
    if (upper) EXPECT_TRUE(find_operation(operation)) << operation;
    EXPECT_GT(times, 0) << operation;
  }
}

TEST(ReadC, WhatIsNotUnderstoodIsAGapWithItsLine) {
  auto read = read_files({{"t.c", "void f(int x) {\n  x++;\n  __asm__(\"nop\");\n  x--;\n}\n"}});
  ASSERT_EQ(read.gaps.size(), 1u);
  EXPECT_EQ(read.gaps[0].what, "inline assembler");
  EXPECT_EQ(read.gaps[0].at.line, 3);
  EXPECT_EQ(usage_of(read.find("f")), "2*AISL 2*SISL");
}

TEST(ReadC, AFileThatDoesNotCompileIsAnErrorWithTheFirstMessage) {
  auto folder = TemporaryFolder::make("ast");
  ASSERT_TRUE(write_file(folder->file("bad.c"), "int f() {\n  return y;\n}\nint g() { return z; }\n"));
  std::vector<Gap> gaps;
  std::vector<Region> regions;
  auto graph = read_c_family({{"bad.c", {}, folder->path().string()}}, gaps, regions);
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().kind, Trouble::unfit);
  EXPECT_NE(graph.error().what.find("bad.c:2:10: error: use of undeclared identifier 'y'"), std::string::npos)
      << graph.error().what;
  EXPECT_FALSE(read_c_family({{"none.c", {}, {}}}, gaps, regions));
}

TEST(ReadC, RegionsAreFoundInCommentsOfFilesAndHeaders) {
  auto read = read_files({{"h.h", "// perfcast: region inner\nstatic int k;\n// perfcast: end\n"},
                          {"a.c", "#include \"h.h\"\nint main(void) {\n  /* perfcast: region main-part */\n  k++;\n"
                                  "  /* perfcast: end */\n  // perfcast: region open\n}\n"}});
  ASSERT_EQ(read.regions.size(), 3u);
  auto find = [&](const std::string& name) {
    for (const auto& region : read.regions)
      if (region.name == name) return region;
    return Region{};
  };
  EXPECT_EQ(find("inner").first_line, 1);
  EXPECT_EQ(find("main-part").first_line, 3);
  EXPECT_EQ(find("main-part").last_line, 5);
  ASSERT_EQ(read.gaps.size(), 1u);  // `open` is not closed
  EXPECT_EQ(read.gaps[0].at.line, 6);
}

TEST(ReadC, OptionsOfTheFileAreUsed) {
  auto read = read_files({{"t.c", "#if N == 3\nint three(int x) { return x * N; }\n#endif\n"}}, {"-DN=3", "-O2", "-c", "-o", "t.o"});
  EXPECT_EQ(usage_of(read.find("three")), "MISL");
}

}  // namespace
}  // namespace perfcast
