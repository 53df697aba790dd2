/* Collectives, and what makes communicators: a call of all ranks of the parent. Included by mpi_record.c. */

#define COLLECTIVE(FN, ACT, ROOT, BYTES, COMM, PARAMETERS, ARGUMENTS) \
  int MPI_##FN PARAMETERS {                                           \
    enter();                                                          \
    int r = PMPI_##FN ARGUMENTS;                                      \
    if (file) RECORD("MPI_" #FN, ACT, ROOT, NOBODY, 0, COMM, BYTES);  \
    return r;                                                         \
  }
/* Nonblocking ones begin a request. */
#define COLLECTIVE_LATER(FN, ACT, ROOT, BYTES, COMM, PARAMETERS, ARGUMENTS)                               \
  int MPI_##FN PARAMETERS {                                                                               \
    enter();                                                                                              \
    int r = PMPI_##FN ARGUMENTS;                                                                          \
    if (file) begin_request(*q);                                                                          \
    if (file) RECORD("MPI_" #FN, ACT, ROOT, NOBODY, 0, COMM, BYTES, .flags = record_nonblocking);         \
    return r;                                                                                             \
  }
#define PIECE(A, N, T, N2, T2) ((A) == MPI_IN_PLACE ? bytes_of(N2, T2) : bytes_of(N, T))
static int size_of(MPI_Comm c) {
  int n = 1;
  PMPI_Comm_size(c, &n);
  return n;
}

COLLECTIVE(Barrier, act_barrier, NOBODY, 0, c, (MPI_Comm c), (c))
COLLECTIVE_LATER(Ibarrier, act_barrier, NOBODY, 0, c, (MPI_Comm c, MPI_Request *q), (c, q))
COLLECTIVE(Bcast, act_broadcast, root, bytes_of(n, t), c, (void *b, int n, MPI_Datatype t, int root, MPI_Comm c), (b, n, t, root, c))
COLLECTIVE_LATER(Ibcast, act_broadcast, root, bytes_of(n, t), c, (void *b, int n, MPI_Datatype t, int root, MPI_Comm c, MPI_Request *q), (b, n, t, root, c, q))
COLLECTIVE(Reduce, act_reduce, root, bytes_of(n, t), c, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, int root, MPI_Comm c), (a, b, n, t, o, root, c))
COLLECTIVE_LATER(Ireduce, act_reduce, root, bytes_of(n, t), c, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, int root, MPI_Comm c, MPI_Request *q), (a, b, n, t, o, root, c, q))
COLLECTIVE(Allreduce, act_allreduce, NOBODY, bytes_of(n, t), c, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (a, b, n, t, o, c))
COLLECTIVE_LATER(Iallreduce, act_allreduce, NOBODY, bytes_of(n, t), c, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c, MPI_Request *q), (a, b, n, t, o, c, q))
COLLECTIVE(Scan, act_scan, NOBODY, bytes_of(n, t), c, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (a, b, n, t, o, c))
COLLECTIVE(Exscan, act_scan, NOBODY, bytes_of(n, t), c, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (a, b, n, t, o, c))
COLLECTIVE(Gather, act_gather, root, PIECE(a, n, t, n2, t2), c, (const void *a, int n, MPI_Datatype t, void *b, int n2, MPI_Datatype t2, int root, MPI_Comm c), (a, n, t, b, n2, t2, root, c))
COLLECTIVE(Gatherv, act_gather, root, (a == MPI_IN_PLACE ? 0 : bytes_of(n, t)), c, (const void *a, int n, MPI_Datatype t, void *b, const int n2[], const int d[], MPI_Datatype t2, int root, MPI_Comm c), (a, n, t, b, n2, d, t2, root, c))
COLLECTIVE(Scatter, act_scatter, root, PIECE(b, n2, t2, n, t), c, (const void *a, int n, MPI_Datatype t, void *b, int n2, MPI_Datatype t2, int root, MPI_Comm c), (a, n, t, b, n2, t2, root, c))
COLLECTIVE(Scatterv, act_scatter, root, (b == MPI_IN_PLACE ? 0 : bytes_of(n2, t2)), c, (const void *a, const int n[], const int d[], MPI_Datatype t, void *b, int n2, MPI_Datatype t2, int root, MPI_Comm c), (a, n, d, t, b, n2, t2, root, c))
COLLECTIVE(Allgather, act_allgather, NOBODY, PIECE(a, n, t, n2, t2), c, (const void *a, int n, MPI_Datatype t, void *b, int n2, MPI_Datatype t2, MPI_Comm c), (a, n, t, b, n2, t2, c))
COLLECTIVE(Allgatherv, act_allgather, NOBODY, (a == MPI_IN_PLACE ? all_bytes(n2, t2, c) / size_of(c) : bytes_of(n, t)), c, (const void *a, int n, MPI_Datatype t, void *b, const int n2[], const int d[], MPI_Datatype t2, MPI_Comm c), (a, n, t, b, n2, d, t2, c))
COLLECTIVE(Alltoall, act_alltoall, NOBODY, size_of(c) * PIECE(a, n, t, n2, t2), c, (const void *a, int n, MPI_Datatype t, void *b, int n2, MPI_Datatype t2, MPI_Comm c), (a, n, t, b, n2, t2, c))
COLLECTIVE(Alltoallv, act_alltoall, NOBODY, (a == MPI_IN_PLACE ? all_bytes(n2, t2, c) : all_bytes(n, t, c)), c, (const void *a, const int n[], const int d[], MPI_Datatype t, void *b, const int n2[], const int d2[], MPI_Datatype t2, MPI_Comm c), (a, n, d, t, b, n2, d2, t2, c))
COLLECTIVE(Reduce_scatter, act_reduce_scatter, NOBODY, all_bytes(n, t, c), c, (const void *a, void *b, const int n[], MPI_Datatype t, MPI_Op o, MPI_Comm c), (a, b, n, t, o, c))
COLLECTIVE(Reduce_scatter_block, act_reduce_scatter, NOBODY, size_of(c) * bytes_of(n, t), c, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (a, b, n, t, o, c))

/* Nonblocking ones with pieces. */
#define LATER , MPI_Request *q
COLLECTIVE_LATER(Iscan, act_scan, NOBODY, bytes_of(n, t), c, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c LATER), (a, b, n, t, o, c, q))
COLLECTIVE_LATER(Iexscan, act_scan, NOBODY, bytes_of(n, t), c, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c LATER), (a, b, n, t, o, c, q))
COLLECTIVE_LATER(Igather, act_gather, root, PIECE(a, n, t, n2, t2), c, (const void *a, int n, MPI_Datatype t, void *b, int n2, MPI_Datatype t2, int root, MPI_Comm c LATER), (a, n, t, b, n2, t2, root, c, q))
COLLECTIVE_LATER(Igatherv, act_gather, root, (a == MPI_IN_PLACE ? 0 : bytes_of(n, t)), c, (const void *a, int n, MPI_Datatype t, void *b, const int n2[], const int d[], MPI_Datatype t2, int root, MPI_Comm c LATER), (a, n, t, b, n2, d, t2, root, c, q))
COLLECTIVE_LATER(Iscatter, act_scatter, root, PIECE(b, n2, t2, n, t), c, (const void *a, int n, MPI_Datatype t, void *b, int n2, MPI_Datatype t2, int root, MPI_Comm c LATER), (a, n, t, b, n2, t2, root, c, q))
COLLECTIVE_LATER(Iscatterv, act_scatter, root, (b == MPI_IN_PLACE ? 0 : bytes_of(n2, t2)), c, (const void *a, const int n[], const int d[], MPI_Datatype t, void *b, int n2, MPI_Datatype t2, int root, MPI_Comm c LATER), (a, n, d, t, b, n2, t2, root, c, q))
COLLECTIVE_LATER(Iallgather, act_allgather, NOBODY, PIECE(a, n, t, n2, t2), c, (const void *a, int n, MPI_Datatype t, void *b, int n2, MPI_Datatype t2, MPI_Comm c LATER), (a, n, t, b, n2, t2, c, q))
COLLECTIVE_LATER(Iallgatherv, act_allgather, NOBODY, (a == MPI_IN_PLACE ? all_bytes(n2, t2, c) / size_of(c) : bytes_of(n, t)), c, (const void *a, int n, MPI_Datatype t, void *b, const int n2[], const int d[], MPI_Datatype t2, MPI_Comm c LATER), (a, n, t, b, n2, d, t2, c, q))
COLLECTIVE_LATER(Ialltoall, act_alltoall, NOBODY, size_of(c) * PIECE(a, n, t, n2, t2), c, (const void *a, int n, MPI_Datatype t, void *b, int n2, MPI_Datatype t2, MPI_Comm c LATER), (a, n, t, b, n2, t2, c, q))
COLLECTIVE_LATER(Ialltoallv, act_alltoall, NOBODY, (a == MPI_IN_PLACE ? all_bytes(n2, t2, c) : all_bytes(n, t, c)), c, (const void *a, const int n[], const int d[], MPI_Datatype t, void *b, const int n2[], const int d2[], MPI_Datatype t2, MPI_Comm c LATER), (a, n, d, t, b, n2, d2, t2, c, q))
COLLECTIVE_LATER(Ireduce_scatter, act_reduce_scatter, NOBODY, all_bytes(n, t, c), c, (const void *a, void *b, const int n[], MPI_Datatype t, MPI_Op o, MPI_Comm c LATER), (a, b, n, t, o, c, q))
COLLECTIVE_LATER(Ireduce_scatter_block, act_reduce_scatter, NOBODY, size_of(c) * bytes_of(n, t), c, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c LATER), (a, b, n, t, o, c, q))
static double piecewise_bytes(const int *counts, const MPI_Datatype *types, MPI_Comm c) {
  double sum = 0;
  for (int i = 0; i < size_of(c); i++) sum += bytes_of(counts[i], types[i]);
  return sum;
}
COLLECTIVE(Alltoallw, act_alltoall, NOBODY, (a == MPI_IN_PLACE ? piecewise_bytes(n2, t2, c) : piecewise_bytes(n, t, c)), c, (const void *a, const int n[], const int d[], const MPI_Datatype t[], void *b, const int n2[], const int d2[], const MPI_Datatype t2[], MPI_Comm c), (a, n, d, t, b, n2, d2, t2, c))

/* Agreeing on a new communicator needs word from everybody. */
#define AGREEMENT(FN, PARAMETERS, ARGUMENTS) COLLECTIVE(FN, act_barrier, NOBODY, 0, c, PARAMETERS, ARGUMENTS)
AGREEMENT(Comm_split, (MPI_Comm c, int color, int key, MPI_Comm *made), (c, color, key, made))
AGREEMENT(Comm_split_type, (MPI_Comm c, int type, int key, MPI_Info i, MPI_Comm *made), (c, type, key, i, made))
AGREEMENT(Comm_dup, (MPI_Comm c, MPI_Comm *made), (c, made))
AGREEMENT(Comm_create, (MPI_Comm c, MPI_Group g, MPI_Comm *made), (c, g, made))
AGREEMENT(Cart_create, (MPI_Comm c, int n, const int sizes[], const int periods[], int reorder, MPI_Comm *made), (c, n, sizes, periods, reorder, made))
AGREEMENT(Cart_sub, (MPI_Comm c, const int remain[], MPI_Comm *made), (c, remain, made))
AGREEMENT(Graph_create, (MPI_Comm c, int n, const int index[], const int edges[], int reorder, MPI_Comm *made), (c, n, index, edges, reorder, made))
AGREEMENT(Dist_graph_create_adjacent, (MPI_Comm c, int in, const int from[], const int from_weights[], int out, const int to[], const int to_weights[], MPI_Info i, int reorder, MPI_Comm *made), (c, in, from, from_weights, out, to, to_weights, i, reorder, made))
AGREEMENT(Win_create, (void *b, MPI_Aint size, int unit, MPI_Info i, MPI_Comm c, MPI_Win *w), (b, size, unit, i, c, w))
AGREEMENT(Win_allocate, (MPI_Aint size, int unit, MPI_Info i, MPI_Comm c, void *b, MPI_Win *w), (size, unit, i, c, b, w))
AGREEMENT(Win_allocate_shared, (MPI_Aint size, int unit, MPI_Info i, MPI_Comm c, void *b, MPI_Win *w), (size, unit, i, c, b, w))
int MPI_Comm_free(MPI_Comm *c) {
  if (file) forget_comm(*c);
  return PMPI_Comm_free(c);
}

