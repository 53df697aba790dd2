/* Gaussian elimination without pivoting; rows are dealt out cyclically, the pivot row is broadcast. Argument: unknowns. */
#include "parallel.h"

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int n = argument(argc, argv, 1, 600), w = n + 1, rows = (n - rank + ranks - 1) / ranks;
  double *a = zeros((size_t)rows * w), *pivot = zeros((size_t)w);
  for (int i = 0; i < rows; i++) {
    int row = i * ranks + rank;
    for (int j = 0; j < w; j++) a[(size_t)i * w + j] = 1.0 / (1 + (row * 7 + j * 13) % 101);
    a[(size_t)i * w + row] += n;
  }
  for (int k = 0; k < n; k++) {
    int owner = k % ranks, first = k / ranks;
    if (owner == rank) {
      double scale = 1 / a[(size_t)first * w + k];
      for (int j = k; j < w; j++) pivot[j] = a[(size_t)first * w + j] *= scale;
    }
#ifdef USE_MPI
    MPI_Bcast(pivot + k, w - k, MPI_DOUBLE, owner, MPI_COMM_WORLD);
#endif
    int from = first + (rank <= owner);
#pragma omp parallel for
    for (int i = from; i < rows; i++) {
      double factor = a[(size_t)i * w + k];
      for (int j = k; j < w; j++) a[(size_t)i * w + j] -= factor * pivot[j];
    }
  }
  double local = 0;
  for (int i = 0; i < rows; i++) local += a[(size_t)i * w + n];
  local = sum_of(local);
  if (rank == 0) printf("%.9g\n", local);
  end();
  return 0;
}
