// Matrix product three ways: by definition (inner products with stride), with loops interchanged,
// and in blocks that fit the first cache.
// Check: the three agree, and so does Freivalds' test C r = A (B r).
// Argument: order of the matrices.
#include <math.h>
#include <string.h>

#include "../common.h"

enum { BLOCK = 32 };
static int n;

static void by_definition(const double* a, const double* b, double* c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

static void interchanged(const double* a, const double* b, double* c) {
  memset(c, 0, (size_t)n * (size_t)n * sizeof *c);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

static int block_end(int start) { return start + BLOCK < n ? start + BLOCK : n; }

static void blocked(const double* a, const double* b, double* c) {
  memset(c, 0, (size_t)n * (size_t)n * sizeof *c);
  for (int ii = 0; ii < n; ii += BLOCK)
    for (int kk = 0; kk < n; kk += BLOCK)
      for (int jj = 0; jj < n; jj += BLOCK)
        for (int i = ii; i < block_end(ii); i++)
          for (int k = kk; k < block_end(kk); k++)
            for (int j = jj; j < block_end(jj); j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

static void apply(const double* a, const double* x, double* y) {
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < n; j++) y[i] += a[i * n + j] * x[j];
  }
}

int main(int argc, char** argv) {
  n = size_argument(argc, argv, 480);
  size_t cells = (size_t)n * (size_t)n;
  double* space = malloc((5 * cells + 4 * (size_t)n) * sizeof *space);
  if (!space) return verdict(0);
  double *a = space, *b = a + cells, *c = b + cells, *d = c + cells, *e = d + cells;
  double *r = e + cells, *br = r + n, *abr = br + n, *cr = abr + n;
  uint64_t seed = 71;
  for (size_t i = 0; i < cells; i++) a[i] = next_unit(&seed) - 0.5, b[i] = next_unit(&seed) - 0.5;
  for (int i = 0; i < n; i++) r[i] = next_unit(&seed);
  by_definition(a, b, c);
  interchanged(a, b, d);
  blocked(a, b, e);
  double worst = 0;
  for (size_t i = 0; i < cells; i++) worst = fmax(worst, fmax(fabs(c[i] - d[i]), fabs(c[i] - e[i])));
  apply(b, r, br);
  apply(a, br, abr);
  apply(c, r, cr);
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(abr[i] - cr[i]));
  printf("matmul: order %d, largest difference %.1e\n", n, worst);
  free(space);
  return verdict(worst < 1e-9);
}
