/* Jacobi relaxation of the temperature of a plate, 50 sweeps; argument: N. */
#include <stdio.h>
#include <stdlib.h>

static double sweep(const double *from, double *to, int n) {
  double change = 0;
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      double v = 0.25 * (from[(size_t)(i - 1) * n + j] + from[(size_t)(i + 1) * n + j] + from[(size_t)i * n + j - 1] + from[(size_t)i * n + j + 1]);
      double d = v - from[(size_t)i * n + j];
      change += d * d;
      to[(size_t)i * n + j] = v;
    }
  return change;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 300;
  if (n < 3) return 2;
  double *a = calloc((size_t)n * n, sizeof *a), *b = calloc((size_t)n * n, sizeof *b), change = 0;
  for (int i = 0; i < n; i++) a[i] = b[i] = 100;
  for (int k = 0; k < 25; k++) change = sweep(a, b, n), change += sweep(b, a, n);
  printf("%.9g %.9g\n", change, a[(size_t)n * (n / 2) + n / 2]);
  free(a), free(b);
  return 0;
}
