// Counts of real programs, compiled and run: what they must be is known from the programs themselves.
#include <gtest/gtest.h>

#include "frontends/llvm_ir/test_programs.h"

namespace perfcast::llvm_ir {
namespace {

TEST_P(Programs, LoopsInC) {
  COUNT(c, count_text("loops.c", R"(#include <stdio.h>
__attribute__((noinline)) static int inner(int i, int *a) {
  int s = 0;
  for (int j = 0; j < i; j++)
    s += a[j] * j;
  return s;
}
int main(void) {
  static int a[200];
  int odd = 0, s = 0;
  for (int i = 0; i < 100; i++) {
    a[i] = i;
    if (i % 3 == 1)
      odd++;
    s ^= inner(i, a);
  }
  printf("%d %d\n", odd, s);
  return 0;
}
)"));
  EXPECT_EQ(c.entries("inner"), 100);
  EXPECT_EQ(c.at_line("inner", 5), 4950);
  EXPECT_EQ(c.at_line("inner", 6), 100);
  EXPECT_EQ(c.at_line("main", 12), 100);
  EXPECT_EQ(c.at_line("main", 14), 33);
  EXPECT_EQ(c.at_line("main", 17), 1);
}

TEST_P(Programs, RecursionSwitchAndGoto) {
  COUNT(c, count_text("rec.c", R"(#include <stdio.h>
#include <stdlib.h>
long kinds[4];
__attribute__((noinline)) long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) void kind(int i) {
  switch (i % 7) {
    case 0: case 1: case 5:
      kinds[0]++; break;
    case 2:
      kinds[1]++; /* falls */
    case 3:
      kinds[2]++; break;
    default:
      kinds[3]++;
  }
}
__attribute__((noinline)) int run(const unsigned char *code) {
  static void *to[] = {&&add, &&twice, &&end};
  int x = 0;
  goto *to[*code++];
add:
  x += 1;
  goto *to[*code++];
twice:
  x += x;
  goto *to[*code++];
end:
  return x;
}
int main(void) {
  for (int i = 0; i < 700; i++) kind(i);
  static const unsigned char code[] = {0, 0, 1, 0, 1, 1, 0, 2};
  int x = 0;
  for (int i = 0; i < 10; i++) x += run(code);
  printf("%ld %ld %ld %ld %ld %d\n", fib(20), kinds[0], kinds[1], kinds[2], kinds[3], x);
  return 0;
}
)"));
  EXPECT_EQ(c.positions.functions.at("fib").entries, 21891);  // optimised, one of the two calls is a loop
  EXPECT_EQ(c.at_line("kind", 8), 300);
  EXPECT_EQ(c.at_line("kind", 10), 100);
  EXPECT_EQ(c.at_line("kind", 12), 200);
  EXPECT_EQ(c.at_line("kind", 14), 200);
  EXPECT_EQ(c.at_line("run", 22), 40);
  EXPECT_EQ(c.at_line("run", 25), 30);
  EXPECT_EQ(c.at_line("run", 28), 10);
}

TEST_P(Programs, ExceptionsThroughFrames) {
  COUNT(c, count_text("throw.cc", R"(#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>
struct Guard { int& n; ~Guard() { n++; } };
extern "C" __attribute__((noinline)) void bottom(int i) {
  if (i % 5 == 0)
    throw std::runtime_error("five");
  if (i % 7 == 0)
    throw i;
}
extern "C" __attribute__((noinline)) int middle(int i, int& guards) {
  Guard guard{guards};
  bottom(i);
  return i;
}
extern "C" __attribute__((noinline)) int top(int i, int& guards) {
  try {
    return middle(i, guards);
  } catch (const std::runtime_error& e) {
    return -1;
  }
}
int main() {
  int guards = 0, fives = 0, sevens = 0;
  std::vector<int> kept;
  for (int i = 1; i <= 70; i++) {
    try {
      if (top(i, guards) < 0)
        fives++;
      else
        kept.push_back(i);
    } catch (int) {
      sevens++;
    }
  }
  std::printf("%d %d %d %zu\n", guards, fives, sevens, kept.size());
}
)"));
  EXPECT_EQ(c.entries("bottom"), 70);
  EXPECT_EQ(c.at_line("bottom", 8), 14);
  EXPECT_EQ(c.at_line("bottom", 10), 8);
  EXPECT_EQ(c.at_line("middle", 15), 48);
  EXPECT_EQ(c.at_line("top", 21), 14);
  EXPECT_EQ(c.at_line("main", 30), 14);
  EXPECT_EQ(c.at_line("main", 34), 8);
}

// Calls that nest 100 deep: those below the k-th are 100 - k. Others are on no cycle, and count nothing.
TEST_P(Programs, HeightsOfRecursion) {
  COUNT(c, count_text("deep.cc", R"(#include <cstdio>
#define APART extern "C" __attribute__((noinline))
volatile int zero, sink;
APART int leaf(int n) { return n + zero; }
APART int down(int n) { return n == 0 ? leaf(1) : 1 + down(n - 1) * (1 + zero); }
APART int odd(int n);
APART int even(int n) { return n == 0 ? 1 : 2 + odd(n - 1) * (1 + zero); }
APART int odd(int n) { return n == 0 ? 0 : 3 + even(n - 1) * (1 + zero); }
APART int thrown(int n) { if (n == 0) throw 1; return 1 + thrown(n - 1) * (1 + zero); }
APART int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) * (1 + zero); }
int (*volatile pointer)(int);
APART int indirect(int n) { return n == 0 ? 0 : 1 + pointer(n - 1) * (1 + zero); }
int main() {
  pointer = indirect;
  int sum = 0;
  for (int i = 0; i < 3; i++) sum += down(99) + even(19) + indirect(29);
  for (int i = 0; i < 5; i++) try { sum += thrown(50); } catch (int n) { sum += n; }
  sum += down(99) + fib(16);
  std::printf("%d\n", sum);
}
)"));
  auto heights = [&](const std::string& name) { return c.final.units[0].find(name)->heights; };
  auto at_least = [&](const std::string& name, int height) {
    double sum = 0;
    for (auto [h, returns] : heights(name))
      if (h >= height) sum += returns;
    return sum;
  };
  for (int entries : {8, 16, 17, 32, 64}) EXPECT_EQ(at_least("down", entries), 4 * (100 - entries)) << entries;
  EXPECT_EQ(heights("down")[20], 4);
  EXPECT_EQ(at_least("even", 8) + at_least("odd", 8), 3 * (20 - 8));
  EXPECT_EQ(at_least("even", 16), 3 * 2);  // calls 1 and 3 of 20
  EXPECT_EQ(at_least("indirect", 16), 3 * (30 - 16));
  EXPECT_EQ(at_least("fib", 15), 1);       // the first one only, of 3193
  EXPECT_EQ(at_least("fib", 14), 2);
  EXPECT_TRUE(heights("thrown").empty());  // it never returns
  EXPECT_TRUE(heights("leaf").empty());
  EXPECT_TRUE(heights("main").empty());
}

TEST_P(Programs, LongjmpAndExitInACallee) {
  COUNT(c, count_text("jump.c", R"(#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf place;
__attribute__((noinline)) void hop(int i) {
  if (i == 900)
    exit(3);
  if (i % 10 == 9)
    longjmp(place, i);
}
__attribute__((noinline)) int loop(volatile int *i) {
  for (; *i < 1000; (*i)++)
    hop(*i);
  return 0;
}
int main(void) {
  static volatile int i;
  static int jumps;
  if (setjmp(place)) {
    jumps++;
    i++;
  }
  if (jumps == 89) printf("%d\n", jumps);
  return loop(&i);
}
)"));
  EXPECT_EQ(c.final.outcome.code, 3);
  EXPECT_EQ(c.entries("hop"), 901);
  EXPECT_EQ(c.at_line("hop", 9), 90);
  EXPECT_EQ(c.at_line("loop", 13), 901);
  EXPECT_EQ(c.entries("loop"), 91);
  EXPECT_EQ(c.at_line("main", 20), 90);
  EXPECT_EQ(c.entries("main"), 1);
}

TEST_P(Programs, SeveralUnitsAndCxxTemplates) {
  auto counted = count_files({{"a.cc", R"(#include "t.h"
#include <cstdio>
long b(int);
static int helper(int i) { return i + 1; }
int main() { long s = 0; for (int i = 0; i < 10; i++) s += b(i) + helper(i); std::printf("%ld %d\n", s, sum_to<int>(4)); }
)"}, {"b.cc", R"(#include "t.h"
static long helper(int i) { return i * 2L; }
long b(int i) { return sum_to<long>(i) + sum_to<int>(i) + helper(i); }
)"}, {"t.h.cc", ""}}, "");
  EXPECT_FALSE(counted);  // t.h is not there: the compiler's own message comes through
  EXPECT_NE(counted.error().message().find("'t.h' file not found"), std::string::npos) << counted.error().message();
  const std::string sum = "template <class T> __attribute__((noinline)) T sum_to(int n) { T s = 0; for (int i = 0; i < n; i++) s += i; return s; }\n";
  COUNT(c, count_files({{"a.cc", sum + R"(#include <cstdio>
long b(int);
__attribute__((noinline)) static int helper(int i) { return i + 1; }
int main() { long s = 0; for (int i = 0; i < 10; i++) s += b(i) + helper(i); std::printf("%ld %d\n", s, sum_to<int>(4)); }
)"}, {"b.cc", sum + R"(
__attribute__((noinline)) static long helper(int i) { return i * 2L; }
long b(int i) { return sum_to<long>(i) + sum_to<int>(i) + helper(i); }
)"}}, GetParam()));
  EXPECT_EQ(c.entries("_Z6sum_toIiET_i"), 11);
  EXPECT_EQ(c.entries("_Z6sum_toIlET_i"), 10);
  EXPECT_EQ(c.entries("_Z1bi"), 10);
  EXPECT_EQ(c.positions.functions.at("_ZL6helperi").entries, 20);
}

TEST_P(Programs, Coroutines) {
  COUNT(c, count_text("yield.cc", R"(#include <coroutine>
#include <cstdio>
struct Numbers {
  struct promise_type {
    int value;
    Numbers get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) { value = v; return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
  ~Numbers() { handle.destroy(); }
};
__attribute__((noinline)) Numbers below(int n) {
  for (int i = 0; i < n; i++)
    co_yield i;
}
int main() {
  long sum = 0;
  Numbers numbers = below(1000);
  while (numbers.handle.resume(), !numbers.handle.done())
    sum += numbers.handle.promise().value;
  std::printf("%ld\n", sum);
}
)", std::string(GetParam()) + " -std=c++20"));
  EXPECT_EQ(c.at_line("main", 24), 1000);
}

TEST_P(Programs, FortranLoops) {
  COUNT(c, count_text("tiny.f", R"(      PROGRAM TINY
      INTEGER I, J, N
      REAL X(1000), S
      COMMON /BLK/ X
      S = 0.0
      N = 0
      DO 20 J = 1, 100
      DO 10 I = 1, 1000
        X(I) = I*J*0.5
        IF (MOD(I, 3) .EQ. 0) N = N + 1
   10 CONTINUE
   20 CONTINUE
      CALL COUNT(N)
      WRITE (*, *) N, X(7)
      END
      SUBROUTINE COUNT(N)
      N = N + 1
      IF (N .LT. 0) GO TO 30
      RETURN
   30 STOP
      END
)"));
  EXPECT_EQ(c.at_line("_QQmain", 9), 100000);
  EXPECT_EQ(c.at_line("_QQmain", 10), 100000);
  EXPECT_EQ(c.at_line("_QQmain", 13), 1);
}

INSTANTIATE_TEST_SUITE_P(Levels, Programs, testing::Values("-O0", "-O1", "-O2", "-O3"),
                         [](const auto& level) { return std::string(level.param).substr(1); });

}  // namespace
}  // namespace perfcast::llvm_ir
