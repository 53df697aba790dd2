/* Relaxation of a square plate, five-point star, test of convergence every tenth sweep. Arguments: side, sweeps. */
#include "parallel.h"

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int n = argument(argc, argv, 1, 1024), sweeps = argument(argc, argv, 2, 200), rows = n / ranks, w = n + 2;
  double *a = zeros((size_t)(rows + 2) * w), *b = zeros((size_t)(rows + 2) * w), change = 0;
  if (rank == 0)
    for (int j = 0; j < w; j++) a[j] = b[j] = 1;
  for (int s = 0; s < sweeps; s++) {
    halo(a, rows, w);
#pragma omp parallel for
    for (int i = 1; i <= rows; i++)
      for (int j = 1; j <= n; j++) b[(size_t)i * w + j] = 0.25 * (a[(size_t)(i - 1) * w + j] + a[(size_t)(i + 1) * w + j] + a[(size_t)i * w + j - 1] + a[(size_t)i * w + j + 1]);
    if (s % 10 == 9) {
      double local = 0;
#pragma omp parallel for reduction(+ : local)
      for (int i = 1; i <= rows; i++)
        for (int j = 1; j <= n; j++) {
          double d = b[(size_t)i * w + j] - a[(size_t)i * w + j];
          local += d * d;
        }
      change = sum_of(local);
    }
    double *t = a;
    a = b, b = t;
    if (rank == 0)
      for (int j = 0; j < w; j++) a[j] = 1;
  }
  if (rank == 0) printf("%.9g\n", change);
  end();
  return 0;
}
