/* The Fortran interface: mpif.h and `use mpi` call mpi_send_, `use mpi_f08` calls mpi_send_f08_ (whose last argument may be
   missing). Handles are numbers there; each routine turns them into C's and calls the C routine above, which records. */
#pragma GCC visibility push(default)
extern int mpi_fortran_in_place_ __attribute__((weak)), mpi_fortran_bottom_ __attribute__((weak));
extern int mpi_fortran_status_ignore_ __attribute__((weak)), mpi_fortran_statuses_ignore_ __attribute__((weak));

static void *buffer(void *b) {
  if (b == (void *)&mpi_fortran_in_place_) return MPI_IN_PLACE;
  if (b == (void *)&mpi_fortran_bottom_) return MPI_BOTTOM;
  return b;
}
static int ignored(MPI_Fint *s) { return !s || (void *)s == (void *)&mpi_fortran_status_ignore_ || (void *)s == (void *)&mpi_fortran_statuses_ignore_; }
static void give_status(const MPI_Status *from, MPI_Fint *to) { if (!ignored(to)) PMPI_Status_c2f((MPI_Status *)from, to); }

#define TYPE(T) MPI_Type_f2c(*(T))
#define COMM(C) MPI_Comm_f2c(*(C))
#define OP(O) MPI_Op_f2c(*(O))
typedef MPI_Fint F;

/* Both names of a routine, one body. */
#define FORTRAN(name, PARAMETERS, ...)                                                        \
  void mpi_##name##_ PARAMETERS {                                                             \
    fortran_site = __builtin_return_address(0);                                               \
    int result = MPI_SUCCESS;                                                                 \
    __VA_ARGS__;                                                                              \
    fortran_site = 0;                                                                         \
    if (ierr) *ierr = result;                                                                 \
  }                                                                                           \
  void mpi_##name##_f08_ PARAMETERS __attribute__((alias("mpi_" #name "_")));

FORTRAN(init, (F * ierr), result = MPI_Init(0, 0))
FORTRAN(init_thread, (F * wanted, F *given, F *ierr), int g = 0; result = MPI_Init_thread(0, 0, *wanted, &g); *given = g)
FORTRAN(finalize, (F * ierr), result = MPI_Finalize())
FORTRAN(abort, (F * c, F *code, F *ierr), result = MPI_Abort(COMM(c), *code))

FORTRAN(send, (void *b, F *n, F *t, F *to, F *tag, F *c, F *ierr), result = MPI_Send(buffer(b), *n, TYPE(t), *to, *tag, COMM(c)))
FORTRAN(ssend, (void *b, F *n, F *t, F *to, F *tag, F *c, F *ierr), result = MPI_Ssend(buffer(b), *n, TYPE(t), *to, *tag, COMM(c)))
FORTRAN(bsend, (void *b, F *n, F *t, F *to, F *tag, F *c, F *ierr), result = MPI_Bsend(buffer(b), *n, TYPE(t), *to, *tag, COMM(c)))
FORTRAN(rsend, (void *b, F *n, F *t, F *to, F *tag, F *c, F *ierr), result = MPI_Rsend(buffer(b), *n, TYPE(t), *to, *tag, COMM(c)))
FORTRAN(recv, (void *b, F *n, F *t, F *from, F *tag, F *c, F *s, F *ierr), MPI_Status st;
        result = MPI_Recv(buffer(b), *n, TYPE(t), *from, *tag, COMM(c), &st); give_status(&st, s))
FORTRAN(isend, (void *b, F *n, F *t, F *to, F *tag, F *c, F *q, F *ierr), MPI_Request rq;
        result = MPI_Isend(buffer(b), *n, TYPE(t), *to, *tag, COMM(c), &rq); *q = PMPI_Request_c2f(rq))
FORTRAN(issend, (void *b, F *n, F *t, F *to, F *tag, F *c, F *q, F *ierr), MPI_Request rq;
        result = MPI_Issend(buffer(b), *n, TYPE(t), *to, *tag, COMM(c), &rq); *q = PMPI_Request_c2f(rq))
FORTRAN(irecv, (void *b, F *n, F *t, F *from, F *tag, F *c, F *q, F *ierr), MPI_Request rq;
        result = MPI_Irecv(buffer(b), *n, TYPE(t), *from, *tag, COMM(c), &rq); *q = PMPI_Request_c2f(rq))
FORTRAN(sendrecv, (void *b, F *n, F *t, F *to, F *tag, void *b2, F *n2, F *t2, F *from, F *tag2, F *c, F *s, F *ierr), MPI_Status st;
        result = MPI_Sendrecv(buffer(b), *n, TYPE(t), *to, *tag, buffer(b2), *n2, TYPE(t2), *from, *tag2, COMM(c), &st); give_status(&st, s))
FORTRAN(sendrecv_replace, (void *b, F *n, F *t, F *to, F *tag, F *from, F *tag2, F *c, F *s, F *ierr), MPI_Status st;
        result = MPI_Sendrecv_replace(buffer(b), *n, TYPE(t), *to, *tag, *from, *tag2, COMM(c), &st); give_status(&st, s))
FORTRAN(probe, (F * from, F *tag, F *c, F *s, F *ierr), MPI_Status st; result = MPI_Probe(*from, *tag, COMM(c), &st); give_status(&st, s))

FORTRAN(send_init, (void *b, F *n, F *t, F *to, F *tag, F *c, F *q, F *ierr), MPI_Request rq;
        result = MPI_Send_init(buffer(b), *n, TYPE(t), *to, *tag, COMM(c), &rq); *q = PMPI_Request_c2f(rq))
FORTRAN(recv_init, (void *b, F *n, F *t, F *from, F *tag, F *c, F *q, F *ierr), MPI_Request rq;
        result = MPI_Recv_init(buffer(b), *n, TYPE(t), *from, *tag, COMM(c), &rq); *q = PMPI_Request_c2f(rq))
FORTRAN(start, (F * q, F *ierr), MPI_Request rq = PMPI_Request_f2c(*q); result = MPI_Start(&rq); *q = PMPI_Request_c2f(rq))
FORTRAN(startall, (F * n, F *q, F *ierr), for (int i = 0; i < *n; i++) {
  MPI_Request rq = PMPI_Request_f2c(q[i]);
  result = MPI_Start(&rq);
  q[i] = PMPI_Request_c2f(rq);
})

FORTRAN(wait, (F * q, F *s, F *ierr), MPI_Status st; MPI_Request rq = PMPI_Request_f2c(*q); result = MPI_Wait(&rq, &st);
        *q = PMPI_Request_c2f(rq); give_status(&st, s))
FORTRAN(waitall, (F * n, F *q, F *s, F *ierr), int many = *n; MPI_Request *rq = malloc(sizeof *rq * (size_t)(many + 1));
        MPI_Status *st = malloc(sizeof *st * (size_t)(many + 1)); for (int i = 0; i < many; i++) rq[i] = PMPI_Request_f2c(q[i]);
        result = MPI_Waitall(many, rq, st); for (int i = 0; i < many; i++) {
          q[i] = PMPI_Request_c2f(rq[i]);
          if (!ignored(s)) give_status(&st[i], s + i * (int)(sizeof(MPI_Status) / sizeof(F)));
        } free(rq); free(st))
FORTRAN(waitany, (F * n, F *q, F *index, F *s, F *ierr), int many = *n; int which = 0; MPI_Status st;
        MPI_Request *rq = malloc(sizeof *rq * (size_t)(many + 1)); for (int i = 0; i < many; i++) rq[i] = PMPI_Request_f2c(q[i]);
        result = MPI_Waitany(many, rq, &which, &st); for (int i = 0; i < many; i++) q[i] = PMPI_Request_c2f(rq[i]);
        *index = which == MPI_UNDEFINED ? which : which + 1; give_status(&st, s); free(rq))
FORTRAN(test, (F * q, F *flag, F *s, F *ierr), MPI_Status st; int done = 0; MPI_Request rq = PMPI_Request_f2c(*q);
        result = MPI_Test(&rq, &done, &st); *flag = done; *q = PMPI_Request_c2f(rq); if (done) give_status(&st, s))

FORTRAN(waitsome, (F * n, F *q, F *done, F *indices, F *s, F *ierr), int many = *n; int ended = 0; int *which = malloc(sizeof *which * (size_t)(many + 1));
        MPI_Request *rq = malloc(sizeof *rq * (size_t)(many + 1)); MPI_Status *st = malloc(sizeof *st * (size_t)(many + 1));
        for (int i = 0; i < many; i++) rq[i] = PMPI_Request_f2c(q[i]); result = MPI_Waitsome(many, rq, &ended, which, st);
        for (int i = 0; i < many; i++) q[i] = PMPI_Request_c2f(rq[i]); *done = ended; for (int i = 0; ended != MPI_UNDEFINED && i < ended; i++) {
          indices[i] = which[i] + 1;
          if (!ignored(s)) give_status(&st[i], s + i * (int)(sizeof(MPI_Status) / sizeof(F)));
        } free(rq); free(st); free(which))
FORTRAN(testall, (F * n, F *q, F *flag, F *s, F *ierr), int many = *n; int all = 0; MPI_Request *rq = malloc(sizeof *rq * (size_t)(many + 1));
        MPI_Status *st = malloc(sizeof *st * (size_t)(many + 1)); for (int i = 0; i < many; i++) rq[i] = PMPI_Request_f2c(q[i]);
        result = MPI_Testall(many, rq, &all, st); *flag = all; for (int i = 0; all && i < many; i++) {
          q[i] = PMPI_Request_c2f(rq[i]);
          if (!ignored(s)) give_status(&st[i], s + i * (int)(sizeof(MPI_Status) / sizeof(F)));
        } free(rq); free(st))
FORTRAN(testany, (F * n, F *q, F *index, F *flag, F *s, F *ierr), int many = *n; int which = 0; int one = 0; MPI_Status st;
        MPI_Request *rq = malloc(sizeof *rq * (size_t)(many + 1)); for (int i = 0; i < many; i++) rq[i] = PMPI_Request_f2c(q[i]);
        result = MPI_Testany(many, rq, &which, &one, &st); for (int i = 0; i < many; i++) q[i] = PMPI_Request_c2f(rq[i]);
        *flag = one; *index = which == MPI_UNDEFINED ? which : which + 1; if (one) give_status(&st, s); free(rq))
FORTRAN(iprobe, (F * from, F *tag, F *c, F *flag, F *s, F *ierr), MPI_Status st; int one = 0;
        result = MPI_Iprobe(*from, *tag, COMM(c), &one, &st); *flag = one; if (one) give_status(&st, s))

FORTRAN(barrier, (F * c, F *ierr), result = MPI_Barrier(COMM(c)))
FORTRAN(bcast, (void *b, F *n, F *t, F *root, F *c, F *ierr), result = MPI_Bcast(buffer(b), *n, TYPE(t), *root, COMM(c)))
FORTRAN(reduce, (void *a, void *b, F *n, F *t, F *o, F *root, F *c, F *ierr), result = MPI_Reduce(buffer(a), buffer(b), *n, TYPE(t), OP(o), *root, COMM(c)))
FORTRAN(allreduce, (void *a, void *b, F *n, F *t, F *o, F *c, F *ierr), result = MPI_Allreduce(buffer(a), buffer(b), *n, TYPE(t), OP(o), COMM(c)))
FORTRAN(scan, (void *a, void *b, F *n, F *t, F *o, F *c, F *ierr), result = MPI_Scan(buffer(a), buffer(b), *n, TYPE(t), OP(o), COMM(c)))
FORTRAN(gather, (void *a, F *n, F *t, void *b, F *n2, F *t2, F *root, F *c, F *ierr), result = MPI_Gather(buffer(a), *n, TYPE(t), buffer(b), *n2, TYPE(t2), *root, COMM(c)))
FORTRAN(gatherv, (void *a, F *n, F *t, void *b, F *n2, F *d, F *t2, F *root, F *c, F *ierr), result = MPI_Gatherv(buffer(a), *n, TYPE(t), buffer(b), n2, d, TYPE(t2), *root, COMM(c)))
FORTRAN(scatter, (void *a, F *n, F *t, void *b, F *n2, F *t2, F *root, F *c, F *ierr), result = MPI_Scatter(buffer(a), *n, TYPE(t), buffer(b), *n2, TYPE(t2), *root, COMM(c)))
FORTRAN(scatterv, (void *a, F *n, F *d, F *t, void *b, F *n2, F *t2, F *root, F *c, F *ierr), result = MPI_Scatterv(buffer(a), n, d, TYPE(t), buffer(b), *n2, TYPE(t2), *root, COMM(c)))
FORTRAN(allgather, (void *a, F *n, F *t, void *b, F *n2, F *t2, F *c, F *ierr), result = MPI_Allgather(buffer(a), *n, TYPE(t), buffer(b), *n2, TYPE(t2), COMM(c)))
FORTRAN(allgatherv, (void *a, F *n, F *t, void *b, F *n2, F *d, F *t2, F *c, F *ierr), result = MPI_Allgatherv(buffer(a), *n, TYPE(t), buffer(b), n2, d, TYPE(t2), COMM(c)))
FORTRAN(alltoall, (void *a, F *n, F *t, void *b, F *n2, F *t2, F *c, F *ierr), result = MPI_Alltoall(buffer(a), *n, TYPE(t), buffer(b), *n2, TYPE(t2), COMM(c)))
FORTRAN(alltoallv, (void *a, F *n, F *d, F *t, void *b, F *n2, F *d2, F *t2, F *c, F *ierr), result = MPI_Alltoallv(buffer(a), n, d, TYPE(t), buffer(b), n2, d2, TYPE(t2), COMM(c)))
FORTRAN(reduce_scatter, (void *a, void *b, F *n, F *t, F *o, F *c, F *ierr), result = MPI_Reduce_scatter(buffer(a), buffer(b), n, TYPE(t), OP(o), COMM(c)))
FORTRAN(exscan, (void *a, void *b, F *n, F *t, F *o, F *c, F *ierr), result = MPI_Exscan(buffer(a), buffer(b), *n, TYPE(t), OP(o), COMM(c)))
FORTRAN(reduce_scatter_block, (void *a, void *b, F *n, F *t, F *o, F *c, F *ierr), result = MPI_Reduce_scatter_block(buffer(a), buffer(b), *n, TYPE(t), OP(o), COMM(c)))

/* Nonblocking ones: the request comes last. */
#define FORTRAN_LATER(name, PARAMETERS, CALL) FORTRAN(name, PARAMETERS, MPI_Request rq; result = CALL; *q = PMPI_Request_c2f(rq))
FORTRAN_LATER(ibarrier, (F * c, F *q, F *ierr), MPI_Ibarrier(COMM(c), &rq))
FORTRAN_LATER(ibcast, (void *b, F *n, F *t, F *root, F *c, F *q, F *ierr), MPI_Ibcast(buffer(b), *n, TYPE(t), *root, COMM(c), &rq))
FORTRAN_LATER(ireduce, (void *a, void *b, F *n, F *t, F *o, F *root, F *c, F *q, F *ierr), MPI_Ireduce(buffer(a), buffer(b), *n, TYPE(t), OP(o), *root, COMM(c), &rq))
FORTRAN_LATER(iallreduce, (void *a, void *b, F *n, F *t, F *o, F *c, F *q, F *ierr), MPI_Iallreduce(buffer(a), buffer(b), *n, TYPE(t), OP(o), COMM(c), &rq))
FORTRAN_LATER(iscan, (void *a, void *b, F *n, F *t, F *o, F *c, F *q, F *ierr), MPI_Iscan(buffer(a), buffer(b), *n, TYPE(t), OP(o), COMM(c), &rq))
FORTRAN_LATER(igather, (void *a, F *n, F *t, void *b, F *n2, F *t2, F *root, F *c, F *q, F *ierr), MPI_Igather(buffer(a), *n, TYPE(t), buffer(b), *n2, TYPE(t2), *root, COMM(c), &rq))
FORTRAN_LATER(iscatter, (void *a, F *n, F *t, void *b, F *n2, F *t2, F *root, F *c, F *q, F *ierr), MPI_Iscatter(buffer(a), *n, TYPE(t), buffer(b), *n2, TYPE(t2), *root, COMM(c), &rq))
FORTRAN_LATER(iallgather, (void *a, F *n, F *t, void *b, F *n2, F *t2, F *c, F *q, F *ierr), MPI_Iallgather(buffer(a), *n, TYPE(t), buffer(b), *n2, TYPE(t2), COMM(c), &rq))
FORTRAN_LATER(ialltoall, (void *a, F *n, F *t, void *b, F *n2, F *t2, F *c, F *q, F *ierr), MPI_Ialltoall(buffer(a), *n, TYPE(t), buffer(b), *n2, TYPE(t2), COMM(c), &rq))

/* Communicators. */
#define FORTRAN_COMM(name, PARAMETERS, CALL) FORTRAN(name, PARAMETERS, MPI_Comm m = MPI_COMM_NULL; result = CALL; *made = PMPI_Comm_c2f(m))
FORTRAN_COMM(comm_split, (F * c, F *color, F *key, F *made, F *ierr), MPI_Comm_split(COMM(c), *color, *key, &m))
FORTRAN_COMM(comm_dup, (F * c, F *made, F *ierr), MPI_Comm_dup(COMM(c), &m))
FORTRAN_COMM(comm_create, (F * c, F *g, F *made, F *ierr), MPI_Comm_create(COMM(c), PMPI_Group_f2c(*g), &m))
FORTRAN(comm_free, (F * c, F *ierr), MPI_Comm comm = COMM(c); result = MPI_Comm_free(&comm); *c = PMPI_Comm_c2f(comm))

/* One-sided. */
#define WINDOW(W) PMPI_Win_f2c(*(W))
FORTRAN(put, (void *b, F *n, F *t, F *rank, MPI_Aint *d, F *n2, F *t2, F *w, F *ierr), result = MPI_Put(buffer(b), *n, TYPE(t), *rank, *d, *n2, TYPE(t2), WINDOW(w)))
FORTRAN(get, (void *b, F *n, F *t, F *rank, MPI_Aint *d, F *n2, F *t2, F *w, F *ierr), result = MPI_Get(buffer(b), *n, TYPE(t), *rank, *d, *n2, TYPE(t2), WINDOW(w)))
FORTRAN(accumulate, (void *b, F *n, F *t, F *rank, MPI_Aint *d, F *n2, F *t2, F *o, F *w, F *ierr), result = MPI_Accumulate(buffer(b), *n, TYPE(t), *rank, *d, *n2, TYPE(t2), OP(o), WINDOW(w)))
FORTRAN(win_fence, (F * a, F *w, F *ierr), result = MPI_Win_fence(*a, WINDOW(w)))
FORTRAN(win_lock, (F * type, F *rank, F *a, F *w, F *ierr), result = MPI_Win_lock(*type, *rank, *a, WINDOW(w)))
FORTRAN(win_unlock, (F * rank, F *w, F *ierr), result = MPI_Win_unlock(*rank, WINDOW(w)))
FORTRAN(win_flush, (F * rank, F *w, F *ierr), result = MPI_Win_flush(*rank, WINDOW(w)))
#pragma GCC visibility pop
