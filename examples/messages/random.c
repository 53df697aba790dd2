/* Random: in each step every rank sends to one other and receives from one other, chosen anew by a permutation that all
 * draw alike, so that the load stays balanced. (The first version of this benchmark drew destinations independently; its
 * imbalance made it run in a narrow range of parameters only, and no model would fit it.)
 *
 *   mpicc -O2 random.c -o random && mpirun -n 4 ./random XB */
#include <mpi.h>

#include "work.h"

static unsigned long long state = 88172645463325252ull;
static unsigned draw(unsigned below) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (unsigned)(state % below);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct parameters p = parameters_of(argc, argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int work = p.work * (rank == 0 ? p.imbalance : 1), *to = malloc(sizeof(int) * (size_t)ranks);
  double *mine = calloc((size_t)p.length, sizeof(double)), *other = calloc((size_t)p.length, sizeof(double)), check = 0;

  for (int m = 0; m < p.messages; m++) {
    /* One cycle through all ranks (Sattolo): nobody sends to itself. */
    for (int i = 0; i < ranks; i++) to[i] = i;
    for (int i = ranks - 1; i > 0; i--) {
      int k = (int)draw((unsigned)i), swap = to[i];
      to[i] = to[k], to[k] = swap;
    }
    int from = 0;
    while (to[from] != rank) from++;
    check += compute(mine, p.length, work);
    MPI_Sendrecv(mine, p.length, MPI_DOUBLE, to[rank], m & 0xffff, other, p.length, MPI_DOUBLE, from, m & 0xffff, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    double* swap = mine;
    mine = other, other = swap;
  }
  double sum = 0;
  MPI_Reduce(&check, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("random of %d, %d messages of %d: %.10g\n", ranks, p.messages, p.length, sum);
  free(mine), free(other), free(to);
  MPI_Finalize();
  return 0;
}
