// The whole way (test_counted.h) for Fortran.
#include <gtest/gtest.h>

#include "frontends/flang/apply_fortran_counts.h"
#include "frontends/flang/read_fortran.h"
#include "frontends/test_counted.h"

namespace perfcast {
namespace {

Result<ReadSource> analyse(const std::vector<std::string>& sources, const std::string& flags) {
  return count_source(read_fortran, apply_fortran_counts, sources, flags, {});
}
ReadSource analyse_text(const std::string& name, const std::string& text, const std::string& flags = "-O0") {
  return count_text(read_fortran, apply_fortran_counts, name, text, flags);
}

struct Expected {
  const char* kind;
  int line;
  double count;
};

void check(const ReadSource& analysed, const std::vector<Expected>& expected) {
  for (const auto& each : expected)
    EXPECT_EQ(analysed.count(each.kind, each.line), each.count) << each.kind << " in line " << each.line;
}

TEST(CountedFortran, LoopsAndJumpsOfFortran77) {
  auto run = analyse_text("p.f", R"(      PROGRAM P
      K = 0
      DO 10 I = 1, 10
      DO 10 J = 1, I - 5
      IF (J .EQ. 2) GO TO 10
      K = K + 1
   10 CONTINUE
      DO 20 I = 1, 7
      DO 20 J = 3, I
   20 K = K + J
      DO 30 I = 10, 1, -3
      IF (I .LT. 5) GO TO 40
   30 CONTINUE
   40 M = 0
   50 M = M + 1
      IF (M .LT. 6) GO TO 50
      DO 90 I = 1, 9
      GO TO (60, 70, 80), MOD(I, 4)
   60 K = K + 1
   70 K = K + 2
   80 IF (I - 4) 82, 84, 86
   82 K = 1
   84 K = 2
   86 CALL S(K, I)
   90 CONTINUE
      END
      SUBROUTINE S(K, I)
      IF (I .GT. 6) RETURN
      K = K + I
      ENTRY S2(K, I)
      K = K - 1
      END
)");
  check(run, {{"assign", 2, 1},   {"do", 3, 1},         {"do-iterate", 3, 10}, {"do", 4, 10},      {"do-iterate", 4, 15},
              {"if", 5, 15},      {"goto", 5, 4},       {"assign", 6, 11},     {"continue", 7, 15}, {"do", 8, 1},
              {"do", 9, 7},       {"do-iterate", 9, 15}, {"assign", 10, 15},   {"do", 11, 1},      {"do-iterate", 11, 3},
              {"if", 12, 3},      {"goto", 12, 1},      {"continue", 13, 2},   {"assign", 14, 1},  {"assign", 15, 6},
              {"if", 16, 6},      {"goto", 16, 5},      {"do", 17, 1},         {"do-iterate", 17, 9}});
  // MOD(I, 4) over 1..9: 1 2 3 0 1 2 3 0 1; 0 falls through to 60.
  check(run, {{"computed-goto", 18, 9}, {"assign", 19, 5}, {"assign", 20, 7}, {"arithmetic-if", 21, 9},
              {"assign", 22, 3},        {"assign", 23, 4}, {"call", 24, 9},   {"if", 28, 9},
              {"return", 28, 3},        {"assign", 29, 6}, {"assign", 31, 6}});
  EXPECT_EQ(run.executed("LOOV"), 10 + 15 + 7 + 15 + 9);
  EXPECT_EQ(run.executed("LOOX"), 3);
  EXPECT_EQ(run.executed("PROC"), 9);
  EXPECT_EQ(run.executed("GCOM"), 18);
  EXPECT_EQ(run.executed("GOTO"), 4 + 1 + 5);
  EXPECT_EQ(run.gap_text(), "");
}

TEST(CountedFortran, LoopsMadeOfJumps) {
  auto run = analyse_text("j.f", R"(      PROGRAM P
      N = 0
   10 IF (N .GE. 5) GO TO 30
      N = N + 1
      M = 0
   20 M = M + 1
      IF (M .LT. N) GO TO 20
      GO TO 10
   30 CALL S(N)
      CALL S(1)
      END
      SUBROUTINE S(K)
      L = 0
   10 IF (L .GE. K) RETURN
      L = L + 1
      GO TO 10
      END
)");
  check(run, {{"if", 3, 6}, {"goto", 3, 1}, {"assign", 4, 5}, {"assign", 5, 5}, {"assign", 6, 15}, {"if", 7, 15},
              {"goto", 7, 10}, {"goto", 8, 5}, {"call", 9, 1}, {"assign", 13, 2}, {"if", 14, 8}, {"return", 14, 2},
              {"assign", 15, 6}, {"goto", 16, 6}});
  EXPECT_EQ(run.gap_text(), "");
}

constexpr const char* modern = R"(module work
  implicit none
  real, allocatable :: grid(:,:)
contains
  subroutine step(a, b, n)
    integer, intent(in) :: n
    real, intent(inout) :: a(:), b(n, n)
    integer :: i, k
    a = a * 2.0 + 1.0
    b = b + sqrt(b)
    do i = 1, n
      if (i > 4) exit
      if (i == 2) cycle
      a(i) = a(i) + 1
    end do
    k = 0
    do while (k < n)
      k = k + 1
    end do
    do
      k = k - 1
      if (k < 0) exit
    end do
    where (b(:, 1) > 0.0)
      a = a - 1.0
    elsewhere
      a = 0.0
    end where
    do concurrent (i = 1:n)
      a(i) = a(i) * 0.5
    end do
    forall (i = 1:n) a(i) = a(i) * 2
    do i = 1, n
      select case (i)
      case (1)
        k = 2
      case (3:4)
        k = 7
      case default
        k = 8
      end select
    end do
    write (*, *) (a(i), i = 1, n)
    k = inner(k) + int(sum(a * b(:, 1)))
  contains
    integer function inner(x)
      integer :: x
      inner = x + n
    end function
  end subroutine
end module
program p
  use work
  real :: x(6), y(6, 6)
  integer :: t
  x = 1
  y = 2
  do t = 1, 3
    call step(x, y, 6)
  end do
end program
)";

TEST(CountedFortran, ModernFortran) {
  for (auto flags : {"-O0", "-O2"}) {
    auto run = analyse_text("m.f90", modern, flags);
    check(run, {{"assign", 9, 3},       {"elements", 9, 18},   {"elements", 10, 108}, {"do", 11, 3},
                {"do-iterate", 11, 15}, {"if", 12, 15},        {"exit", 12, 3},       {"if", 13, 12},
                {"cycle", 13, 3},       {"assign", 14, 9},     {"while-test", 17, 21}, {"assign", 18, 18},
                {"assign", 21, 21},     {"if", 22, 21},        {"exit", 22, 3},       {"where", 24, 3},
                {"elements", 24, 18},   {"masked", 25, 18},    {"masked", 27, 0},     {"do-iterate", 29, 18},
                {"assign", 30, 18},     {"masked", 32, 18},    {"select", 34, 18},    {"assign", 36, 3},
                {"assign", 38, 6},      {"assign", 40, 9},     {"item", 43, 18},      {"write", 43, 3},
                {"assign", 44, 3},      {"elements", 44, 18},  {"assign", 48, 3},     {"call", 59, 3}});
  }
}

TEST(CountedFortran, ArraysTheLibraryWorksOn) {
  auto run = analyse_text("a.f90", R"(program p
  real, allocatable :: a(:), b(:,:), c(:,:)
  integer :: n, t
  n = 4
  allocate (a(n), b(n, n), c(n, n))
  b = 1.0
  do t = 1, 5
    a(1:t - 1) = 2.0
    c = b
    c(1, 2:n) = a(2:n)
    a(1) = sum(b) + sum(b(1, :)) + dot_product(a, a)
    c = matmul(b, c)
    a(2) = maxval(a * 2.0)
    c = transpose(b) + c
  end do
  print *, a(1), sum(c, dim=1)
end program
)");
  check(run, {{"elements-of-assign", 6, 16}, {"elements-of-assign", 8, 10}, {"elements-of-assign", 9, 80},
              {"elements-of-assign", 10, 15}, {"elements-of-sum", 11, 80 + 20}, {"elements-of-dot_product", 11, 20},
              {"elements-of-matmul", 12, 320}, {"elements", 13, 20}, {"elements-of-maxval", 13, 20},
              {"elements-of-transpose", 14, 80}, {"elements", 14, 80}, {"elements-of-sum", 16, 16}});
  EXPECT_EQ(run.gap_text(), "");
}

TEST(CountedFortran, AlternateReturns) {
  auto run = analyse_text("a.f", R"(      PROGRAM P
      DO 30 I = 1, 6
        CALL ALT(I, *10, *20)
        GO TO 30
   10   PRINT *, 'FIRST'
        GO TO 30
   20   PRINT *, 'SECOND'
   30 CONTINUE
      END
      SUBROUTINE ALT(I, *, *)
      IF (MOD(I, 3) .EQ. 0) RETURN 1
      IF (I .EQ. 1) RETURN 2
      RETURN
      END
)");
  check(run, {{"write", 5, 2}, {"write", 7, 1}, {"if", 11, 6}, {"return", 11, 2}, {"if", 12, 4}, {"return", 12, 1}, {"return", 13, 3}});
  EXPECT_EQ(run.gap_text(), "");
}

TEST(CountedFortran, EveryFortranProgramOfTheSuite) {
  const std::string folder = PERFCAST_SOURCE_DIR "/validation/saavedra/";
  for (auto name : {"mandelbrot", "shell", "erathostenes", "whetstone"}) {
    auto run = analyse({folder + name + ".f"}, "-O0");
    ASSERT_TRUE(run) << run.error().message();
    double all = 0, unknown = 0;
    for (const auto& function : run->graph.functions)
      for (const auto& block : function.blocks) all += block.count.value;
    for (const auto& gap : run->gaps) unknown += gap.weight;
    EXPECT_GT(all, 1000);
    EXPECT_LT(unknown, 0.05 * all) << name << "\n" << run->gap_text();
  }
}

}  // namespace
}  // namespace perfcast
