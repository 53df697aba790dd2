// The whole way (test_counted.h) for C and C++.
#include <gtest/gtest.h>

#include <set>

#include "frontends/apply_counts.h"
#include "frontends/clang_ast/read_c_family.h"
#include "frontends/test_counted.h"

namespace perfcast {
namespace {

Result<ReadSource> analyse(const std::vector<std::string>& sources, const std::string& flags, const std::vector<std::string>& arguments = {}) {
  return count_source(read_c_family, apply_counts, sources, flags, arguments);
}
ReadSource analyse_text(const std::string& name, const std::string& text, const std::string& flags = "-O0") {
  return count_text(read_c_family, apply_counts, name, text, flags);
}

class Counted : public testing::TestWithParam<const char*> {};

TEST_P(Counted, LoopsAndConditions) {
  auto program = analyse_text("t.c", R"(int a[100];
int main(void) {
  int s = 0;
  for (int i = 0; i < 100; i++) a[i] = i % 10;
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < 10; j++) {
      if (a[10 * i + j] > 4 && a[i + j] < 7)
        s += a[i] ? j * 2 : i;
    }
  int k = 20;
  while (k > 0) { k -= 3; if (k == 5) continue; s++; }
  do { s--; } while (s > 100);
  return s == 12345;
}
)", GetParam());
  EXPECT_EQ(program.count("main", "for-init", 4), 1);
  EXPECT_EQ(program.count("main", "for-test", 4), 101);
  EXPECT_EQ(program.count("main", "assign", 4), 100);
  EXPECT_EQ(program.count("main", "for-step", 4), 100);
  EXPECT_EQ(program.count("main", "for-init", 6), 10);
  EXPECT_EQ(program.count("main", "for-test", 6), 110);
  EXPECT_EQ(program.count("main", "if", 7), 100);
  EXPECT_EQ(program.count("main", "operand", 7), 50);
  int taken = 0, doubled = 0;
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < 10; j++)
      if (j > 4 && (i + j) % 10 < 7) taken++, doubled += i != 0;
  EXPECT_EQ(program.count("main", "assign", 8), taken);
  EXPECT_EQ(program.count("main", "arm", 8), doubled);
  EXPECT_EQ(program.count("main", "while-test", 11), 8);
  EXPECT_EQ(program.count("main", "assign", 11), 7 + 6);
  EXPECT_EQ(program.count("main", "continue", 11), 1);
  EXPECT_EQ(program.count("main", "return", 13), 1);
  const auto& loops = program.find("main")->loops;
  ASSERT_EQ(loops.size(), 5u);
  EXPECT_EQ(loops[1].entries.value, 1);
  EXPECT_EQ(loops[2].entries.value, 10);
  EXPECT_EQ(loops[2].iterations.value, 110);
  EXPECT_EQ(program.executed("LOOV"), 210);
  EXPECT_TRUE(program.gaps.empty()) << program.gap_text();
}

TEST_P(Counted, SwitchGotoAndRecursion) {
  auto program = analyse_text("t.c", R"(int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) {
  int s = 0;
  for (int i = 0; i < 30; i++)
    switch (i % 3) {
      case 0: s += 1; break;
      case 1: s += 2;
      default: s += 3;
    }
  int k = 0;
again:
  k++;
  if (k < 7) goto again;
  return fib(10) - 55 + s * 0;
}
)", GetParam());
  EXPECT_EQ(program.count("main", "switch", 5), 30);
  EXPECT_EQ(program.count("main", "assign", 6), 10);
  EXPECT_EQ(program.count("main", "break", 6), 10);
  EXPECT_EQ(program.count("main", "assign", 7), 10);
  EXPECT_EQ(program.count("main", "assign", 8), 20);
  EXPECT_EQ(program.count("main", "assign", 12), 7);
  EXPECT_EQ(program.count("main", "goto", 13), 6);
  EXPECT_EQ(program.find("fib")->calls.value, 177);
  EXPECT_EQ(program.count("fib", "return", 1), 177);
  EXPECT_EQ(program.count("fib", "arm", 1), 88);
  EXPECT_EQ(program.executed("PROC"), 177);
  EXPECT_TRUE(program.gaps.empty()) << program.gap_text();
}

TEST_P(Counted, ClassesTemplatesLambdasAndExceptions) {
  auto program = analyse_text("t.cc", R"(#include <stdexcept>
#include <vector>
template <class T> T sum(const std::vector<T>& v) {
  T s = 0;
  for (const T& x : v) s += x;
  return s;
}
struct Shape { virtual double area() const = 0; virtual ~Shape() {} };
struct Square : Shape {
  double side;
  Square(double s) : side(s) {}
  double area() const override { return side * side; }
};
struct Circle : Shape { double area() const override { return 3.0; } };
struct Guard { int& n; Guard(int& k) : n(k) {} ~Guard() { n++; } };
int main() {
  std::vector<int> v(12, 1);
  std::vector<double> w(5, 1.0);
  auto twice = [](int x) { return 2 * x; };
  auto thrice = [](double x) { return 3 * x; };
  int total = sum(v) + sum(w);
  for (int i = 0; i < 9; i++) total += twice(i);
  for (int i = 0; i < 4; i++) total += thrice(i);
  Square square(2);
  Circle circle;
  for (int i = 0; i < 6; i++) { const Shape& s = i % 3 ? (const Shape&)square : circle; total += s.area(); }
  int caught = 0, guarded = 0;
  for (int i = 0; i < 10; i++) {
    Guard guard(guarded);
    try {
      if (i % 4 == 0) throw std::runtime_error("x");
      total++;
    } catch (const std::exception&) {
      caught++;
    }
  }
  return caught + guarded != 13;
}
)", GetParam());
  EXPECT_EQ(program.count("sum<int>", "assign", 5), 12);
  EXPECT_EQ(program.count("sum<double>", "assign", 5), 5);
  EXPECT_EQ(program.count("sum<double>", "for-test", 5), 6);
  EXPECT_EQ(program.count("sum<double>", "for-step", 5), 5);
  EXPECT_EQ(program.count("Square::area", "return", 12), 4);
  EXPECT_EQ(program.count("Circle::area", "return", 14), 2);
  EXPECT_EQ(program.count("Square::Square", "initialiser", 11), 1 + 1);
  EXPECT_EQ(program.count("Guard::~Guard", "assign", 15), 10);
  EXPECT_EQ(program.count("main", "throw", 31), 3);
  EXPECT_EQ(program.count("main", "assign", 32), 7);
  EXPECT_EQ(program.count("main", "assign", 34), 3);
  double twice = 0, thrice = 0;
  for (const auto& function : program.graph.functions)
    for (const auto& block : function.blocks) {
      if (block.kind != "return" || function.library) continue;
      if (block.at.line == 19) twice += block.count.value;
      if (block.at.line == 20) thrice += block.count.value;
    }
  EXPECT_EQ(twice, 9);
  EXPECT_EQ(thrice, 4);
  EXPECT_EQ(program.executed("CVIR"), 6);
  EXPECT_EQ(program.executed("THROW"), 3);
  EXPECT_TRUE(program.gaps.empty()) << program.gap_text();
}

INSTANTIATE_TEST_SUITE_P(Levels, Counted, testing::Values("-O0", "-O2"));

TEST(CountedPrograms, SeveralFilesWithStaticFunctionsOfOneName) {
  auto folder = TemporaryFolder::make("counted");
  ASSERT_TRUE(write_file(folder->file("a.c"), "int other(int);\nstatic int help(int x) { return x + 1; }\n"
                                             "int main(void) { int s = 0; for (int i = 0; i < 5; i++) s += help(i); return other(s) < 0; }\n"));
  ASSERT_TRUE(write_file(folder->file("b.c"), "static int help(int x) { return x * 2; }\n"
                                             "int other(int n) { int s = 0; while (n-- > 0) s += help(n); return s; }\n"));
  auto analysed = analyse({folder->file("a.c"), folder->file("b.c")}, "-O1");
  ASSERT_TRUE(analysed) << analysed.error().message();
  std::map<std::string, double> executed = dynamic_usage(analysed->graph);
  EXPECT_EQ(executed["MISL"], 15);  // n of b.c counts 1+2+3+4+5 down
  EXPECT_EQ(executed["LOOV"], 5);
  EXPECT_TRUE(analysed->gaps.empty()) << analysed->gap_text();
}

TEST(CountedPrograms, ParallelLoopsCountInTheirOutlinedPart) {
  auto program = analyse_text("t.c", R"(double a[1000];
int main(void) {
  double s = 0;
#pragma omp parallel for reduction(+ : s) num_threads(2)
  for (int i = 0; i < 1000; i++) {
    a[i] = i * 2.0;
    if (i % 2) s += a[i];
  }
  return s < 0;
}
)", "-O0 -fopenmp");
  EXPECT_EQ(program.count("main", "for-step", 5), 1000);
  EXPECT_EQ(program.count("main", "for-test", 5), 1002);
  EXPECT_EQ(program.executed("LOIN"), 2);
  EXPECT_EQ(program.count("main", "assign", 6), 1000);
  EXPECT_EQ(program.count("main", "assign", 7), 500);
  ASSERT_EQ(program.gaps.size(), 1u) << program.gap_text();
}

// Real programs: what calls say and what functions say of how often a function was entered must agree.
struct RealProgram {
  std::string name;
  std::vector<std::string> sources;
};

std::vector<RealProgram> real_programs() {
  const std::string folder = PERFCAST_SOURCE_DIR "/validation/";
  std::vector<RealProgram> programs;
  auto text = read_file(folder + "programs.txt");
  for (const auto& line : split(text ? *text : "", '\n')) {
    std::vector<std::string> words;
    for (const auto& word : split(line, ' '))
      if (!word.empty()) words.push_back(word);
    if (words.size() < 3 || words[0][0] == '#' || words[2].find(".f") != words[2].npos) continue;
    RealProgram program{words[0], {}};
    for (std::size_t i = 2; i < words.size(); i++) program.sources.push_back(folder + words[i]);
    programs.push_back(std::move(program));
  }
  return programs;
}

TEST(CountedPrograms, CallsAgreeWithEntriesInRealPrograms) {
  // A few of them, to be quick; PERFCAST_ALL_PROGRAMS in the environment takes all.
  const std::set<std::string> few = {"shell-c", "treap", "regex", "vm", "symbolic", "wordcount"};
  for (const auto& program : real_programs()) {
    if (!few.contains(program.name) && !getenv("PERFCAST_ALL_PROGRAMS")) continue;
    auto analysed = analyse(program.sources, "-O0 -lm", {"1"});
    ASSERT_TRUE(analysed) << program.name << ": " << analysed.error().message();
    std::map<std::string, double> called;
    bool pointers = false;
    double operations = 0, uncertain = 0;
    for (const auto& function : analysed->graph.functions)
      for (const auto& block : function.blocks) {
        for (const auto& [operation, times] : block.usage) operations += times * block.count.value;
        for (const auto& call : block.calls) {
          called[call.callee] += call.per_execution * block.count.value;
          pointers = pointers || call.callee == "*";
        }
      }
    for (const auto& gap : analysed->gaps) uncertain += gap.weight;
    double coverage = operations / (operations + uncertain);
    EXPECT_GE(coverage, 0.95) << program.name << "\n" << analysed->gap_text();
    double off = 0, all = 0;
    std::string which;
    for (const auto& function : analysed->graph.functions) {
      if (function.name == "main") continue;
      double entries = function.calls.value, known = called[function.name];
      // More entries than calls in sight: through pointers, virtual tables, or from a library (qsort).
      double wrong = known > entries ? known - entries : 0;
      all += entries, off += wrong;
      if (wrong > 0) which += "  " + function.name + " entered " + number_text(entries, 9) + ", called " + number_text(known, 9) + "\n";
    }
    EXPECT_LE(off, 0.02 * all) << program.name << "\n" << which;
    if (getenv("PERFCAST_ALL_PROGRAMS"))
      printf("%-16s coverage %.4f, calls off %.4f of %.0f\n%s%s", program.name.c_str(), coverage, all > 0 ? off / all : 0, all, which.c_str(), analysed->gap_text().c_str());
  }
}

}  // namespace
}  // namespace perfcast
