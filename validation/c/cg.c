// Conjugate gradients (Hestenes and Stiefel 1952) on a sparse symmetric matrix in CSR form: the
// five-point Laplacian of a square grid with a random positive diagonal added.
// Check: the residual falls to 10^-8 of its start, recomputed from the matrix.
// Argument: side of the grid.
#include <math.h>

#include "../common.h"

typedef struct { int n, *start, *column; double* value; } Matrix;

static Matrix laplacian(int side) {
  int n = side * side, filled = 0;
  Matrix m = {n, malloc((size_t)(n + 1) * sizeof(int)), malloc((size_t)n * 5 * sizeof(int)),
              malloc((size_t)n * 5 * sizeof(double))};
  uint64_t seed = 3;
  for (int row = 0; row < n; row++) {
    int x = row % side, y = row / side;
    const int neighbour[5] = {y > 0 ? row - side : -1, x > 0 ? row - 1 : -1, row, x < side - 1 ? row + 1 : -1,
                              y < side - 1 ? row + side : -1};
    m.start[row] = filled;
    for (int k = 0; k < 5; k++)
      if (neighbour[k] >= 0) {
        m.column[filled] = neighbour[k];
        m.value[filled++] = k == 2 ? 4 + 0.02 * next_unit(&seed) : -1;
      }
  }
  m.start[n] = filled;
  return m;
}

static void multiply(const Matrix* m, const double* x, double* y) {
  for (int row = 0; row < m->n; row++) {
    double sum = 0;
    for (int k = m->start[row]; k < m->start[row + 1]; k++) sum += m->value[k] * x[m->column[k]];
    y[row] = sum;
  }
}

static double dot(const double* x, const double* y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

int main(int argc, char** argv) {
  int side = size_argument(argc, argv, 350), steps = 0;
  Matrix m = laplacian(side);
  int n = m.n;
  double* space = calloc((size_t)n * 5, sizeof *space);
  double *x = space, *b = x + n, *r = b + n, *p = r + n, *q = p + n;
  uint64_t seed = 17;
  for (int i = 0; i < n; i++) p[i] = r[i] = b[i] = next_unit(&seed);
  double rr = dot(r, r, n), first = rr;
  for (; rr > 1e-18 * first && steps < 10 * side; steps++) {
    multiply(&m, p, q);
    double alpha = rr / dot(p, q, n);
    for (int i = 0; i < n; i++) x[i] += alpha * p[i], r[i] -= alpha * q[i];
    double next = dot(r, r, n), beta = next / rr;
    for (int i = 0; i < n; i++) p[i] = r[i] + beta * p[i];
    rr = next;
  }
  multiply(&m, x, q);
  double worst = 0;
  for (int i = 0; i < n; i++) worst += (b[i] - q[i]) * (b[i] - q[i]);
  double residual = sqrt(worst / first);
  printf("cg: %d unknowns, %d steps, residual %.1e\n", n, steps, residual);
  free(space), free(m.start), free(m.column), free(m.value);
  return verdict(residual < 1e-8);
}
