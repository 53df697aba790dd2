/* What threads cost on this machine: lines of NAME THREADS numbers..., nanoseconds or gigabytes per second. Argument:
   largest number of threads. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rounds = 15 };
static double now(void) { return 1e9 * omp_get_wtime(); }
static volatile double sink;
static long shared_word;
static struct { long word; char gap[120]; } apart[256];
static long together[256];

static double fork_join(int threads) {
  enum { times = 300 };
  double start = now();
  for (int i = 0; i < times; i++) {
#pragma omp parallel num_threads(threads)
    { apart[omp_get_thread_num()].word++; }
  }
  return (now() - start) / times;
}
static double barrier(int threads) {
  enum { times = 500 };
  double ns = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp barrier
    double start = now();
    for (int i = 0; i < times; i++) {
#pragma omp barrier
    }
    if (omp_get_thread_num() == 0) ns = (now() - start) / times;
  }
  return ns;
}
static double atomic_add(int threads) {
  enum { times = 20000 };
  double ns = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp barrier
    double start = now();
    for (int i = 0; i < times; i++) {
#pragma omp atomic
      shared_word++;
    }
#pragma omp barrier
    if (omp_get_thread_num() == 0) ns = (now() - start) / times;
  }
  return ns;
}
/* Additions to words of one line, or of lines of their own. */
static double stores(int threads, int one_line) {
  enum { times = 50000 };
  double ns = 0;
#pragma omp parallel num_threads(threads)
  {
    volatile long *word = one_line ? &together[omp_get_thread_num()] : &apart[omp_get_thread_num()].word;
#pragma omp barrier
    double start = now();
    for (int i = 0; i < times; i++) *word = *word + 1;
#pragma omp barrier
    if (omp_get_thread_num() == 0) ns = (now() - start) / times;
  }
  return ns;
}
static double dispatch(int threads) {
  enum { chunks = 20000 };
  double start = now();
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (int i = 0; i < chunks; i++) apart[omp_get_thread_num()].word++;
  return (now() - start) / chunks;
}
/* All threads read arrays of their own; gigabytes per second in all. */
static double reading(int threads, double **array, size_t doubles, int times) {
  double start = 0, ns = 1;
#pragma omp parallel num_threads(threads)
  {
    const double *data = array[omp_get_thread_num()];
    double sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
#pragma omp barrier
#pragma omp master
    start = now();
    for (int t = 0; t < times; t++)
      for (size_t i = 0; i + 32 <= doubles; i += 32) /* some of each line; lines are what is moved */
        sum0 += data[i] + data[i + 16], sum1 += data[i + 8] + data[i + 24], sum2 += data[i + 4] + data[i + 20], sum3 += data[i + 12] + data[i + 28];
    sink = sum0 + sum1 + sum2 + sum3;
#pragma omp barrier
#pragma omp master
    ns = now() - start;
  }
  return (double)threads * (double)times * 8.0 * (double)doubles / ns;
}

static void print(const char *name, int threads, const double *values) {
  printf("%s %d", name, threads);
  for (int i = 0; i < rounds; i++) printf(" %.3f", values[i]);
  putchar('\n');
}

int main(int argc, char **argv) {
  int most = argc > 1 ? atoi(argv[1]) : omp_get_num_procs();
  most = most < 1 ? 1 : most > 256 ? 256 : most;
  const size_t large = (size_t)6 << 20; /* doubles: 48 MB a thread */
  double *big[256] = {0};
  int memory = 1;
#pragma omp parallel num_threads(most)
  {
    int t = omp_get_thread_num();
    big[t] = malloc(large * sizeof(double));
    if (big[t]) memset(big[t], 1, large * sizeof(double));
    else memory = 0;
  }
  double v[rounds];
#define SERIES(NAME, THREADS, CALL)                   \
  do {                                                \
    (void)(CALL);                                     \
    for (int r = 0; r < rounds; r++) v[r] = CALL;     \
    print(NAME, THREADS, v);                          \
  } while (0)
  for (int t = 1; t <= most; t = t < most && 2 * t > most ? most : 2 * t) {
    SERIES("fork_join", t, fork_join(t));
    SERIES("barrier", t, barrier(t));
    if (memory) {
      for (int r = 0; r < rounds; r++) v[r] = r < 5 ? reading(t, big, large, 1) : v[r % 5];
      print("bandwidth", t, v);
    }
    SERIES("dispatch", t, dispatch(t));
    if (t == most) break;
  }
  SERIES("atomic", 1, atomic_add(1));
  SERIES("store", 1, stores(1, 0));
  if (most >= 2) {
    SERIES("contended_atomic", 2, atomic_add(2));
    SERIES("false_sharing", 2, stores(2, 1));
    SERIES("no_sharing", 2, stores(2, 0));
  }
  return 0;
}
