/* Product of two matrices, row by row; argument: N. */
#include <stdio.h>
#include <stdlib.h>

static void multiply(const double *a, const double *b, double *c, int n) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      double x = a[(size_t)i * n + k];
      for (int j = 0; j < n; j++) c[(size_t)i * n + j] += x * b[(size_t)k * n + j];
    }
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 200;
  if (n < 1) return 2;
  double *a = malloc(sizeof(double) * n * n), *b = malloc(sizeof(double) * n * n), *c = calloc((size_t)n * n, sizeof *c);
  for (int i = 0; i < n * n; i++) a[i] = i % 7, b[i] = i % 5;
  multiply(a, b, c, n);
  double s = 0;
  for (int i = 0; i < n * n; i += n + 1) s += c[i];
  printf("%.9g\n", s);
  free(a), free(b), free(c);
  return 0;
}
