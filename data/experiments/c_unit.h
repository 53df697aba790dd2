/* What the bodies of C and C++ experiments may use. Everything is defined and given its value in another compilation
 * unit (c_unit.c), so that a compiler knows no value and removes nothing. Where the compiler optimises, KEEP hides a
 * value from it between two statements; without optimisation KEEP is nothing. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __OPTIMIZE__
#if defined(__x86_64__)
#define PERFCAST_REAL "+x"
#elif defined(__aarch64__)
#define PERFCAST_REAL "+w"
#else
#define PERFCAST_REAL "+m"
#endif
#define KEEP_INTEGER(x) __asm__ volatile("" : "+r"(x))
#define KEEP_REAL(x) __asm__ volatile("" : PERFCAST_REAL(x))
#else
#define KEEP_INTEGER(x)
#define KEEP_REAL(x)
#endif

typedef float RS;
typedef double RD;
typedef int IS;
typedef signed char IB;
typedef short IH;
typedef long long IL;
typedef unsigned char UB;
typedef unsigned short UH;
typedef unsigned int US;
typedef unsigned long long UL;
typedef double* PP;

/* Of each type: initial values of local operands, global operands, and where results go. */
#define PERFCAST_OPERANDS(T)                                                                              \
  extern T i##T[16], k##T[16], g##T##x0, g##T##x1, g##T##x2, g##T##x3, g##T##a0, g##T##a1, g##T##b0, g##T##b1, g##T##k, \
      g##T##u, g##T##v;

#ifdef __cplusplus
extern "C" {
#endif
PERFCAST_OPERANDS(RS)
PERFCAST_OPERANDS(RD)
PERFCAST_OPERANDS(IS)
PERFCAST_OPERANDS(IB)
PERFCAST_OPERANDS(IH)
PERFCAST_OPERANDS(IL)
PERFCAST_OPERANDS(UB)
PERFCAST_OPERANDS(UH)
PERFCAST_OPERANDS(US)
PERFCAST_OPERANDS(UL)
PERFCAST_OPERANDS(PP)

struct Record { double first; int count; double second; int flag; };
struct Block { double part[8]; };
struct Two { double one, two; };
extern struct Record irecord;
extern struct Block iblock1, iblock2;
extern struct Two itwo;
extern double ivector[512], iplane[11][13], ispace[5][7][9], arguments[64];
extern double small_arguments[64];
extern float single_arguments[64];
extern int iindex[16];
extern char *itext1, *itext2, *inumber, *ibuffer1, *ibuffer2;
extern FILE* nowhere;
extern int inumbers[64];
extern size_t isize;

void call_0(void);
void call_rs(float, float, float);
void call_rd(double, double, double);
void call_is(int, int, int);
void call_il(long long, long long, long long);
void call_pp(double*, double*, double*);
void call_st(struct Block);
int compare_ints(const void*, const void*);
extern void (*icallee)(void);
#ifdef __cplusplus
}
struct Shape {
  virtual ~Shape();
  virtual void visit();
};
extern Shape* ishape;
void thrower(int);
#endif
