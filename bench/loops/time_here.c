/* Times every kernel on the machine it runs on: prints its name, cycles per call and how many slices that rests on.
     time_here [BEST]    # BEST: what an earlier run printed as "canary"
   Slices of some microseconds, each between two looks at a chain of additions (the clock) and at a stream of them (who
   else is on the core), in rounds over all kernels, so that whoever disturbs meets them all alike. Of each round the
   median of the slices during which nobody did; of the rounds the second smallest: one alone may have been lucky. The
   first line says how fast the stream was at its best, here and in BEST. Rounds go on until every kernel has enough
   undisturbed ones, or time is up. */
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
static G g;
enum { most_rounds = 60, enough = 6, slices = 40, most_kernels = 100 };
struct Slice { double cycles, stream; };
static struct Timing { const char *name; struct Slice slice[most_rounds][slices]; } timing[most_kernels];
static int kernels, rounds;

static struct Slice slice(Kernel *kernel, long n, int calls) {
  double chain = chain_ns(), one = stream_ns(), start = now_ns();
  for (int i = 0; i < calls; i++) kernel(&g, n);
  double spent = now_ns() - start, other = stream_ns(), after = chain_ns();
  double clock = chain < after ? chain : after;  /* whoever interrupts makes either longer, never shorter */
  struct Slice result = {spent / calls / clock, (one > other ? one : other) / clock};
  return result;
}

static void time_kernel(struct Timing *to, const char *name, Kernel *kernel, long n) {
  enum { slice_ns = 10000, warm_ns = 200000 };
  to->name = name;
  prepare(&g);
  double start = now_ns();
  int warm = 0;
  for (; warm < 3 || now_ns() - start < warm_ns; warm++) kernel(&g, n);
  double one = (now_ns() - start) / warm;
  int calls = one < slice_ns ? (int)(slice_ns / one) + 1 : 1;
  for (int i = 0; i < slices; i++) to->slice[rounds][i] = slice(kernel, n, calls);
}

/* The median of what a round kept under a limit of the stream; 0 when that is too little. */
static double middle_of(const struct Slice *round, double limit) {
  double kept[slices];
  int count = 0;
  for (int i = 0; i < slices; i++)
    if (round[i].stream <= limit) kept[count++] = round[i].cycles;
  qsort(kept, (unsigned)count, sizeof *kept, ascending);
  return count >= slices / 8 ? kept[count / 2] : 0;
}
static int middles_of(const struct Timing *of, double limit, double *middles) {
  int found = 0;
  for (int r = 0; r < rounds; r++)
    if ((middles[found] = middle_of(of->slice[r], limit)) > 0) found++;
  return found;
}

static void report(const struct Timing *of, double best_stream) {
  double middles[most_rounds], tolerance = 1.03;
  int found = 0;
  for (; found < 2 && tolerance < 2; tolerance += 0.03) found = middles_of(of, tolerance * best_stream, middles);
  if (found == 0) return;
  qsort(middles, (unsigned)found, sizeof *middles, ascending);
  printf("%s %.2f %d rounds, stream within %.0f %%\n", of->name, middles[found > 1], found, 100 * (tolerance - 1.03));
}

/* The best hundredth of all looks: the very smallest owe it to a change of the clock. */
static double best_look(void) {
  static double streams[most_kernels * most_rounds * slices];
  int looks = 0;
  for (int k = 0; k < kernels; k++)
    for (int r = 0; r < rounds; r++)
      for (int i = 0; i < slices; i++) streams[looks++] = timing[k].slice[r][i].stream;
  qsort(streams, (unsigned)looks, sizeof *streams, ascending);
  return streams[looks / 100];
}

static int all_have_enough(double best_stream) {
  double middles[most_rounds];
  for (int k = 0; k < kernels; k++)
    if (middles_of(&timing[k], 1.03 * best_stream, middles) < enough) return 0;
  return 1;
}

int main(int count, char **words) {
  const double known = count > 1 ? atof(words[1]) : 0, most_ns = 8e9, start = now_ns();
  double best_stream = 0;
  while (rounds < most_rounds && now_ns() - start < most_ns) {
    kernels = 0;
#define CALL(name, n) time_kernel(&timing[kernels++], #name, k_##name, n);
    KERNELS(CALL)
    rounds++;
    if (rounds < enough) continue;
    best_stream = best_look();
    if (known > 0 && known < best_stream) best_stream = known;
    if (all_have_enough(best_stream)) break;
  }
  printf("canary %.4f %d rounds\n", best_stream, rounds);
  for (int k = 0; k < kernels; k++) report(&timing[k], best_stream);
  return 0;
}
