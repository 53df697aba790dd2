// Which operations each kind of statement is counted as: the table of docs/analyze.md, exactly.
#include <gtest/gtest.h>

#include "frontends/flang/read_fortran.h"
#include "frontends/test_source.h"

namespace perfcast {
namespace {

Result<ReadSource> try_read(const std::vector<std::pair<std::string, std::string>>& texts, const std::vector<std::string>& arguments = {}) {
  return read_texts(read_fortran, texts, arguments);
}

ReadSource read(const std::vector<std::pair<std::string, std::string>>& texts, const std::vector<std::string>& arguments = {}) {
  auto result = try_read(texts, arguments);
  EXPECT_TRUE(result) << result.error().message();
  return result ? std::move(*result) : ReadSource{};
}

std::string blocks_of(const Function* function) {
  if (!function) return "no such function";
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < function->blocks.size(); i++) {
    const Block& block = function->blocks[i];
    std::string line = std::to_string(i) + " " + block.name;
    if (block.loop) line += " loop " + std::to_string(*block.loop);
    if (!block.usage.empty()) line += ": " + usage_text(block.usage);
    if (!block.next.empty()) line += " ->";
    for (const auto& edge : block.next) line += " " + std::to_string(edge.to);
    lines.push_back(line);
  }
  return join(lines, "\n");
}

struct Case {
  const char *statements, *expected;
};

constexpr const char* prelude = R"(
module things
  real :: gx, gy, ga(10), gm(10,10)
  integer :: gi, gj
  type point
    real :: x, y
    integer :: k(4)
    type(point), pointer :: next
  end type
contains
  real function f(x)
    real :: x
    f = x
  end function
  elemental real function el(x)
    real, intent(in) :: x
    el = x
  end function
  subroutine s(i, x, d)
    integer :: i
    real :: x
    double precision :: d
  end subroutine
end module
subroutine t(i, j, k, l8, x, y, z, d, e, c, w, l, m, a, b, r3, r4, as, txt, p, q, n, ia)
  use things
  integer :: i, j, k, n, ia(10)
  integer(8) :: l8
  real :: x, y, z
  double precision :: d, e
  complex :: c, w
  logical :: l, m
  real :: a(10), b(10,10), r3(4,4,4), r4(2,2,2,2), as(:)
  character(8) :: txt
  type(point) :: p
  type(point), pointer :: q
  real, allocatable :: al(:)
  real, save :: sx
  real :: cx
  common /blk/ cx
  real :: sf, sfx, typed
  real :: eq1, eq2
  equivalence (eq1, eq2)
  integer, parameter :: np = 5
  sf(sfx) = sfx * 2.0 + 1.0
)";

TEST(ReadFortran, OperationsOfStatements) {
  const Case cases[] = {
      // Assignments: a plain value is transferred, a computed one stored.
      {"i = j", "TISL"},
      {"i = 5", "TISL"},
      {"i = 2 * np + 1", "TISL"},
      {"x = y", "TRSL"},
      {"d = e", "TRDL"},
      {"l8 = 3", "TILL"},
      {"l = m", "TISL"},
      {"i = j + 1", "AISL SISL"},
      {"x = x * y + z", "ARSL MRSL SRSL"},
      {"d = d / e - e", "ARDL DRDL SRDL"},
      {"x = -y", "NRSL SRSL"},
      {"l8 = l8 + 1_8", "AILL SILL"},
      // Storage: COMMON, module and SAVE are global; the store has that of its target.
      {"gx = x", "TRSG"},
      {"x = gx + y", "ARSG SRSL"},
      {"cx = x * y", "MRSL SRSG"},
      {"sx = sx + 1.0", "ARSG SRSG"},
      {"eq1 = eq2", "TRSL"},
      // Powers.
      {"x = y ** i", "ERSL SRSL"},
      {"x = y ** 2", "ERSL SRSL"},
      {"x = y ** z", "SRSL XRSL"},
      {"d = e ** 0.5d0", "SRDL XRDL"},
      {"i = j ** 2", "EISL SISL"},
      {"i = j ** k", "SISL XISL"},
      // Conversions.
      {"x = i", "SRSL VISRS"},
      {"x = 1", "TRSL"},
      {"i = x", "SISL VRSIS"},
      {"d = x", "SRDL VRSRD"},
      {"x = d", "SRSL VRDRS"},
      {"x = i * y", "MRSL SRSL VISRS"},
      {"d = x * d", "MRDL SRDL VRSRD"},
      {"i = int(x) + nint(y)", "AISL ARSL SISL 2*VRSIS"},
      {"d = dble(i)", "SRDL VISRD"},
      {"l8 = i", "SILL VISIL"},
      // Arrays: by dimension; additions in an index are IADD.
      {"x = a(i)", "ARR1 TRSL"},
      {"a(i) = x + y", "ARR1 ARSL SRSL"},
      {"a(3) = x", "TRSL"},
      {"x = a(i + 1)", "ARR1 IADD TRSL"},
      {"x = a(i + j - 1)", "ARR1 2*IADD TRSL"},
      {"x = a(2 * i)", "ARR1 MISL TRSL"},
      {"x = b(i, j - 1) * y", "ARR2 IADD MRSL SRSL"},
      {"x = r3(i, j, k)", "ARR3 TRSL"},
      {"x = r4(i, j, k, i)", "ARR1 ARR3 TRSL"},
      {"ga(i) = gm(i, j)", "ARR1 ARR2 TRSG"},
      {"x = a(ia(i))", "2*ARR1 TRSL"},
      {"a(i) = a(i) + a(i) * ga(j)", "4*ARR1 ARSL MRSG SRSL"},
      // Logical expressions and conditions.
      {"l = i .eq. j", "CISL SISL"},
      {"l = x .gt. y .and. d .le. e", "ANDL CRDL CRSL SISL"},
      {"l = .not. m", "ANDL SISL"},
      {"if (i .lt. gi) x = y", "BRAN CISG TRSL"},
      {"if (l) x = y", "BRAN TRSL"},
      {"if (txt .eq. 'abc') i = 1", "BRAN TISL memcmp"},
      // Complex numbers, by their parts.
      {"c = w", "2*TRSL"},
      {"c = c + w", "2*ARSL 2*SRSL"},
      {"c = c * w", "2*ARSL 4*MRSL 2*SRSL"},
      {"x = abs(c)", "SRSL hypotf"},
      {"c = cmplx(x, y)", "2*SRSL"},
      {"x = real(c) + aimag(c)", "ARSL SRSL"},
      // Intrinsic functions.
      {"x = sin(y) + exp(y) * alog(y)", "ARSL EXPS LOGS MRSL SINS SRSL"},
      {"d = dsqrt(e) + tan(e)", "ARDL SQRD SRDL TAND"},
      {"x = cos(y) + atan(y)", "ARSL SRSL atanf cosf"},
      {"d = atan2(d, e)", "SRDL atan2"},
      {"x = abs(y)", "SRSL fabsf"},
      {"i = mod(i, 7)", "RISL SISL"},
      {"x = amod(x, y)", "SRSL fmodf"},
      {"i = max(i, j, 3)", "2*CISL SISL"},
      {"x = sign(x, y)", "CRSL NRSL SRSL"},
      {"i = ieor(i, ishft(j, 3))", "BISL HISL SISL"},
      {"i = iabs(j)", "CISL NISL SISL"},
      // Calls: everything goes by reference, computed values through memory.
      {"call s(i, x, d)", "AGIS AGRD AGRS PROC"},
      {"call s(i + 1, a(j), 1d0)", "AGIS AGRD AGRS AISL ARR1 PROC SISL"},
      {"x = f(y) * 2.0", "AGRS MRSL PROC SRSL"},
      {"call elsewhere(i)", "elsewhere_"},
      {"x = typed(y)", "SRSL typed_"},
      {"x = sf(y)", "ARSL MRSL SRSL"},
      {"x = sf(y + 1.0)", "2*ARSL MRSL SRSL"},
      // Jumps.
      {"if (i - 5) 10, 20, 10\n 10 x = y\n 20 continue", "AISL GCOM TRSL"},
      {"go to (10, 20), i\n 10 continue\n 20 continue", "GCOM"},
      {"if (l) go to 10\n 10 continue", "BRAN GOTO"},
      {"select case (i)\n case (1)\n x = y\n case default\n y = x\n end select", "GCOM 2*TRSL"},
      // Loops.
      {"do i = 1, n\n x = y\n end do", "LOIN LOOV TRSL"},
      {"do i = 1, n + 1, 2\n x = y\n end do", "AISL LOIX LOOX TRSL"},
      {"do x = 0.0, 1.0, 0.5\n end do", "LOIX LOOX"},
      {"do while (i < n)\n i = i + 1\n end do", "AISL BRAN CISL SISL"},
      {"do\n if (l) exit\n if (m) cycle\n end do", "2*BRAN 2*GOTO"},
      {"do concurrent (i = 1:n)\n a(i) = x\n end do", "ARR1 LOIN LOOV TRSL"},
      // Arrays as a whole: the loop they stand for.
      {"a = x", "10*ARR1 LOIN 10*LOOV 10*TRSL"},
      {"a = a + ga", "30*ARR1 10*ARSG LOIN 10*LOOV 10*SRSL"},
      {"a(1:5) = b(1, 1:5) * x", "10*ARR1 LOIN 5*LOOV 5*MRSL 5*SRSL"},
      {"a = sqrt(a) + el(a)", "10*AGRS 30*ARR1 10*ARSL LOIN 10*LOOV 10*PROC 10*SQRS 10*SRSL"},
      {"x = sum(a)", "10*ARR1 10*ARSL LOIN 10*LOOV SRSL"},
      {"x = dot_product(a, ga)", "20*ARR1 10*ARSL LOIN 10*LOOV 10*MRSL SRSL"},
      {"as = as * 2.0 + as", "3*ARR1 ARSL LOIN LOOV MRSL SRSL"},
      {"a(1:n) = x", "ARR1 LOIN LOOV TRSL"},
      {"x = sum(as)", "ARR1 ARSL LOIN LOOV SRSL"},
      {"where (as > 0.0) as = as - x", "3*ARR1 ARSL BRAN CRSL LOIN 2*LOOV SRSL TISL"},
      {"forall (i = 1:n) a(i) = a(i) * x", "2*ARR1 LOIN LOOV MRSL SRSL"},
      {"a(1:3) = [x, y, x + y]", "3*ARR1 ARSL SRSL 2*TRSL"},
      // Structures, pointers, text, input and output.
      {"p%x = p%y * x", "MRSL SRSL"},
      {"i = p%k(j)", "ARR1 TISL"},
      {"p%next => q", "TILL"},
      {"al(i) = x", "ARR1 DEREF TRSL"},
      {"al = al + x", "2*ARR1 ARSL 2*DEREF LOIN LOOV SRSL"},
      {"i = q%k(j)", "ARR1 DEREF TISL"},
      {"q = p", "8*COPY DEREF"},
      {"txt = 'abc'", "memmove"},
      {"print *, x, a(i)", "ARR1 write"},
      {"write (*, *) (a(i), i = 1, n)", "ARR1 LOOV write"},
      {"read (*, *) x", "read"},
  };
  for (const auto& each : cases) {
    std::string text = std::string(prelude) + each.statements + "\nend subroutine\n";
    auto result = try_read({{"t.f90", text}});
    ASSERT_TRUE(result) << each.statements << ": " << result.error().message();
    const Function* function = result->find("t_");
    ASSERT_TRUE(function) << each.statements;
    EXPECT_EQ(usage_text(static_usage({{*function}})), each.expected) << each.statements;
  }
}

TEST(ReadFortran, FixedFormBlocksAndFlow) {
  auto program = read({{"p.f", R"(      PROGRAM P
      DO 10 I = 1, 3
      DO 10 J = I, 5, 2
      IF (J .EQ. 4) GO TO 10
   10 K = K + J
      IF (K) 20, 20, 30
   20 STOP
   30 CONTINUE
      END
)"}});
  EXPECT_EQ(blocks_of(program.find("_QQmain")),
            "0 do@2:7: LOIN -> 1\n"
            "1 do-test@2:7 loop 0 -> 2 9\n"
            "2 do-iterate@2:7 loop 0: LOOV -> 3\n"
            "3 do@3:7 loop 0: LOIX -> 4\n"
            "4 do-test@3:7 loop 1 -> 5 1\n"
            "5 do-iterate@3:7 loop 1: LOOX -> 6\n"
            "6 if@4:7 loop 1: BRAN CISL -> 7 8\n"
            "7 goto@4:21 loop 1: GOTO -> 8\n"
            "8 assign@5:4 loop 1: AISL SISL -> 4\n"
            "9 arithmetic-if@6:7: GCOM -> 10 11\n"
            "10 stop@7:4\n"
            "11 continue@8:4 -> 12\n"
            "12 end@9:7");
}

TEST(ReadFortran, NamesAreThoseOfTheObjectCode) {
  auto program = read({{"b.f90", R"(
program main
  use mm
  call outer
contains
  subroutine inner
  end subroutine
end program
subroutine external
  entry second(k)
end subroutine
subroutine c1() bind(c, name="c_name")
end subroutine
)"},
                       {"a.f90", R"(
module mm
  interface
    module subroutine separate(x)
      real :: x
    end subroutine
  end interface
contains
  subroutine outer
    call within
  contains
    subroutine within
    end subroutine
  end subroutine
end module
submodule (mm) sub
contains
  module subroutine separate(x)
    real :: x
  end subroutine
  subroutine own
  end subroutine
end submodule
)"}});
  std::vector<std::string> names;
  for (const auto& function : program.graph.functions) names.push_back(function.name);
  EXPECT_EQ(join(names, " "),
            "_QQmain _QFPinner external_ second_ c_name _QMmmPouter _QMmmFouterPwithin _QMmmPseparate _QMmmSsubPown");
  EXPECT_EQ(program.find("_QQmain")->blocks[0].calls[0].callee, "_QMmmPouter");
}

TEST(ReadFortran, RegionsAndGaps) {
  auto program = read({{"r.f", R"(      PROGRAM P
C perfcast: region middle
      X = 1.0
C perfcast: end
      SYNC ALL
      END
)"}});
  ASSERT_EQ(program.regions.size(), 1u);
  EXPECT_EQ(program.regions[0].name, "middle");
  EXPECT_EQ(program.regions[0].first_line, 2);
  ASSERT_EQ(program.gaps.size(), 1u);
  EXPECT_EQ(program.gaps[0].at.line, 5);
}

TEST(ReadFortran, ErrorsNameThePlace) {
  auto bad = try_read({{"bad.f90", "program p\n  x = = 1\nend program\n"}});
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message().find("bad.f90:2:"), std::string::npos) << bad.error().message();
  auto missing = try_read({{"m.f90", "program p\n  use nowhere\nend program\n"}});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message().find("module"), std::string::npos) << missing.error().message();
  auto untyped = try_read({{"u.f90", "program p\n  implicit none\n  x = 1\nend program\n"}});
  ASSERT_FALSE(untyped);
  EXPECT_NE(untyped.error().message().find("u.f90:3"), std::string::npos) << untyped.error().message();
}

TEST(ReadFortran, OptionsOfTheCompiler) {
  auto program = read({{"d.F", "      PROGRAM P\n#ifdef WIDE\n      X = Y + 1.0\n#else\n      X = Y\n#endif\n      END\n"}},
                      {"-DWIDE", "-fdefault-real-8"});
  EXPECT_EQ(usage_text(static_usage(program.graph)), "ARDL SRDL");
  auto included = read({{"i.f", "      PROGRAM P\n      INCLUDE 'c.inc'\n      G = 1.0\n      END\n"},
                        {"c.inc", "      COMMON /C/ G\n"}});
  EXPECT_EQ(usage_text(static_usage(included.graph)), "TRSG");
}

}  // namespace
}  // namespace perfcast
