/* Conjugate gradients for the five-point Laplacian on an N by N grid, to a tolerance; argument: N. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void apply(const double *x, double *y, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      size_t k = (size_t)i * n + j;
      double s = 4 * x[k];
      if (i > 0) s -= x[k - n];
      if (i < n - 1) s -= x[k + n];
      if (j > 0) s -= x[k - 1];
      if (j < n - 1) s -= x[k + 1];
      y[k] = s;
    }
}
static double dot(const double *a, const double *b, int m) { double s = 0; for (int i = 0; i < m; i++) s += a[i] * b[i]; return s; }

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 100;
  if (n < 2) return 2;
  int m = n * n, iterations = 0;
  double *x = calloc(m, sizeof *x), *r = malloc(sizeof(double) * m), *p = malloc(sizeof(double) * m), *q = malloc(sizeof(double) * m);
  for (int i = 0; i < m; i++) r[i] = p[i] = 1 + i % 3;
  double rr = dot(r, r, m), goal = 1e-12 * rr;
  while (rr > goal && iterations < 10 * n) {
    apply(p, q, n);
    double alpha = rr / dot(p, q, m), before = rr;
    for (int i = 0; i < m; i++) x[i] += alpha * p[i], r[i] -= alpha * q[i];
    rr = dot(r, r, m);
    for (int i = 0; i < m; i++) p[i] = r[i] + rr / before * p[i];
    iterations++;
  }
  printf("%d %.9g\n", iterations, x[m / 2]);
  free(x), free(r), free(p), free(q);
  return 0;
}
