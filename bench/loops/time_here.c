/* Times every kernel on the machine it runs on: prints its name and cycles per call. Many slices of some microseconds,
   each between two looks at a chain of additions (the clock) and at a stream of them (who else is on the core); the
   median of those slices during which nobody was. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "data.h"

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}
#define TIMES8(x) x x x x x x x x
static double chain_ns(void) {  /* per step; both operands are registers, so that no core folds them */
  unsigned long x = 1, y = 3;
  __asm__ volatile("" : "+r"(y));
  double start = now_ns();
  for (int i = 0; i < 120; i++) { TIMES8(TIMES8(x += y; __asm__ volatile("" : "+r"(x));)) }
  return (now_ns() - start) / (120 * 64);
}
static double stream_ns(void) {  /* per round of six independent additions */
  unsigned long a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, y = 3;
  __asm__ volatile("" : "+r"(y));
  double start = now_ns();
  for (int i = 0; i < 500; i++) { TIMES8(a += y; b += y; c += y; d += y; e += y; f += y; __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));) }
  return (now_ns() - start) / (500 * 8);
}
static int ascending(const void *a, const void *b) { double x = *(const double *)a, y = *(const double *)b; return (x > y) - (x < y); }

typedef long Kernel(G *, long);
static double best_stream = 1e9;  /* cycles */
static double slice(Kernel *kernel, G *g, long n, int calls, double *stream) {
  double chain = chain_ns(), one = stream_ns(), start = now_ns();
  for (int i = 0; i < calls; i++) kernel(g, n);
  double spent = now_ns() - start, other = stream_ns(), after = chain_ns();
  double clock = chain < after ? chain : after;  /* whoever interrupts makes either longer, never shorter */
  *stream = (one > other ? one : other) / clock;
  if (*stream < best_stream) best_stream = *stream;
  return spent / calls / clock;
}

static void time_kernel(const char *name, Kernel *kernel, long n, G *g) {
  enum { most = 300 };
  static double times[most], streams[most], kept[most];
  prepare(g);
  for (int i = 0; i < 3; i++) kernel(g, n);
  double start = now_ns(), spent;
  kernel(g, n);
  spent = now_ns() - start;
  int calls = spent < 10000 ? (int)(10000 / (spent + 1)) + 1 : 1, count = 0;
  for (int i = 0; i < most; i++) times[i] = slice(kernel, g, n, calls, &streams[i]);
  for (double tolerance = 1.03; count < 20 && tolerance < 2; tolerance += 0.03) {
    count = 0;
    for (int i = 0; i < most; i++) if (streams[i] <= tolerance * best_stream) kept[count++] = times[i];
  }
  if (count == 0) return;
  qsort(kept, (unsigned)count, sizeof *kept, ascending);
  printf("%s %.2f %d\n", name, kept[count / 2], count);
}

static G g;
int main(void) {
#define CALL(name, n) time_kernel(#name, k_##name, n, &g);
  KERNELS(CALL)
  return 0;
}
