/* The data all kernels work on, and their names with the iterations of one call. Needs no library. KERNELS is
   DEVELOPMENT (kernels.c) unless it is defined as HOLDOUT (kernels_holdout.c). */
#include "k.h"
#define N 4096
#define LINE __attribute__((aligned(4096)))
static double A[N + 256] LINE, B[N + 256] LINE, C[N + 256] LINE, D[N + 256] LINE, E[N + 256] LINE, F[N + 256] LINE, GRD[N + 256] LINE;
static int IA[N] LINE, IB[N] LINE;
static unsigned CNT[256] LINE, TABLE[256] LINE;
static long P[N] LINE;
static float X[2048] LINE, Y[2048] LINE, Z[2048] LINE;
static unsigned char TEXT[4096] LINE, OTHER[4096] LINE, RUNS[4096] LINE;
static unsigned long BITS[1024] LINE;
static short SAMPLES[2048] LINE, FILTER[32] LINE;

static unsigned seed = 12345;
static unsigned next(void) { return (seed = seed * 1664525u + 1013904223u) >> 8; }
static void fill(double *a) { for (int i = 0; i < N + 256; i++) a[i] = 0.5 + (next() & 1023) / 1024.0; }
static void prepare_more(void) {
  for (int i = 0; i < 2048; i++) X[i] = 0.5f + (float)(next() & 1023) / 1024, Y[i] = 0.5f + (float)(next() & 1023) / 1024, Z[i] = 0;
  for (int i = 0; i < 4096; i++) TEXT[i] = OTHER[i] = (unsigned char)(next() % 6 ? 'a' + next() % 26 : ' ');
  for (int i = 0; i < 4096; i += 16) OTHER[i + (int)(next() & 15)] = '!';
  for (int i = 1; i < 4096; i++) RUNS[i] = (unsigned char)(next() % 4 ? RUNS[i - 1] : next() & 7);
  for (int i = 0; i < 256; i++) TABLE[i] = next() << 8 ^ next();
  for (int i = 0; i < 1024; i++) BITS[i] = (unsigned long)next() << 40 ^ (unsigned long)next() << 20 ^ next();
  for (int i = 0; i < 2048; i++) SAMPLES[i] = (short)(next() & 4095);
  for (int i = 0; i < 32; i++) FILTER[i] = (short)(next() & 255);
}
static void prepare(G *g) {
  double *all[] = {A, B, C, D, E, F};
  seed = 12345;
  for (int i = 0; i < 6; i++) fill(all[i]);
  for (int i = 0; i < N; i++) IA[i] = (int)(next() & 511), IB[i] = (int)(next() & 1023), GRD[i] = (double)(next() & 511);
  for (int i = 0; i < N; i++) P[i] = i;
  for (int i = 999; i > 0; i--) { int j = (int)(next() % (unsigned)i); long t = P[i]; P[i] = P[j]; P[j] = t; }
  for (int i = 0; i < 256; i++) CNT[i] = 0;
  prepare_more();
  G init = {A, B, C, D, E, F, GRD, IA, IB, CNT, P, 0.001, 0.002, 0.003, 0, 34, 7, X, Y, Z, TEXT, OTHER, RUNS, TABLE, BITS, SAMPLES, FILTER};
  *g = init;
}

#define DEVELOPMENT(X) X(copy,1000) X(scale,1000) X(daxpy,1000) X(triad,1000) X(dot,1000) X(sum,1000) X(isum,1000) X(ll1,1000) X(ll2,1000) \
  X(ll4,1000) X(ll5,1000) X(ll6,1000) X(ll7,1000) X(ll9,250) X(ll10,250) X(ll11,1000) X(ll12,1000) X(ll14,1000) X(ll18,1000) X(ll19,1000) \
  X(ll20,1000) X(ll21,1000) X(ll23,1000) X(ll24,1000) X(stencil3,1000) X(jac2d,1000) X(mm_ikj,1000) X(mm_ijk,1000) X(chase,1000) \
  X(branchy,1000) X(vdiv,1000) X(vsqrt,1000) X(divchain,1000) X(hash,1000) X(mix,1000) X(hist,1000) X(imod,1000) X(gather,1000) \
  X(fsum,1000) X(horner,1000) X(cmul,1000)
#define HOLDOUT(X) X(adi,500) X(pic,250) X(casual,500) X(implicit,500) X(hydro2d,500) X(thomas,500) X(backsub,1000) X(banded,500) \
  X(add,1000) X(saxpy,1000) X(asum,1000) X(sdot,1000) X(dsdot,1000) X(argmax,1000) X(minmax,1000) X(scan,1000) X(swap,1000) X(reverse,1000) X(stride4,1000) \
  X(crc,1000) X(popcount,1000) X(base64,1000) X(rle,1000) X(find,1000) X(compare,64) X(bitrev,1000) X(xorshift,1000) X(lcg,1000) X(gcd,100) \
  X(bsearch,200) X(insort,64) X(collatz,50) X(digits,1000) X(upper,1000) X(number,1000) X(adler,1000) X(fir16,500) X(blend,1000) X(dfa,1000) \
  X(list,1000) X(probe,500) X(varint,1000) \
  X(newton,500) X(normalise,300) X(i2d,1000) X(d2i,1000) X(cdot,500) X(matvec4,200) X(mm4,50) X(seidel,1000) X(stencil7,6) X(poly10,1000) X(mandel,64) \
  X(logistic,1000) X(condsum,1000) X(condsel,1000) X(nbody,40) X(trapeze,1000) X(kahan,1000) X(fir8,200) X(csr,150) X(trisolve,24) X(edit,24) \
  X(pointers,500) X(move_aos,300) X(move_soa,300) X(triple,300) X(window,300)
#ifndef KERNELS
#define KERNELS DEVELOPMENT
#endif
#define DECLARE(name, n) long k_##name(G *, long);
KERNELS(DECLARE)
