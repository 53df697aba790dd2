/* The data all kernels of kernels.c work on, and their names with the iterations of one call. Needs no library. */
#include "k.h"
#define N 4096
#define LINE __attribute__((aligned(4096)))
static double A[N + 256] LINE, B[N + 256] LINE, C[N + 256] LINE, D[N + 256] LINE, E[N + 256] LINE, F[N + 256] LINE, GRD[N + 256] LINE;
static int IA[N] LINE, IB[N] LINE;
static unsigned CNT[256] LINE;
static long P[N] LINE;

static unsigned seed = 12345;
static unsigned next(void) { return (seed = seed * 1664525u + 1013904223u) >> 8; }
static void fill(double *a) { for (int i = 0; i < N + 256; i++) a[i] = 0.5 + (next() & 1023) / 1024.0; }
static void prepare(G *g) {
  double *all[] = {A, B, C, D, E, F};
  for (int i = 0; i < 6; i++) fill(all[i]);
  for (int i = 0; i < N; i++) IA[i] = (int)(next() & 511), IB[i] = (int)(next() & 1023), GRD[i] = (double)(next() & 511);
  for (int i = 0; i < N; i++) P[i] = i;
  for (int i = 999; i > 0; i--) { int j = (int)(next() % (unsigned)i); long t = P[i]; P[i] = P[j]; P[j] = t; }
  for (int i = 0; i < 256; i++) CNT[i] = 0;
  G init = {A, B, C, D, E, F, GRD, IA, IB, CNT, P, 0.001, 0.002, 0.003, 0, 34, 7};
  *g = init;
}

#define KERNELS(X) X(copy,1000) X(scale,1000) X(daxpy,1000) X(triad,1000) X(dot,1000) X(sum,1000) X(isum,1000) X(ll1,1000) X(ll2,1000) \
  X(ll4,1000) X(ll5,1000) X(ll6,1000) X(ll7,1000) X(ll9,250) X(ll10,250) X(ll11,1000) X(ll12,1000) X(ll14,1000) X(ll18,1000) X(ll19,1000) \
  X(ll20,1000) X(ll21,1000) X(ll23,1000) X(ll24,1000) X(stencil3,1000) X(jac2d,1000) X(mm_ikj,1000) X(mm_ijk,1000) X(chase,1000) \
  X(branchy,1000) X(vdiv,1000) X(vsqrt,1000) X(divchain,1000) X(hash,1000) X(mix,1000) X(hist,1000) X(imod,1000) X(gather,1000) \
  X(fsum,1000) X(horner,1000) X(cmul,1000)
#define DECLARE(name, n) long k_##name(G *, long);
KERNELS(DECLARE)
