// Dense linear equations by Gaussian elimination with partial pivoting, row by row, as the Linpack
// benchmark does in columns (Saavedra 1988, section 5.2.1). The C version solves one larger system.
// Check: the residual, scaled by order, norm and precision, is of order one.
// Argument: order of the system.
#include <float.h>
#include <math.h>

#include "../common.h"

// Factor the rows of a (order n) in place and apply the same steps to b.
static void eliminate(double** a, double* b, int n) {
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i][k]) > fabs(a[pivot][k])) pivot = i;
    double* row = a[pivot];
    a[pivot] = a[k];
    a[k] = row;
    double t = b[pivot];
    b[pivot] = b[k];
    b[k] = t;
    for (int i = k + 1; i < n; i++) {
      double factor = a[i][k] / row[k];
      double* other = a[i];
      for (int j = k + 1; j < n; j++) other[j] -= factor * row[j];
      b[i] -= factor * b[k];
    }
  }
}

static void substitute(double** a, double* b, int n) {
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= a[i][j] * b[j];
    b[i] /= a[i][i];
  }
}

// The same matrix each time: rows of numbers in (-1/2, 1/2); b holds the row sums.
static void generate(double** a, double* b, int n) {
  uint64_t seed = 7;
  for (int i = 0; i < n; i++) {
    b[i] = 0;
    for (int j = 0; j < n; j++) b[i] += a[i][j] = next_unit(&seed) - 0.5;
  }
}

int main(int argc, char** argv) {
  int n = size_argument(argc, argv, 1000);
  double* cells = malloc((size_t)n * (size_t)n * sizeof *cells);
  double** a = malloc((size_t)n * sizeof *a);
  double* b = malloc((size_t)n * sizeof *b);
  double* x = malloc((size_t)n * sizeof *x);
  if (!cells || !a || !b || !x) return verdict(0);
  for (int i = 0; i < n; i++) a[i] = cells + (size_t)i * (size_t)n;
  generate(a, x, n);
  eliminate(a, x, n);
  substitute(a, x, n);
  for (int i = 0; i < n; i++) a[i] = cells + (size_t)i * (size_t)n;
  generate(a, b, n);
  double residual = 0, largest = 0;
  for (int i = 0; i < n; i++) {
    double t = b[i];
    for (int j = 0; j < n; j++) t -= a[i][j] * x[j];
    residual = fmax(residual, fabs(t));
    largest = fmax(largest, fabs(x[i]));
  }
  residual /= n * 0.5 * largest * DBL_EPSILON;
  printf("linpack: order %d, scaled residual %.2f\n", n, residual);
  free(cells), free(a), free(b), free(x);
  return verdict(residual < 100);
}
