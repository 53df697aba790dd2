/* Parallel quicksort with OpenMP tasks, which measures its own demand: how much of the work is done while 1, 2, 3, ...
 * threads are active (Lyon & Snelick 1990, "Use Profile--Parallel Quicksort"). With a file name it writes the profile
 * in a form that `perfcast tree` reads.
 *
 *   cc -O2 -fopenmp quicksort.c -o quicksort -lm && OMP_NUM_THREADS=2 ./quicksort 2000000 5 quicksort.demand.json
 *   perfcast tree quicksort.demand.json --upgrade processors=1@2 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 256, ALONE = 20000 /* values that one thread sorts by itself */ };

/* Seconds during which so many threads were active: every change of the number closes an interval. */
static double active_seconds[MOST_THREADS + 1];
static double last_change;
static int active;

static void change_active(int by) {
#pragma omp critical(active)
  {
    double now = omp_get_wtime();
    active_seconds[active] += now - last_change;
    last_change = now;
    active += by;
  }
}

static long divide(double* v, long n) {
  double a = v[0], b = v[n / 2], c = v[n - 1], pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
  long i = -1, j = n;
  for (;;) {
    do i++; while (v[i] < pivot);
    do j--; while (v[j] > pivot);
    if (i >= j) return j + 1;
    double swap = v[i];
    v[i] = v[j], v[j] = swap;
  }
}

static void sort_alone(double* v, long n) {
  while (n > 16) {
    long left = divide(v, n);
    if (left < n - left) sort_alone(v, left), v += left, n -= left;
    else sort_alone(v + left, n - left), n = left;
  }
  for (long i = 1; i < n; i++) {
    double x = v[i];
    long j = i;
    for (; j > 0 && v[j - 1] > x; j--) v[j] = v[j - 1];
    v[j] = x;
  }
}

static void sort(double* v, long n) {
  change_active(+1);
  while (n > ALONE) {
    long left = divide(v, n), right = n - left;
    double* rest = v + left;
#pragma omp task firstprivate(rest, right)
    sort(rest, right);
    n = left;
  }
  sort_alone(v, n);
  change_active(-1);
}

int main(int argc, char** argv) {
  long n = argc > 1 ? atol(argv[1]) : 2000000;
  int trials = argc > 2 ? atoi(argv[2]) : 5, threads = omp_get_max_threads();
  if (n < 2 || trials < 1 || threads > MOST_THREADS) {
    fprintf(stderr, "usage: quicksort [N [TRIALS [FILE]]]\n");
    return 2;
  }
  double *v = malloc(sizeof *v * (size_t)n), elapsed = 0, alone = 0;
  double sum[MOST_THREADS + 1] = {0}, low[MOST_THREADS + 1], high[MOST_THREADS + 1] = {0}, demand[MOST_THREADS + 1];
  for (int i = 0; i <= threads; i++) low[i] = 1;
  for (int t = 0; t < trials; t++) {
    unsigned long long state = 88172645463325252ull + (unsigned)t;
    for (long i = 0; i < n; i++) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      v[i] = (double)(state >> 11);
    }
    if (t == 0) { /* one thread alone, for the loss of capacity */
      double* copy = malloc(sizeof *copy * (size_t)n);
      memcpy(copy, v, sizeof *v * (size_t)n);
      alone = -omp_get_wtime();
      sort_alone(copy, n);
      alone += omp_get_wtime();
      free(copy);
    }
    memset(active_seconds, 0, sizeof active_seconds);
    double begin = last_change = omp_get_wtime();
    active = 0;
#pragma omp parallel
#pragma omp single
    sort(v, n);
    elapsed += (omp_get_wtime() - begin) / trials;
    /* Work done at level i, with threads taken as equally fast: i times its seconds. */
    double all = 0;
    for (int i = 1; i <= threads; i++) all += i * active_seconds[i];
    for (int i = 1; i <= threads; i++) {
      demand[i] = i * active_seconds[i] / all;
      sum[i] += demand[i] / trials;
      if (demand[i] < low[i]) low[i] = demand[i];
      if (demand[i] > high[i]) high[i] = demand[i];
    }
    for (long i = 1; i < n; i++)
      if (v[i - 1] > v[i]) return fprintf(stderr, "not sorted\n"), 1;
  }
  /* The loss l for which sum demand_i / (i (1 - l)^(i - 1)) is the time that was taken, relative to one thread's. */
  double loss = 0, step = 0.25;
  for (int k = 0; k < 40 && threads > 1; k++, step /= 2) {
    double relative = 0;
    for (int i = 1; i <= threads; i++) relative += sum[i] / (i * pow(1 - loss - step, i - 1));
    if (relative < elapsed / alone) loss += step;
  }
  printf("%ld values, %d threads: %.4f s, one alone %.4f s, loss of capacity %.4f\n", n, threads, elapsed, alone, loss);
  for (int i = 1; i <= threads; i++) printf("%3d active  %.4f  (%.4f .. %.4f)\n", i, sum[i], low[i], high[i]);
  if (argc > 3) {
    FILE* file = fopen(argv[3], "w");
    if (!file) return perror(argv[3]), 1;
    fprintf(file, "{\"format\": \"perfcast.demand\", \"version\": 1, \"program\": \"quicksort\",\n \"description\": \"%ld values, %d trials\",\n", n, trials);
    fprintf(file, " \"processors\": %d, \"loss\": %.6f, \"seconds\": %.6f, \"trials\": %d,\n \"modes\": [", threads, loss, elapsed, trials);
    for (int i = 1; i <= threads; i++)
      fprintf(file, "%s\n  {\"active\": %d, \"demand\": %.12f, \"low\": %.6f, \"high\": %.6f}", i > 1 ? "," : "", i, sum[i], low[i], high[i]);
    fprintf(file, "\n ]}\n");
    fclose(file);
  }
  free(v);
  return 0;
}
