/* Collectives among neighbours of a grid or graph: a message to each, one from each, and a wait for all of them. Included by
   mpi_record.c. */

struct neighbours {
  int *from, *to;
  int in, out;
};

static struct neighbours neighbours_in_grid(MPI_Comm c) {
  int dimensions = 0;
  PMPI_Cartdim_get(c, &dimensions);
  struct neighbours all = {malloc(sizeof(int) * (size_t)(2 * dimensions + 1)), 0, 2 * dimensions, 2 * dimensions};
  for (int d = 0; d < dimensions; d++) PMPI_Cart_shift(c, d, 1, &all.from[2 * d], &all.from[2 * d + 1]);
  all.to = all.from;
  return all;
}
static struct neighbours neighbours_in_graph(MPI_Comm c) {
  int rank = 0, n = 0;
  PMPI_Comm_rank(c, &rank);
  PMPI_Graph_neighbors_count(c, rank, &n);
  struct neighbours all = {malloc(sizeof(int) * (size_t)(n + 1)), 0, n, n};
  PMPI_Graph_neighbors(c, rank, n, all.from);
  all.to = all.from;
  return all;
}
static struct neighbours neighbours_of_each(MPI_Comm c) {
  int in = 0, out = 0, weighted = 0;
  PMPI_Dist_graph_neighbors_count(c, &in, &out, &weighted);
  int *weights = malloc(sizeof(int) * (size_t)(in + out + 1));
  struct neighbours all = {malloc(sizeof(int) * (size_t)(in + 1)), malloc(sizeof(int) * (size_t)(out + 1)), in, out};
  PMPI_Dist_graph_neighbors(c, in, all.from, weighted ? weights : MPI_UNWEIGHTED, out, all.to, weighted ? weights + in : MPI_UNWEIGHTED);
  free(weights);
  return all;
}
static struct neighbours neighbours_of(MPI_Comm c) {
  int kind = MPI_UNDEFINED;
  PMPI_Topo_test(c, &kind);
  return kind == MPI_CART ? neighbours_in_grid(c) : kind == MPI_GRAPH ? neighbours_in_graph(c) : neighbours_of_each(c);
}

/* Bytes to and from each: one size for all, or one count for each. */
struct pieces {
  int count;
  const int *counts;
  MPI_Datatype type;
};
static double piece(const struct pieces *p, int i) { return bytes_of(p->counts ? p->counts[i] : p->count, p->type); }

enum { tag_of_neighbours = 1 << 30 }; /* no program's own */

static void with_neighbours(const char *name, void *place, MPI_Comm c, struct pieces sent, struct pieces received) {
  if (!file) return;
  struct neighbours all = neighbours_of(c);
  int many = all.in + all.out;
  int64_t *numbers = malloc(sizeof *numbers * (size_t)(many + 1));
  double bytes = 0;
  for (int i = 0; i < all.out; i++) bytes += all.to[i] == MPI_PROC_NULL ? 0 : piece(&sent, i);
  add(&(struct call){.name = name, .place = place, .act = act_compute, .to = NOBODY, .from = NOBODY, .comm = c, .bytes = bytes});
  struct call one = {.name = name, .place = place, .act = act_ireceive, .to = NOBODY, .tag = tag_of_neighbours, .comm = c, .part = 1};
  for (int i = 0; i < all.in; i++) {
    numbers[i] = ++started_requests, one.from = all.from[i], one.bytes = piece(&received, i);
    add(&one);
  }
  one.act = act_isend, one.from = NOBODY;
  for (int i = 0; i < all.out; i++) {
    numbers[all.in + i] = ++started_requests, one.to = all.to[i], one.bytes = piece(&sent, i);
    add(&one);
  }
  add(&(struct call){.name = name, .place = place, .act = act_wait, .to = NOBODY, .from = NOBODY, .comm = c, .requests = many, .request = numbers, .part = 1});
  if (all.to != all.from) free(all.to);
  free(all.from), free(numbers);
  segment = cpu();
}

#define NEIGHBOURS(FN, PARAMETERS, ARGUMENTS, SENT, RECEIVED)                 \
  int MPI_##FN PARAMETERS {                                                   \
    enter();                                                                  \
    int r = PMPI_##FN ARGUMENTS;                                              \
    with_neighbours("MPI_" #FN, HERE, c, (struct pieces)SENT, (struct pieces)RECEIVED); \
    return r;                                                                 \
  }
#define ALIKE(...) __VA_ARGS__
NEIGHBOURS(Neighbor_allgather, (const void *a, int n, MPI_Datatype t, void *b, int n2, MPI_Datatype t2, MPI_Comm c), (a, n, t, b, n2, t2, c), ALIKE({n, 0, t}), ALIKE({n2, 0, t2}))
NEIGHBOURS(Neighbor_alltoall, (const void *a, int n, MPI_Datatype t, void *b, int n2, MPI_Datatype t2, MPI_Comm c), (a, n, t, b, n2, t2, c), ALIKE({n, 0, t}), ALIKE({n2, 0, t2}))
NEIGHBOURS(Neighbor_allgatherv, (const void *a, int n, MPI_Datatype t, void *b, const int n2[], const int d[], MPI_Datatype t2, MPI_Comm c), (a, n, t, b, n2, d, t2, c), ALIKE({n, 0, t}), ALIKE({0, n2, t2}))
NEIGHBOURS(Neighbor_alltoallv, (const void *a, const int n[], const int d[], MPI_Datatype t, void *b, const int n2[], const int d2[], MPI_Datatype t2, MPI_Comm c), (a, n, d, t, b, n2, d2, t2, c), ALIKE({0, n, t}), ALIKE({0, n2, t2}))
