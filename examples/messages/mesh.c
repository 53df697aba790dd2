/* The mesh: ranks on a grid of two dimensions that wraps around; in each step every rank computes and exchanges with its
 * neighbours to the north, east, west and south.
 *
 *   mpicc -O2 mesh.c -o mesh && mpirun -n 4 ./mesh XB */
#include <mpi.h>

#include "work.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct parameters p = parameters_of(argc, argv);
  int rank, ranks, shape[2] = {0, 0}, wraps[2] = {1, 1}, to[4];
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, shape);
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, shape, wraps, 1, &grid);
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_shift(grid, 0, 1, &to[0], &to[1]);
  MPI_Cart_shift(grid, 1, 1, &to[2], &to[3]);
  int work = p.work * (rank == 0 ? p.imbalance : 1), quarter = p.length / 4 + 1;
  double *inner = calloc((size_t)(4 * quarter), sizeof(double)), *edges = calloc((size_t)(4 * quarter), sizeof(double)), check = 0;

  for (int m = 0; m < p.messages; m++) {
    check += compute(inner, 4 * quarter, work);
    MPI_Request requests[8];
    for (int k = 0; k < 4; k++)  /* what one sends to its left, the other receives from its right */
      MPI_Irecv(edges + k * quarter, quarter, MPI_DOUBLE, to[k], k ^ 1, grid, &requests[k]);
    for (int k = 0; k < 4; k++) MPI_Isend(inner + k * quarter, quarter, MPI_DOUBLE, to[k], k, grid, &requests[4 + k]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 4 * quarter; i += 16) inner[i] += 0.25 * edges[i];
  }
  double sum = 0;
  MPI_Reduce(&check, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, grid);
  if (rank == 0) printf("mesh of %d x %d, %d steps: %.10g\n", shape[0], shape[1], p.messages, sum);
  free(inner), free(edges);
  MPI_Finalize();
  return 0;
}
