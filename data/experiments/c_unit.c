/* Values and callees of the C and C++ experiments, compiled with the flags being characterized. Real values come in
 * pairs v, 1/v, so that chains of products stay where they are; x = k/x holds for the integers. */
#include "c_unit.h"

#define REALS {1.1, 1.3, 1.7, 1.9, 1.37, 1 / 1.37, 1.19, 1 / 1.19, 1e3, 2.5, 3.5}
#define INTEGERS(x, k) {x, x, x, x, 3, 5, 7, 2, k, 6, 9}
#define OPERANDS(T, ...)                                                                                          \
  T i##T[16] = __VA_ARGS__, k##T[16], g##T##x0, g##T##x1, g##T##x2, g##T##x3, g##T##a0, g##T##a1, g##T##b0, g##T##b1, \
      g##T##k, g##T##u, g##T##v;
#ifdef __cplusplus
extern "C" {
#endif
OPERANDS(RS, REALS)
OPERANDS(RD, REALS)
OPERANDS(IS, INTEGERS(1111, 1234567))
OPERANDS(IB, INTEGERS(11, 122))
OPERANDS(IH, INTEGERS(111, 12345))
OPERANDS(IL, INTEGERS(1111, 1234567))
OPERANDS(UB, INTEGERS(11, 122))
OPERANDS(UH, INTEGERS(111, 12345))
OPERANDS(US, INTEGERS(1111, 1234567))
OPERANDS(UL, INTEGERS(1111, 1234567))
double ivector[512], iplane[11][13], ispace[5][7][9], arguments[64], small_arguments[64];
OPERANDS(PP, {ivector, ivector + 1, ivector + 2, ivector + 3, ivector, ivector, ivector, ivector, ivector + 500, ivector + 9, ivector + 10})

struct Record irecord = {1.5, 3, 2.5, 1};
struct Block iblock1, iblock2;
struct Two itwo = {1.5, 2.5};
float single_arguments[64];
int iindex[16] = {3, 4, 2, 5, 1, 6, 3, 2, 4, 1, 2, 3, 4, 1, 2, 3};
char text1[] = "the quick brown fox jumps over a lazy dog", text2[] = "the quick brown fox jumps over a lazy cat";
char number[] = "31415.92", buffer1[4096], buffer2[4096];
char *itext1 = text1, *itext2 = text2, *inumber = number, *ibuffer1 = buffer1, *ibuffer2 = buffer2;
FILE* nowhere;
int inumbers[64];
size_t isize = 64;

void call_0(void) {}
void call_rs(float a, float b, float c) { (void)a, (void)b, (void)c; }
void call_rd(double a, double b, double c) { (void)a, (void)b, (void)c; }
void call_is(int a, int b, int c) { (void)a, (void)b, (void)c; }
void call_il(long long a, long long b, long long c) { (void)a, (void)b, (void)c; }
void call_pp(double* a, double* b, double* c) { (void)a, (void)b, (void)c; }
void call_st(struct Block block) { (void)block; }
int compare_ints(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
void (*icallee)(void) = call_0;

static void spread(void) __attribute__((constructor));
static void spread(void) {
#define SPREAD(T)                                                                                       \
  g##T##x0 = i##T[0], g##T##x1 = i##T[1], g##T##x2 = i##T[2], g##T##x3 = i##T[3], g##T##a0 = i##T[4], \
  g##T##a1 = i##T[5], g##T##b0 = i##T[6], g##T##b1 = i##T[7], g##T##k = i##T[8], g##T##u = i##T[9], g##T##v = i##T[10];
  SPREAD(RS) SPREAD(RD) SPREAD(IS) SPREAD(IB) SPREAD(IH) SPREAD(IL) SPREAD(UB) SPREAD(UH) SPREAD(US) SPREAD(UL) SPREAD(PP)
  unsigned seed = 12345;
  for (int i = 0; i < 64; i++) {
    seed = seed * 1103515245u + 12345u;
    double unit = (double)(seed >> 8 & 0xffff) / 65536.0;
    arguments[i] = 0.1 + 6 * unit, small_arguments[i] = 0.05 + 0.9 * unit;
    single_arguments[i] = (float)arguments[i];
    inumbers[i] = (int)(seed >> 12);
  }
  nowhere = fopen("/dev/null", "w");
}
#ifdef __cplusplus
}
Shape::~Shape() {}
void Shape::visit() {}
static Shape shape;
Shape* ishape = &shape;
void thrower(int value) { throw value; }
#endif
