/* Gaussian elimination with partial pivoting and back substitution; argument: N. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void eliminate(double *a, double *b, int n) {
  for (int i = 0; i < n; i++) {
    int pivot = i;
    for (int r = i + 1; r < n; r++)
      if (fabs(a[(size_t)r * n + i]) > fabs(a[(size_t)pivot * n + i])) pivot = r;
    if (pivot != i) {
      for (int k = i; k < n; k++) {
        double t = a[(size_t)i * n + k];
        a[(size_t)i * n + k] = a[(size_t)pivot * n + k];
        a[(size_t)pivot * n + k] = t;
      }
      double t = b[i];
      b[i] = b[pivot];
      b[pivot] = t;
    }
    for (int r = i + 1; r < n; r++) {
      double f = a[(size_t)r * n + i] / a[(size_t)i * n + i];
      for (int k = i; k < n; k++) a[(size_t)r * n + k] -= f * a[(size_t)i * n + k];
      b[r] -= f * b[i];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) b[i] -= a[(size_t)i * n + k] * b[k];
    b[i] /= a[(size_t)i * n + i];
  }
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 300;
  if (n < 2) return 2;
  double *a = malloc(sizeof(double) * n * n), *b = malloc(sizeof(double) * n);
  unsigned s = 12345;
  for (int i = 0; i < n * n; i++) s = s * 1664525u + 1013904223u, a[i] = (s >> 8) * 1e-6;
  for (int i = 0; i < n; i++) a[(size_t)i * n + i] += 20.0 * n, b[i] = i % 10;
  eliminate(a, b, n);
  double sum = 0;
  for (int i = 0; i < n; i++) sum += b[i];
  printf("%.9g\n", sum);
  free(a), free(b);
  return 0;
}
