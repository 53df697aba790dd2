/* The ring: programs with global dependences, such as molecular dynamics. Every rank originates messages; each makes a
 * full circuit and is worked on by every rank it passes. Passing on is acknowledged, one to one, so that no buffers
 * run full. After Lyon & Snelick 1990, "A Ring Benchmark".
 *
 *   mpicc -O2 ring.c -o ring && mpirun -n 2 ./ring XB */
#include <mpi.h>

#include "work.h"

enum { DATA = 1, ACKNOWLEDGE = 2 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct parameters p = parameters_of(argc, argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks, work = p.work * (rank == 0 ? p.imbalance : 1);
  double *mine = malloc(sizeof(double) * (size_t)p.length), *other = malloc(sizeof(double) * (size_t)p.length), check = 0;

  for (int m = 0; m < p.messages; m++) {
    for (int i = 0; i < p.length; i++) mine[i] = rank + m % 7;  /* a new message */
    for (int hop = 0; hop < ranks; hop++) {
      check += compute(mine, p.length, work);
      MPI_Request sending;
      char token = 0;
      MPI_Isend(mine, p.length, MPI_DOUBLE, next, DATA, MPI_COMM_WORLD, &sending);
      MPI_Recv(other, p.length, MPI_DOUBLE, before, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&token, 1, MPI_CHAR, before, ACKNOWLEDGE, MPI_COMM_WORLD);
      MPI_Recv(&token, 1, MPI_CHAR, next, ACKNOWLEDGE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Wait(&sending, MPI_STATUS_IGNORE);
      double* swap = mine;
      mine = other, other = swap;
    }
  }
  double sum = 0;
  MPI_Reduce(&check, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("ring of %d, %d messages of %d: %.10g\n", ranks, p.messages, p.length, sum);
  free(mine), free(other);
  MPI_Finalize();
  return 0;
}
