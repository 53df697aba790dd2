/* A halo exchange: Jacobi's method on a square grid, cut into bands of rows, one for each rank. Every step exchanges
 * the rows at the edges; every tenth asks all ranks how much changed.
 *
 *   mpicc -O2 halo.c -o halo && mpirun -n 2 ./halo 512 400 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int given, rank, ranks;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int n = argc > 1 ? atoi(argv[1]) : 512, steps = argc > 2 ? atoi(argv[2]) : 400;
  if (n < ranks || steps < 1) {
    if (rank == 0) fprintf(stderr, "usage: halo [N [STEPS]], with at least a row for each rank\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  int rows = n / ranks + (rank < n % ranks), up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  size_t width = (size_t)n + 2, cells = width * ((size_t)rows + 2);
  double *a = calloc(cells, sizeof *a), *b = calloc(cells, sizeof *b), changed = 0;
  if (rank == 0)
    for (size_t j = 0; j < width; j++) a[j] = b[j] = 1;

  for (int s = 0; s < steps; s++) {
    MPI_Sendrecv(a + width, (int)width, MPI_DOUBLE, up, 0, a + width * ((size_t)rows + 1), (int)width, MPI_DOUBLE, down, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(a + width * (size_t)rows, (int)width, MPI_DOUBLE, down, 1, a, (int)width, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    double most = 0;
    for (size_t i = 1; i <= (size_t)rows; i++)
      for (size_t j = 1; j <= (size_t)n; j++) {
        double value = 0.25 * (a[(i - 1) * width + j] + a[(i + 1) * width + j] + a[i * width + j - 1] + a[i * width + j + 1]);
        most = fmax(most, fabs(value - a[i * width + j]));
        b[i * width + j] = value;
      }
    if (s % 10 == 9) MPI_Allreduce(&most, &changed, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    double* swap = a;
    a = b, b = swap;
    if (rank == 0)
      for (size_t j = 0; j < width; j++) a[j] = 1;
  }
  if (rank == 0) printf("halo %d x %d on %d, %d steps, last change %.6g\n", n, n, ranks, steps, changed);
  free(a), free(b);
  MPI_Finalize();
  return 0;
}
