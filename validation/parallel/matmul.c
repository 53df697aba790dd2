/* Product of two matrices: strips of the first stay, strips of the second go around the ring. Argument: side. */
#include "parallel.h"

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int n = argument(argc, argv, 1, 480), rows = n / ranks;
  size_t part = (size_t)rows * n;
  double *a = zeros(part), *b = zeros(part), *c = zeros(part);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++) a[(size_t)i * n + j] = 1.0 / (1 + i + rank + j), b[(size_t)i * n + j] = (i + rank * rows + 2 * j) % 10;
  for (int s = 0; s < ranks; s++) {
    int owner = (rank + s) % ranks;
#pragma omp parallel for
    for (int i = 0; i < rows; i++)
      for (int k = 0; k < rows; k++) {
        double x = a[(size_t)i * n + owner * rows + k];
        for (int j = 0; j < n; j++) c[(size_t)i * n + j] += x * b[(size_t)k * n + j];
      }
#ifdef USE_MPI
    MPI_Sendrecv_replace(b, (int)part, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0, (rank + 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
  }
  double trace = 0;
  for (int i = 0; i < rows; i++) trace += c[(size_t)i * n + rank * rows + i];
  trace = sum_of(trace);
  if (rank == 0) printf("%.9g\n", trace);
  end();
  return 0;
}
