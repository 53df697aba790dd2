/* Two stages in turn, each a parallel loop of its own length, and a serial part: a program whose virtual speed-ups can
 * be worked out by hand. On two threads they take about 8 : 4 : 1 of the time.
 *
 *   cc -O2 -fopenmp stages.c -o stages && perfcast dilate --threads -D 1,2,4 -- ./stages */
#include <stdio.h>
#include <stdlib.h>

static double work(long from, long to, int passes) {
  double sum = 0;
  for (int p = 0; p < passes; p++)
    for (long i = from; i < to; i++) sum = 0.999 * sum + 1e-6 * (double)i;
  return sum;
}

static double stage(long n, int passes) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int k = 0; k < 64; k++) sum += work(k * n / 64, (k + 1) * n / 64, passes);
  return sum;
}
static double long_stage(long n) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int k = 0; k < 64; k++) sum += work(k * n / 64, (k + 1) * n / 64, 4);
  return sum;
}

int main(int argc, char** argv) {
  long n = argc > 1 ? atol(argv[1]) : 400000;
  int rounds = argc > 2 ? atoi(argv[2]) : 20;
  double sum = 0;
  for (int r = 0; r < rounds; r++) {
    sum += long_stage(n);
    sum += stage(n, 2);
    sum += work(0, n / 4, 1); /* serial */
  }
  printf("%.10g\n", sum);
  return 0;
}
