// Which operations each statement of C and C++ asks for.
#include <gtest/gtest.h>

#include "frontends/clang_ast/test_reading.h"

namespace perfcast {
namespace {

struct Case {
  const char *statements, *expected;
};

constexpr const char* c_prelude = R"(
struct S { int x; double d; struct S *next; int a[8]; };
int gi, gj, ga[10]; double gd, gm[10][10], g3[4][4][4], g4[2][2][2][2]; struct S gs; float gr;
int user(int, double); double sin(double); float sqrtf(float); double cos(double); void* memcpy(void*, const void*, unsigned long);
int printf(const char*, ...); void other(struct S);
enum E { red, green };
void f(int i, int j, long l, unsigned u, unsigned long ul, char c, unsigned char uc, short h, float r, double d,
       double e, double *p, double **pp, struct S *s, struct S t, int *a, double (*m)[10], int (*fp)(int), _Complex double z) {
)";

TEST(ReadC, OperationsOfStatements) {
  const Case cases[] = {
      // Assignments: a plain value is transferred, a computed one stored; storage is that of the target.
      {"i = j;", "TISL"},
      {"i = 5;", "TISL"},
      {"i = 2 * 3 + 1;", "TISL"},
      {"gi = i;", "TISG"},
      {"i = gi;", "TISL"},
      {"d = e;", "TRDL"},
      {"r = gr;", "TRSL"},
      {"i = j + 1;", "AISL SISL"},
      {"i = gi + 1;", "AISG SISL"},
      {"gi = i + j;", "AISL SISG"},
      {"d = d * e + gd;", "ARDG MRDL SRDL"},
      {"d = d / e - e;", "ARDL DRDL SRDL"},
      {"r = r * r;", "MRSL SRSL"},
      {"i = j = 3;", "SISL TISL"},
      {"i += j;", "AISL SISL"},
      {"i *= gi;", "MISG SISL"},
      {"i++; --j;", "2*AISL 2*SISL"},
      {"gi++;", "AISG SISG"},
      {"d -= e;", "ARDL SRDL"},
      {"p++;", "APPL SPPL"},
      {"p = p + i;", "APPL SPPL"},
      {"l = p - *pp;", "APPL DEREF SILL"},
      // Types: width and sign.
      {"l = l + 1;", "AILL SILL"},
      {"u = u / 3;", "DUSL SUSL"},
      {"ul = ul % 7;", "RULL SULL"},
      {"i = i % j;", "RISL SISL"},
      {"i = i & j | 4;", "2*BISL SISL"},
      {"u = ~u;", "BUSL SUSL"},
      {"ul = ul << 3;", "HULL SULL"},
      {"i = -j;", "NISL SISL"},
      {"d = -d;", "NRDL SRDL"},
      {"c = c + 1;", "AISL SIBL VILIS VISIL"},
      {"c += 1;", "AISL SIBL VILIS VISIL"},
      {"uc++;", "AUBL SUBL"},
      {"h = h;", "TIHL"},
      // Conversions.
      {"d = i;", "SRDL VISRD"},
      {"d = 1;", "TRDL"},
      {"i = d;", "SISL VRDIS"},
      {"i = (int)(d * e);", "MRDL SISL VRDIS"},
      {"d = r;", "SRDL VRSRD"},
      {"r = d;", "SRSL VRDRS"},
      {"r = i * r;", "MRSL SRSL VISRS"},
      {"l = i;", "SILL VISIL"},
      {"i = l;", "SISL VILIS"},
      {"u = i;", "TUSL"},
      {"d = ul;", "SRDL VISRD"},
      // Arrays: by dimension; additions in an index are IADD, other arithmetic keeps its name.
      {"i = a[j];", "ARR1 TISL"},
      {"a[i] = j + 1;", "AISL ARR1 SISL"},
      {"ga[i] = ga[j];", "2*ARR1 TISG"},
      {"ga[3] = 1;", "TISG"},
      {"i = a[j + 1];", "ARR1 IADD TISL"},
      {"i = a[j + i - 1];", "ARR1 2*IADD TISL"},
      {"i = a[j * 10 + i];", "ARR1 IADD MISL TISL"},
      {"i = a[i++];", "ARR1 IADD SISL TISL"},
      {"i = a[user(i + 1, d)];", "AISL ARR1 TISL user"},
      {"d = gm[i][j];", "ARR2 TRDL"},
      {"d = gm[i + 1][j - 1] * d;", "ARR2 2*IADD MRDG SRDL"},
      {"d = m[i][j];", "ARR2 TRDL"},
      {"d = g3[i][j][1];", "ARR3 TRDL"},
      {"d = g4[i][j][i][j];", "ARR1 ARR3 TRDL"},
      {"d = pp[i][j];", "2*ARR1 TRDL"},
      {"gm[i][j] += d * e;", "ARDG ARR2 MRDL SRDG"},
      // Pointers and members.
      {"d = *p;", "DEREF TRDL"},
      {"*p++ = d;", "APPL DEREF SPPL TRDL"},
      {"d = *(p + i);", "APPL DEREF TRDL"},
      {"p = &d;", "ADDR TPPL"},
      {"p = &p[i];", "ADDR ARR1 TPPL"},
      {"i = t.x;", "MEMBER TISL"},
      {"i = s->x;", "DEREF MEMBER TISL"},
      {"s = s->next->next;", "2*DEREF 2*MEMBER TPPL"},
      {"gs.x = i;", "MEMBER TISG"},
      {"i = s->a[j];", "ARR1 DEREF MEMBER TISL"},
      {"t = *s;", "7*COPY DEREF"},
      {"struct S q = t;", "7*COPY"},
      {"struct S q = {1, 2.0};", "7*COPY"},
      {"struct S q = {i, d};", "4*COPY TISL TPPL TRDL"},
      {"int q[4] = {0};", "2*COPY"},
      {"char q[] = \"hello\";", "COPY"},
      {"int q = i, w = i + 1, v;", "AISL SISL TISL"},
      {"int q[i]; q[0] = 1;", "APPL TISL"},
      // Conditions.
      {"if (i < j) i = 1;", "BRAN CISL TISL"},
      {"if (i) j = 1; else j = 2;", "BRAN 2*TISL"},
      {"if (!i) return;", "BRAN NOTC"},
      {"if (d > gd) return;", "BRAN CRDG"},
      {"if (p) return;", "BRAN"},
      {"if (p != &d) return;", "ADDR BRAN CPPL"},
      {"if (i < j && d < e || l) return;", "2*ANDC BRAN CISL CRDL"},
      {"if (0) i = j + 1;", ""},
      {"if (1) i = j + 1;", "AISL SISL"},
      {"i = i < j;", "CISL SISL"},
      {"i = i && j;", "ANDC SISL"},
      {"i = i ? j : j + 1;", "AISL COND SISL"},
      {"i = i < j ? i : j;", "CISL COND SISL"},
      {"switch (i) { case 1: j = 1; break; case 2: case 3: j = 2; default: ; }", "SWITCH 2*TISL"},
      {"if (c == 'a') return;", "BRAN CISL VISIL"},
      {"enum E k = red; if (k == green) return;", "BRAN CUSL TUSL"},
      // Loops: counting by one is LOIN and LOOV.
      {"for (i = 0; i < j; i++) a[i] = 0;", "ARR1 LOIN LOOV TISL"},
      {"for (int k = 1; k <= 2 * j; ++k) ;", "LOIN LOOV MISL"},
      {"for (int k = j + 1; k > 0; k--) ;", "AISL LOIN LOOV"},
      {"for (i = 0, d = 1; i < 10; i++) ;", "LOIN LOOV TRDL"},
      {"for (i = 0; i < 10; i += 2) ;", "AISL BRAN CISL SISL TISL"},
      {"for (i = 0; i < 10 && a[i]; i++) ;", "AISL ANDC ARR1 BRAN CISL SISL TISL"},
      {"for (; s; s = s->next) i++;", "AISL BRAN DEREF MEMBER SISL TPPL"},
      {"for (;;) { if (i) break; }", "BRAN GOTO"},
      {"while (i--) j++;", "2*AISL BRAN 2*SISL"},
      {"while (1) { if (i) break; continue; }", "BRAN 2*GOTO"},
      {"do i++; while (i < 10);", "AISL BRAN CISL SISL"},
      {"do { i = 1; } while (0);", "TISL"},
      {"again: i++; if (i < 9) goto again;", "AISL BRAN CISL GOTO SISL"},
      {"void *q = &&there; goto *q; there: ;", "SWITCH TPPL"},
      // Calls: what no file defines is a library routine.
      {"user(i, d);", "user"},
      {"d = sin(d) + cos(e);", "ARDL SIND SRDL cos"},
      {"r = sqrtf(r);", "SQRS SRSL"},
      {"printf(\"%d\", i + 1);", "AISL printf"},
      {"memcpy(p, a, 10 * sizeof *p);", "memcpy"},
      {"i = fp(j);", "AGIS CPTR SISL"},
      {"d = __builtin_fabs(d);", "SRDL fabs"},
      {"i = __builtin_popcount(u);", "BUSL SISL"},
      {"if (__builtin_expect(i > 3, 1)) return;", "BRAN CISL"},
      {"z = z * z;", "2*ARDL 4*MRDL 2*SRDL"},
      {"i = ({ int q = j; q + 1; });", "AISL SISL TISL"},
      {"i = sizeof(int) + __builtin_offsetof(struct S, d);", "TISL"},
  };
  for (const auto& [statements, expected] : cases) {
    auto read = read_files({{"t.c", std::string(c_prelude) + statements + "\n}\n"}});
    EXPECT_EQ(usage_of(read.find("f")), expected) << statements;
    EXPECT_TRUE(read.gaps.empty()) << statements << ": " << (read.gaps.empty() ? "" : read.gaps[0].what);
  }
}

constexpr const char* cxx_prelude = R"(
struct P { double x, y; };
struct V { int n; V(); V(const V&); ~V(); int get() const; virtual int run(int); V& operator=(const V&); };
struct F final { virtual int run(int) { return 1; } };
struct Q { int a; double b; int both(int k) { return a + k; } static int count; };
V make(); int& where(int); void take(const double&); void give(P); void give2(V);
template <class T> T twice(T x) { return x + x; }
int gi;
void f(int i, int j, double d, int& ri, const P& rp, P p, P* pp, V& v, Q& q, F& fin, int (Q::*method)(int), bool b) {
)";

TEST(ReadCxx, OperationsOfStatements) {
  const Case cases[] = {
      {"i = ri;", "DEREF TISL"},
      {"ri = i;", "DEREF TISL"},
      {"d = rp.x;", "DEREF MEMBER TRDL"},
      {"p = *pp;", "2*COPY DEREF"},
      {"P k = p;", "2*COPY"},
      {"P k{1, d};", "2*TRDL"},
      {"P k;", ""},
      {"int& r = i; r = 2;", "DEREF TISL TPPL"},
      {"if (b) i = 1;", "BRAN TISL"},
      {"if (i) i = 1;", "BRAN TISL"},
      {"b = i;", "CISL SUBL"},
      {"if (!pp) i = 1;", "BRAN NOTC TISL"},
      {"b = i < j;", "CISL SUBL"},
      {"i = twice(j);", "AGIS PROC SISL"},
      {"d = twice(2.5);", "AGRD PROC SRDL"},
      {"i = q.both(3);", "AGIS AGPP DEREF PROC SISL"},
      {"i = Q::count;", "TISL"},
      {"i = (q.*method)(3);", "AGIS CPTR DEREF MEMBER SISL"},
      {"where(3) = i;", "DEREF TISL where"},
      {"take(d);", "take"},
      {"i = v.run(2);", "AGIS CVIR DEREF SISL"},
      {"i = v.V::run(2);", "DEREF SISL V::run"},
      {"i = fin.run(2);", "AGIS AGPP DEREF PROC SISL"},
      {"V w;", "V::V V::~V"},
      {"V w = v;", "DEREF V::V V::~V"},
      {"V w = make();", "V::~V make"},
      {"make();", "V::~V make"},
      {"v = make();", "DEREF V::operator= V::~V make"},
      {"V w[3];", "3*V::V 3*V::~V"},
      {"auto k = new int(3);", "SPPL TISL new"},
      {"auto k = new V;", "SPPL V::V new"},
      {"delete pp;", "delete"},
      {"delete &v;", "ADDR DEREF V::~V delete"},
      {"throw 1;", "THROW TISL"},
      {"try { i = 1; } catch (int e) { j = e + 1; }", "AISL SISL TISL"},
      {"auto k = [i, &j] { return i + j; };", "TISL TPPL"},
      {"auto k = [](int x) { return x; }; i = k(3);", "AGIS AGPP PROC SISL"},
      {"constexpr int k = 5; i = j + k;", "AISL SISL"},
      {"const int k = 5; i = k;", "2*TISL"},
      {"static int k = 5; k++;", "AISG SISG"},
      {"static int k = j; k = 1;", "BRAN 2*TISG"},
      {"if constexpr (sizeof(int) == 4) i = 1; else i = j + 1;", "TISL"},
      {"switch (i) { case 1: for (;;) break; default: break; }", "GOTO SWITCH"},
      {"int a[5] = {1, 2, 3, 4, 5}; for (int x : a) i += x;", "AISL 2*APPL BRAN 3*COPY CPPL 3*DEREF SISL 2*SPPL TISL 2*TPPL"},
      {"if (int k = i + 1; k > 2) j = k;", "AISL BRAN CISL SISL TISL"},
      {"i = static_cast<int>(d);", "SISL VRDIS"},
      {"auto [x, y] = p; d = x + y;", "ARDL 2*COPY 2*MEMBER SRDL"},
  };
  for (const auto& [statements, expected] : cases) {
    auto read = read_files({{"t.cc", std::string(cxx_prelude) + statements + "\n}\n"}}, {"-std=c++20"});
    const Function* function = nullptr;
    for (const auto& each : read.graph.functions)
      if (each.readable == "f") function = &each;
    EXPECT_EQ(usage_of(function), expected) << statements;
    EXPECT_TRUE(read.gaps.empty()) << statements << ": " << (read.gaps.empty() ? "" : read.gaps[0].what);
  }
}

}  // namespace
}  // namespace perfcast
