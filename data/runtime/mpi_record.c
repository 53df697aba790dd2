/* Records what an MPI program sends, to whom, how much, and how long it computes in between; preloaded, for C and Fortran
   programs alike, without recompiling. Every call of the program ends a segment of computation (processor time of the
   calling thread, the cost of reading the clock taken off) and adds an event to a table in a mapped file; totals per call
   site go on when the table is full. The folder is named by PERFCAST_MESSAGES; without it the program just runs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "mpi_record.h"

static struct record_file *file;
static FILE *names;
static int world_ranks = 1;
static double segment, entered, pending, clock_cost;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread void *fortran_site; /* where the Fortran program called from */

static double reading(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static double cpu(void) { return reading(CLOCK_THREAD_CPUTIME_ID); }
static double faults(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)(usage.ru_minflt + usage.ru_majflt) : 0;
}
static double preemptions(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_nivcsw : 0;
}
static double wall(void) { return reading(CLOCK_MONOTONIC); }

/* ---- start and end ---- */

static void begin_recording(void) {
  const char *folder = getenv("PERFCAST_MESSAGES");
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &world_ranks);
  if (!folder) return;
  char name[4200];
  snprintf(name, sizeof name, "%s/rank-%d.trace", folder, rank);
  int descriptor = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0 || ftruncate(descriptor, sizeof *file) != 0) return;
  void *memory = mmap(0, sizeof *file, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (memory == MAP_FAILED) return;
  snprintf(name, sizeof name, "%s/rank-%d.names", folder, rank);
  names = fopen(name, "w");
  struct record_file *f = memory;
  f->head.magic = RECORD_MAGIC, f->head.rank = rank, f->head.ranks = world_ranks;
  double start = cpu();
  for (int i = 0; i < 200; i++) cpu();
  clock_cost = (cpu() - start) / 201;
  f->head.clock_seconds = clock_cost;
  PMPI_Barrier(MPI_COMM_WORLD);
  f->head.faults = -faults(), f->head.preemptions = -preemptions();
  f->head.begin = wall();
  file = f;
  segment = cpu();
}

/* ---- call sites and communicators ---- */

static struct { void *place; const char *call; } known_sites[record_sites];

static int site_of(void *place, const char *call) {
  uintptr_t hash = ((uintptr_t)place * 0x9E3779B97F4A7C15ull) >> 40;
  for (int probe = 0; probe < record_sites; probe++) {
    int i = (int)((hash + (uintptr_t)probe) % record_sites);
    if (known_sites[i].place == place && known_sites[i].call == call) return i;
    if (known_sites[i].place) continue;
    known_sites[i].place = place, known_sites[i].call = call;
    file->head.sites++;
    Dl_info info = {0};
    if (!dladdr(place, &info)) info.dli_fbase = 0;
    if (names) {
      /* The return address lies behind the call: one byte back is the call itself. */
      fprintf(names, "site %d %s %lx %s %s\n", i, call, (unsigned long)((char *)place - 1 - (char *)info.dli_fbase),
              info.dli_fname ? info.dli_fname : "-", info.dli_sname ? info.dli_sname : "-");
      fflush(names);
    }
    return i;
  }
  return 0;
}

static struct { MPI_Comm comm; int group, size; int *ranks; } known_groups[256];
static int groups;

static int add_group(MPI_Comm comm, MPI_Group group) {
  int size = 0;
  MPI_Group world;
  PMPI_Group_size(group, &size);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  int *from = malloc(sizeof(int) * (size_t)size), *to = malloc(sizeof(int) * (size_t)size);
  for (int i = 0; i < size; i++) from[i] = i;
  PMPI_Group_translate_ranks(group, size, from, world, to);
  PMPI_Group_free(&world);
  free(from);
  int i = groups < 256 ? groups++ : 255;
  known_groups[i].comm = comm, known_groups[i].group = i, known_groups[i].size = size, known_groups[i].ranks = to;
  file->head.groups = groups;
  if (names) {
    fprintf(names, "group %d", i);
    for (int k = 0; k < size; k++) fprintf(names, " %d", to[k]);
    fputc('\n', names);
    fflush(names);
  }
  return i;
}

static int group_of(MPI_Comm comm) {
  if (groups == 0) {
    MPI_Group world;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    add_group(MPI_COMM_WORLD, world);
    PMPI_Group_free(&world);
  }
  for (int i = 0; i < groups; i++)
    if (known_groups[i].comm == comm) return i;
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  MPI_Group group;
  if (inter) PMPI_Comm_remote_group(comm, &group);
  else PMPI_Comm_group(comm, &group);
  int i = add_group(comm, group);
  PMPI_Group_free(&group);
  return i;
}
static void forget_group(MPI_Comm comm) {
  for (int i = 1; i < groups; i++)
    if (known_groups[i].comm == comm) known_groups[i].comm = MPI_COMM_NULL;
}

/* The rank in MPI_COMM_WORLD. */
static int world_rank(int rank, int group) {
  if (rank == MPI_ANY_SOURCE) return record_anybody;
  if (rank == MPI_PROC_NULL || rank < 0) return record_nobody;
  return rank < known_groups[group].size ? known_groups[group].ranks[rank] : record_nobody;
}

/* ---- requests: which one is the n-th started ---- */

enum { request_slots = 1 << 16 };
struct started {
  MPI_Request handle;
  int64_t number;
  int persistent, act, peer, tag;
  double bytes;
  MPI_Comm comm;
};
static struct started requests[request_slots];
static int64_t started_requests;

static struct started *slot_of(MPI_Request handle, int make) {
  uintptr_t hash = ((uintptr_t)handle * 0x9E3779B97F4A7C15ull) >> 44;
  struct started *unused = 0;
  for (int probe = 0; probe < 256; probe++) {
    struct started *s = &requests[(hash + (uintptr_t)probe) % request_slots];
    if (s->number && s->handle == handle) return s;
    if (!s->number && !unused) unused = s;
  }
  return make ? unused : 0;
}
static void begin_request(MPI_Request handle) {
  struct started *s = slot_of(handle, 1);
  started_requests++;
  if (s) memset(s, 0, sizeof *s), s->handle = handle, s->number = started_requests;
}

/* ---- entering and leaving a call ---- */

static void enter(void) {
  if (!file) return;
  double s = cpu() - segment - clock_cost;
  pending += s > 0 ? s : 0;
  entered = wall();
}
static void go_on(void) { if (file) segment = cpu(); }

struct call {
  const char *name;
  void *place;
  int act, to, from, tag, from_tag, flags;
  MPI_Comm comm;
  double bytes;
  int requests;
  const int64_t *request;
};

/* Between this rank and nobody (MPI_PROC_NULL on the one side it has, or on both) nothing travels. */
static int with_nobody(const struct call *c) {
  return c->act >= act_send && c->act <= act_exchange && c->to == MPI_PROC_NULL && c->from == MPI_PROC_NULL;
}

static void add(const struct call *c) {
  if (!file) return;
  double inside = wall() - entered;
  pthread_mutex_lock(&lock);
  int site = site_of(fortran_site ? fortran_site : c->place, c->name), group = group_of(c->comm);
  file->site[site].calls++, file->site[site].bytes += with_nobody(c) ? 0 : c->bytes, file->site[site].seconds += inside;
  file->head.compute += pending, file->head.inside += inside;
  int left = c->requests, first = 0;
  do {
    uint64_t i = file->head.events;
    if (i >= record_events) {
      file->head.dropped++;
      break;
    }
    struct record_event *e = &file->event[i];
    e->act = first ? act_more_requests : c->act, e->site = site, e->tag = c->tag, e->from_tag = c->from_tag, e->group = group, e->flags = c->flags;
    e->to = world_rank(c->to, group), e->from = world_rank(c->from, group);
    e->bytes = c->bytes, e->seconds = pending, e->inside = inside;
    e->requests = left < record_requests ? left : record_requests;
    for (int k = 0; k < e->requests; k++) e->request[k] = (int32_t)(started_requests - c->request[first + k]);
    first += e->requests, left -= e->requests;
    file->head.events = i + 1;
  } while (left > 0);
  pending = 0;
  pthread_mutex_unlock(&lock);
  segment = cpu();
}

static double bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  if (type != MPI_DATATYPE_NULL) PMPI_Type_size(type, &size);
  return (double)count * size;
}
static double all_bytes(const int *counts, MPI_Datatype type, MPI_Comm comm) {
  int size = 0, ranks = 0;
  PMPI_Type_size(type, &size);
  PMPI_Comm_size(comm, &ranks);
  double sum = 0;
  for (int i = 0; i < ranks; i++) sum += counts[i];
  return sum * size;
}

#define HERE __builtin_return_address(0)
#define NOBODY MPI_PROC_NULL
#define RECORD(NAME, ACT, TO, FROM, TAG, COMM, BYTES, ...) \
  add(&(struct call){.name = NAME, .place = HERE, .act = ACT, .to = TO, .from = FROM, .tag = TAG, .comm = COMM, .bytes = BYTES, ##__VA_ARGS__})

int MPI_Init(int *c, char ***v) {
  int r = PMPI_Init(c, v);
  begin_recording();
  return r;
}
int MPI_Init_thread(int *c, char ***v, int wanted, int *given) {
  int r = PMPI_Init_thread(c, v, wanted, given);
  begin_recording();
  return r;
}
int MPI_Finalize(void) {
  if (file) {
    enter();
    RECORD("MPI_Finalize", act_compute, NOBODY, NOBODY, 0, MPI_COMM_WORLD, 0);
    file->head.end = wall(), file->head.ended = 1, file->head.faults += faults(), file->head.preemptions += preemptions();
    if (names) fclose(names);
    file = 0;
  }
  return PMPI_Finalize();
}
int MPI_Abort(MPI_Comm comm, int code) {
  if (file) file->head.aborted = 1, file->head.end = wall();
  return PMPI_Abort(comm, code);
}

/* ---- point to point ---- */

#define SENDING(FN, ACT)                                                                                    \
  int MPI_##FN(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c) {                         \
    enter();                                                                                                \
    int r = PMPI_##FN(b, n, t, to, tag, c);                                                                 \
    RECORD("MPI_" #FN, ACT, to, NOBODY, tag, c, bytes_of(n, t));                                            \
    return r;                                                                                               \
  }
SENDING(Send, act_send)
SENDING(Bsend, act_send)
SENDING(Rsend, act_send)
SENDING(Ssend, act_ssend)

#define SENDING_LATER(FN)                                                                                   \
  int MPI_##FN(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request *q) {         \
    enter();                                                                                                \
    int r = PMPI_##FN(b, n, t, to, tag, c, q);                                                              \
    if (file) begin_request(*q);                                                                            \
    RECORD("MPI_" #FN, act_isend, to, NOBODY, tag, c, bytes_of(n, t));                                      \
    return r;                                                                                               \
  }
SENDING_LATER(Isend)
SENDING_LATER(Ibsend)
SENDING_LATER(Issend)
SENDING_LATER(Irsend)

static double received_bytes(MPI_Status *s, MPI_Datatype t, int n) {
  int count = MPI_UNDEFINED;
  if (s != MPI_STATUS_IGNORE) PMPI_Get_count(s, t, &count);
  return bytes_of(count == MPI_UNDEFINED ? n : count, t);
}

int MPI_Recv(void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Status *s) {
  MPI_Status own;
  if (s == MPI_STATUS_IGNORE) s = &own;
  enter();
  int r = PMPI_Recv(b, n, t, from, tag, c, s);
  RECORD("MPI_Recv", act_receive, NOBODY, from, tag, c, received_bytes(s, t, n));
  return r;
}
int MPI_Irecv(void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request *q) {
  enter();
  int r = PMPI_Irecv(b, n, t, from, tag, c, q);
  if (file) begin_request(*q);
  RECORD("MPI_Irecv", act_ireceive, NOBODY, from, tag, c, bytes_of(n, t));
  return r;
}
int MPI_Sendrecv(const void *b, int n, MPI_Datatype t, int to, int tag, void *b2, int n2, MPI_Datatype t2, int from, int tag2,
                 MPI_Comm c, MPI_Status *s) {
  enter();
  int r = PMPI_Sendrecv(b, n, t, to, tag, b2, n2, t2, from, tag2, c, s);
  RECORD("MPI_Sendrecv", act_exchange, to, from, tag, c, bytes_of(n, t), .from_tag = tag2);
  return r;
}
int MPI_Sendrecv_replace(void *b, int n, MPI_Datatype t, int to, int tag, int from, int tag2, MPI_Comm c, MPI_Status *s) {
  enter();
  int r = PMPI_Sendrecv_replace(b, n, t, to, tag, from, tag2, c, s);
  RECORD("MPI_Sendrecv_replace", act_exchange, to, from, tag, c, bytes_of(n, t), .from_tag = tag2);
  return r;
}
int MPI_Probe(int from, int tag, MPI_Comm c, MPI_Status *s) {
  enter();
  int r = PMPI_Probe(from, tag, c, s);
  RECORD("MPI_Probe", act_probe, NOBODY, from, tag, c, 0);
  return r;
}
int MPI_Iprobe(int from, int tag, MPI_Comm c, int *flag, MPI_Status *s) {
  enter();
  int r = PMPI_Iprobe(from, tag, c, flag, s);
  if (file && !*flag) file->head.polls++;
  go_on();
  return r;
}

/* Persistent requests: what they will do is kept, Start begins them. */
#define PERSISTENT(FN, ACT, CONST)                                                                          \
  int MPI_##FN(CONST void *b, int n, MPI_Datatype t, int peer, int tag, MPI_Comm c, MPI_Request *q) {       \
    int r = PMPI_##FN(b, n, t, peer, tag, c, q);                                                            \
    struct started *s = file ? slot_of(*q, 1) : 0;                                                          \
    if (s) *s = (struct started){*q, -1, 1, ACT, peer, tag, bytes_of(n, t), c};                             \
    return r;                                                                                               \
  }
PERSISTENT(Send_init, act_isend, const)
PERSISTENT(Ssend_init, act_isend, const)
PERSISTENT(Bsend_init, act_isend, const)
PERSISTENT(Rsend_init, act_isend, const)
PERSISTENT(Recv_init, act_ireceive, )

static void started_again(MPI_Request q, const char *name, void *place) {
  struct started *s = file ? slot_of(q, 0) : 0;
  if (!s) return;
  s->number = ++started_requests;
  add(&(struct call){.name = name, .place = place, .act = s->act, .to = s->act == act_isend ? s->peer : NOBODY,
                     .from = s->act == act_isend ? NOBODY : s->peer, .tag = s->tag, .comm = s->comm, .bytes = s->bytes});
}
int MPI_Start(MPI_Request *q) {
  enter();
  int r = PMPI_Start(q);
  started_again(*q, "MPI_Start", HERE);
  go_on();
  return r;
}
int MPI_Startall(int n, MPI_Request *q) {
  enter();
  int r = PMPI_Startall(n, q);
  for (int i = 0; i < n; i++) started_again(q[i], "MPI_Startall", HERE);
  go_on();
  return r;
}

/* ---- completion ---- */

static int64_t end_request(MPI_Request handle) {
  if (!file || handle == MPI_REQUEST_NULL) return 0;
  struct started *s = slot_of(handle, 0);
  if (!s || s->number < 0) return 0;
  int64_t number = s->number;
  if (s->persistent) s->number = -1;
  else s->number = 0;
  return number;
}
static void waited(const char *name, void *place, const int64_t *numbers, int n) {
  add(&(struct call){.name = name, .place = place, .act = act_wait, .to = NOBODY, .from = NOBODY, .comm = MPI_COMM_WORLD, .requests = n, .request = numbers});
}
static void found_nothing(void) {
  if (file) file->head.polls++;
  go_on();
}

int MPI_Wait(MPI_Request *q, MPI_Status *s) {
  enter();
  MPI_Request before = *q;
  int r = PMPI_Wait(q, s);
  int64_t number = end_request(before);
  waited("MPI_Wait", HERE, &number, number != 0);
  return r;
}
int MPI_Waitall(int n, MPI_Request *q, MPI_Status *s) {
  enter();
  MPI_Request *before = malloc(sizeof *before * (size_t)(n ? n : 1));
  int64_t *numbers = malloc(sizeof *numbers * (size_t)(n ? n : 1));
  int many = 0;
  memcpy(before, q, sizeof *before * (size_t)n);
  int r = PMPI_Waitall(n, q, s);
  for (int i = 0; i < n; i++)
    if ((numbers[many] = end_request(before[i]))) many++;
  waited("MPI_Waitall", HERE, numbers, many);
  free(before), free(numbers);
  return r;
}
int MPI_Waitany(int n, MPI_Request *q, int *index, MPI_Status *s) {
  enter();
  MPI_Request *before = malloc(sizeof *before * (size_t)(n ? n : 1));
  memcpy(before, q, sizeof *before * (size_t)n);
  int r = PMPI_Waitany(n, q, index, s);
  int64_t number = *index == MPI_UNDEFINED ? 0 : end_request(before[*index]);
  free(before);
  waited("MPI_Waitany", HERE, &number, number != 0);
  return r;
}
int MPI_Waitsome(int n, MPI_Request *q, int *done, int *indices, MPI_Status *s) {
  enter();
  MPI_Request *before = malloc(sizeof *before * (size_t)(n ? n : 1));
  int64_t *numbers = malloc(sizeof *numbers * (size_t)(n ? n : 1));
  int many = 0;
  memcpy(before, q, sizeof *before * (size_t)n);
  int r = PMPI_Waitsome(n, q, done, indices, s);
  for (int i = 0; *done != MPI_UNDEFINED && i < *done; i++)
    if ((numbers[many] = end_request(before[indices[i]]))) many++;
  waited("MPI_Waitsome", HERE, numbers, many);
  free(before), free(numbers);
  return r;
}
int MPI_Test(MPI_Request *q, int *flag, MPI_Status *s) {
  enter();
  MPI_Request before = *q;
  int r = PMPI_Test(q, flag, s);
  int64_t number = *flag ? end_request(before) : 0;
  if (number) waited("MPI_Test", HERE, &number, 1);
  else found_nothing();
  return r;
}
int MPI_Testall(int n, MPI_Request *q, int *flag, MPI_Status *s) {
  enter();
  MPI_Request *before = malloc(sizeof *before * (size_t)(n ? n : 1));
  int64_t *numbers = malloc(sizeof *numbers * (size_t)(n ? n : 1));
  int many = 0;
  memcpy(before, q, sizeof *before * (size_t)n);
  int r = PMPI_Testall(n, q, flag, s);
  for (int i = 0; *flag && i < n; i++)
    if ((numbers[many] = end_request(before[i]))) many++;
  if (many) waited("MPI_Testall", HERE, numbers, many);
  else found_nothing();
  free(before), free(numbers);
  return r;
}
int MPI_Testany(int n, MPI_Request *q, int *index, int *flag, MPI_Status *s) {
  enter();
  MPI_Request *before = malloc(sizeof *before * (size_t)(n ? n : 1));
  memcpy(before, q, sizeof *before * (size_t)n);
  int r = PMPI_Testany(n, q, index, flag, s);
  int64_t number = *flag && *index != MPI_UNDEFINED ? end_request(before[*index]) : 0;
  free(before);
  if (number) waited("MPI_Testany", HERE, &number, 1);
  else found_nothing();
  return r;
}

/* ---- collectives ---- */

#define COLLECTIVE(FN, ACT, ROOT, BYTES, COMM, PARAMETERS, ARGUMENTS) \
  int MPI_##FN PARAMETERS {                                           \
    enter();                                                          \
    int r = PMPI_##FN ARGUMENTS;                                      \
    if (file) RECORD("MPI_" #FN, ACT, ROOT, NOBODY, 0, COMM, BYTES);  \
    return r;                                                         \
  }
/* Nonblocking ones are recorded where they are called; their waits know nothing of them. */
#define COLLECTIVE_LATER(FN, ACT, ROOT, BYTES, COMM, PARAMETERS, ARGUMENTS)                               \
  int MPI_##FN PARAMETERS {                                                                               \
    enter();                                                                                              \
    int r = PMPI_##FN ARGUMENTS;                                                                          \
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

int MPI_Comm_free(MPI_Comm *c) {
  if (file) forget_group(*c);
  return PMPI_Comm_free(c);
}

/* ---- one-sided: counted and costed, but who waits for whom is not known ---- */

#define ONE_SIDED(FN, CONST)                                                                                              \
  int MPI_##FN(CONST void *b, int n, MPI_Datatype t, int rank, MPI_Aint d, int n2, MPI_Datatype t2, MPI_Win w) {          \
    enter();                                                                                                              \
    int r = PMPI_##FN(b, n, t, rank, d, n2, t2, w);                                                                       \
    RECORD("MPI_" #FN, act_one_sided, rank, NOBODY, 0, MPI_COMM_WORLD, bytes_of(n, t));                                   \
    return r;                                                                                                             \
  }
ONE_SIDED(Put, const)
ONE_SIDED(Get, )
int MPI_Accumulate(const void *b, int n, MPI_Datatype t, int rank, MPI_Aint d, int n2, MPI_Datatype t2, MPI_Op o, MPI_Win w) {
  enter();
  int r = PMPI_Accumulate(b, n, t, rank, d, n2, t2, o, w);
  RECORD("MPI_Accumulate", act_one_sided, rank, NOBODY, 0, MPI_COMM_WORLD, bytes_of(n, t));
  return r;
}
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
int MPI_Win_unlock(int rank, MPI_Win w) {
  enter();
  int r = PMPI_Win_unlock(rank, w);
  RECORD("MPI_Win_unlock", act_other, rank, NOBODY, 0, MPI_COMM_WORLD, 0);
  return r;
}

#include "mpi_record_fortran.h"
