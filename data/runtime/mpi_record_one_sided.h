/* One-sided transfers: counted and costed, but who waits for whom is not known. Files: counted, and taken
   out of the computation, but not costed. Included by mpi_record.c. */

#define OTHER(FN, PARAMETERS, ARGUMENTS)                                                   \
  int MPI_##FN PARAMETERS {                                                               \
    enter();                                                                              \
    int r = PMPI_##FN ARGUMENTS;                                                          \
    if (file) RECORD("MPI_" #FN, act_other, NOBODY, NOBODY, 0, MPI_COMM_WORLD, 0);        \
    return r;                                                                             \
  }

static int rank_behind(int rank, MPI_Win w) {
  MPI_Group group, world;
  int there = rank;
  if (!file || rank < 0) return rank;
  PMPI_Win_get_group(w, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(group, 1, &rank, world, &there);
  PMPI_Group_free(&group), PMPI_Group_free(&world);
  return there;
}
#define ONE_SIDED(FN, PARAMETERS, ARGUMENTS, BYTES)                                                            \
  int MPI_##FN PARAMETERS {                                                                                  \
    enter();                                                                                                 \
    int r = PMPI_##FN ARGUMENTS;                                                                             \
    RECORD("MPI_" #FN, act_one_sided, rank_behind(rank, w), NOBODY, 0, MPI_COMM_WORLD, BYTES);               \
    return r;                                                                                                \
  }
ONE_SIDED(Put, (const void *b, int n, MPI_Datatype t, int rank, MPI_Aint d, int n2, MPI_Datatype t2, MPI_Win w), (b, n, t, rank, d, n2, t2, w), bytes_of(n, t))
ONE_SIDED(Get, (void *b, int n, MPI_Datatype t, int rank, MPI_Aint d, int n2, MPI_Datatype t2, MPI_Win w), (b, n, t, rank, d, n2, t2, w), bytes_of(n, t))
ONE_SIDED(Accumulate, (const void *b, int n, MPI_Datatype t, int rank, MPI_Aint d, int n2, MPI_Datatype t2, MPI_Op o, MPI_Win w), (b, n, t, rank, d, n2, t2, o, w), bytes_of(n, t))
ONE_SIDED(Rput, (const void *b, int n, MPI_Datatype t, int rank, MPI_Aint d, int n2, MPI_Datatype t2, MPI_Win w, MPI_Request *q), (b, n, t, rank, d, n2, t2, w, q), bytes_of(n, t))
ONE_SIDED(Rget, (void *b, int n, MPI_Datatype t, int rank, MPI_Aint d, int n2, MPI_Datatype t2, MPI_Win w, MPI_Request *q), (b, n, t, rank, d, n2, t2, w, q), bytes_of(n, t))
ONE_SIDED(Raccumulate, (const void *b, int n, MPI_Datatype t, int rank, MPI_Aint d, int n2, MPI_Datatype t2, MPI_Op o, MPI_Win w, MPI_Request *q), (b, n, t, rank, d, n2, t2, o, w, q), bytes_of(n, t))
ONE_SIDED(Get_accumulate, (const void *b, int n, MPI_Datatype t, void *had, int n1, MPI_Datatype t1, int rank, MPI_Aint d, int n2, MPI_Datatype t2, MPI_Op o, MPI_Win w), (b, n, t, had, n1, t1, rank, d, n2, t2, o, w), bytes_of(n1, t1))
ONE_SIDED(Fetch_and_op, (const void *b, void *had, MPI_Datatype t, int rank, MPI_Aint d, MPI_Op o, MPI_Win w), (b, had, t, rank, d, o, w), bytes_of(1, t))
ONE_SIDED(Compare_and_swap, (const void *b, const void *if_this, void *had, MPI_Datatype t, int rank, MPI_Aint d, MPI_Win w), (b, if_this, had, t, rank, d, w), bytes_of(1, t))
int MPI_Win_fence(int a, MPI_Win w) {
  enter();
  int r = PMPI_Win_fence(a, w);
  MPI_Group group;
  int size = 0;
  PMPI_Win_get_group(w, &group);
  PMPI_Group_size(group, &size);
  PMPI_Group_free(&group);
  RECORD("MPI_Win_fence", size == world_ranks ? act_barrier : act_other, NOBODY, NOBODY, 0, MPI_COMM_WORLD, 0);
  return r;
}
OTHER(Win_lock, (int type, int rank, int a, MPI_Win w), (type, rank, a, w))
OTHER(Win_lock_all, (int a, MPI_Win w), (a, w))
OTHER(Win_unlock, (int rank, MPI_Win w), (rank, w))
OTHER(Win_unlock_all, (MPI_Win w), (w))
OTHER(Win_flush, (int rank, MPI_Win w), (rank, w))
OTHER(Win_flush_all, (MPI_Win w), (w))
OTHER(Win_flush_local, (int rank, MPI_Win w), (rank, w))
OTHER(Win_flush_local_all, (MPI_Win w), (w))
OTHER(Win_start, (MPI_Group g, int a, MPI_Win w), (g, a, w))
OTHER(Win_complete, (MPI_Win w), (w))
OTHER(Win_post, (MPI_Group g, int a, MPI_Win w), (g, a, w))
OTHER(Win_wait, (MPI_Win w), (w))
OTHER(Win_free, (MPI_Win *w), (w))

OTHER(Intercomm_create, (MPI_Comm own, int leader, MPI_Comm peer, int other, int tag, MPI_Comm *made), (own, leader, peer, other, tag, made))
OTHER(Intercomm_merge, (MPI_Comm c, int high, MPI_Comm *made), (c, high, made))
OTHER(Comm_create_group, (MPI_Comm c, MPI_Group g, int tag, MPI_Comm *made), (c, g, tag, made))

#define READ_FILE(FN) OTHER(FN, (MPI_File f, void *b, int n, MPI_Datatype t, MPI_Status *s), (f, b, n, t, s))
#define READ_FILE_AT(FN) OTHER(FN, (MPI_File f, MPI_Offset at, void *b, int n, MPI_Datatype t, MPI_Status *s), (f, at, b, n, t, s))
#define WRITE_FILE(FN) OTHER(FN, (MPI_File f, const void *b, int n, MPI_Datatype t, MPI_Status *s), (f, b, n, t, s))
#define WRITE_FILE_AT(FN) OTHER(FN, (MPI_File f, MPI_Offset at, const void *b, int n, MPI_Datatype t, MPI_Status *s), (f, at, b, n, t, s))
READ_FILE(File_read) READ_FILE(File_read_all) READ_FILE(File_read_shared) READ_FILE(File_read_ordered)
WRITE_FILE(File_write) WRITE_FILE(File_write_all) WRITE_FILE(File_write_shared) WRITE_FILE(File_write_ordered)
READ_FILE_AT(File_read_at) READ_FILE_AT(File_read_at_all) WRITE_FILE_AT(File_write_at) WRITE_FILE_AT(File_write_at_all)
OTHER(File_open, (MPI_Comm c, const char *name, int mode, MPI_Info i, MPI_File *f), (c, name, mode, i, f))
OTHER(File_close, (MPI_File *f), (f))
OTHER(File_sync, (MPI_File f), (f))
OTHER(File_set_size, (MPI_File f, MPI_Offset size), (f, size))
OTHER(File_set_view, (MPI_File f, MPI_Offset at, MPI_Datatype element, MPI_Datatype type, const char *how, MPI_Info i), (f, at, element, type, how, i))
