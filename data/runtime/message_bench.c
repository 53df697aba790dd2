/* What messages cost between the ranks of this job. Rank 0 prints lines for perfcast to read:
     p2p BYTES ns...             half a round trip, one number per round
     send ns... / receive ns...  processor time of a small message at its sender, at its receiver
     rendezvous BYTES            from this size on the sender waits for its receiver
     NAME RANKS BYTES ns...      a collective operation
   Sizes are visited in rounds, so that a disturbance falls on all alike. Argument: seconds it may take. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { largest = 4 << 20, most_rounds = 25 };
static int rank, ranks;
static char *a, *b;

static double now(void) { return 1e9 * MPI_Wtime(); }

static double ping_pong(int bytes, int times) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank > 1) return 0;
  double start = now();
  for (int i = 0; i < times; i++)
    if (rank == 0) {
      MPI_Send(a, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(b, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(b, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(a, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
  return (now() - start) / (2.0 * times);
}

/* Small messages in a row, and receives of messages that have arrived: what each side spends itself. */
static void overheads(double *send, double *receive) {
  enum { row = 16 };
  MPI_Barrier(MPI_COMM_WORLD);
  *send = *receive = 0;
  if (rank == 0) {
    double start = now();
    for (int i = 0; i < row; i++) MPI_Send(a, 8, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    *send = (now() - start) / row;
    MPI_Send(a, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    MPI_Recv(receive, 1, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(b, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* all have arrived when this has */
    double start = now();
    for (int i = 0; i < row; i++) MPI_Recv(b, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *receive = (now() - start) / row;
    MPI_Send(receive, 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
  }
}

/* Does a send of this size end before a receiver that comes late? */
static int waits(int bytes) {
  const double late = 400e3;
  int answer = 0;
  double quickest = 1e30;
  for (int i = 0; i < 4; i++) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = now();
    if (rank == 0) {
      MPI_Send(a, bytes, MPI_BYTE, 1, 4, MPI_COMM_WORLD);
      double spent = now() - start;
      quickest = spent < quickest ? spent : quickest;
    } else if (rank == 1) {
      while (now() - start < late) {}
      MPI_Recv(b, bytes, MPI_BYTE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  answer = quickest > 0.5 * late; /* one that went on at once is enough: a disturbance only lengthens */
  MPI_Bcast(&answer, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return answer;
}

static const char *const collectives[] = {"barrier", "broadcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall"};
enum { kinds = sizeof collectives / sizeof *collectives };

static double collective(int kind, int bytes, int times) {
  int doubles = bytes / 8 > 0 ? bytes / 8 : 1, share = bytes / ranks > 0 ? bytes / ranks : 1;
  MPI_Barrier(MPI_COMM_WORLD);
  double start = now();
  for (int i = 0; i < times; i++) {
    int root = i % ranks; /* another root each time, so that none runs ahead */
    switch (kind) {
      case 0: MPI_Barrier(MPI_COMM_WORLD); break;
      case 1: MPI_Bcast(a, bytes, MPI_BYTE, root, MPI_COMM_WORLD); break;
      case 2: MPI_Reduce(a, b, doubles, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD); break;
      case 3: MPI_Allreduce(a, b, doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); break;
      case 4: MPI_Gather(a, bytes, MPI_BYTE, b, bytes, MPI_BYTE, root, MPI_COMM_WORLD); break;
      case 5: MPI_Scatter(a, bytes, MPI_BYTE, b, bytes, MPI_BYTE, root, MPI_COMM_WORLD); break;
      case 6: MPI_Allgather(a, bytes, MPI_BYTE, b, bytes, MPI_BYTE, MPI_COMM_WORLD); break;
      case 7: MPI_Alltoall(a, share, MPI_BYTE, b, share, MPI_BYTE, MPI_COMM_WORLD); break;
    }
  }
  return (now() - start) / times;
}

/* So many that one round takes about `ns`. */
static int times_for(double one, double ns) {
  int n = one > 0 ? (int)(ns / one) : 1000;
  n = n < 4 ? 4 : n > 5000 ? 5000 : n;
  MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return n;
}

static void print(const char *name, int with_ranks, int bytes, const double *values, int n) {
  if (rank) return;
  printf("%s", name);
  if (with_ranks) printf(" %d", ranks);
  if (bytes >= 0) printf(" %d", bytes);
  for (int i = 0; i < n; i++) printf(" %.1f", values[i]);
  putchar('\n');
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  double budget = 1e9 * (argc > 1 ? atof(argv[1]) : 5);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) {
    if (!rank) fprintf(stderr, "at least two ranks are needed\n");
    MPI_Finalize();
    return 3;
  }
  a = calloc(1, (size_t)largest * (size_t)ranks), b = calloc(1, (size_t)largest * (size_t)ranks);
  if (!a || !b) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(a, 0, (size_t)largest * (size_t)ranks), memset(b, 0, (size_t)largest * (size_t)ranks);

  int size[64], sizes = 0;
  size[sizes++] = 0, size[sizes++] = 1, size[sizes++] = 8;
  for (int s = 32; s <= largest; s *= 2) {
    size[sizes++] = s;
    if (s >= 512 && s < largest) size[sizes++] = s + s / 2;
  }
  static double p2p[64][most_rounds], sends[most_rounds], receives[most_rounds];
  int times[64];
  for (int i = 0; i < sizes; i++) ping_pong(size[i], 3), times[i] = times_for(ping_pong(size[i], 10), 0.2e6);
  double start = now();
  int rounds = 0, more = 1;
  while (rounds < most_rounds && more) {
    for (int i = 0; i < sizes; i++) p2p[i][rounds] = ping_pong(size[i], times[i]);
    overheads(&sends[rounds], &receives[rounds]);
    rounds++;
    more = rounds < 5 || now() - start < 0.5 * budget;
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  for (int i = 0; i < sizes; i++) print("p2p", 0, size[i], p2p[i], rounds);
  print("send", 0, -1, sends, rounds), print("receive", 0, -1, receives, rounds);

  int low = 0, high = largest; /* low does not wait, high does */
  if (waits(high)) {
    if (waits(0)) high = 0;
    else
      while (high - low > low / 16 + 64) {
        int middle = low + (high - low) / 2;
        if (waits(middle)) high = middle;
        else low = middle;
      }
    double threshold = high;
    print("rendezvous", 0, high, &threshold, 0);
  }

  const int steps[] = {8, 64, 512, 2048, 8192, 32768, 131072, 524288, 2097152};
  enum { many = sizeof steps / sizeof *steps };
  static double seen[kinds][many][most_rounds];
  int repeat[kinds][many];
  for (int k = 0; k < kinds; k++)
    for (int i = 0; i < many; i++) collective(k, steps[i], 2), repeat[k][i] = times_for(collective(k, steps[i], 4), 0.1e6);
  start = now(), rounds = 0, more = 1;
  while (rounds < most_rounds && more) {
    for (int k = 0; k < kinds; k++)
      for (int i = 0; i < (k == 0 ? 1 : many); i++) seen[k][i][rounds] = collective(k, steps[i], repeat[k][i]);
    rounds++;
    more = rounds < 4 || now() - start < 0.5 * budget;
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  for (int k = 0; k < kinds; k++)
    for (int i = 0; i < (k == 0 ? 1 : many); i++) print(collectives[k], 1, k == 0 ? 0 : steps[i], seen[k][i], rounds);
  free(a), free(b);
  MPI_Finalize();
  return 0;
}
