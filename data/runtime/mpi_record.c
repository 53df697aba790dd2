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
static __thread MPI_Comm matched_comm; /* of the message that was probed last to be received */
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

#include "mpi_record_places.h"

/* ---- requests: which one is the n-th started ---- */

enum { request_slots = 1 << 16 };
struct started {
  MPI_Request handle;
  int64_t number;
  int persistent, act, peer, tag;
  double bytes;
  MPI_Comm comm;
  uint64_t event;   /* that began it, 1 for the first; 0: beyond the table */
  int site;
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
static struct started *begun; /* by the call that is being recorded */
static void begin_request(MPI_Request handle) {
  struct started *s = slot_of(handle, 1);
  started_requests++;
  if (s) memset(s, 0, sizeof *s), s->handle = handle, s->number = started_requests;
  begun = s;
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
  int part;          /* of a call that is counted already */
};

/* Between this rank and nobody (MPI_PROC_NULL on the one side it has, or on both) nothing travels. */
static int with_nobody(const struct call *c) {
  return c->act >= act_send && c->act <= act_exchange && c->to == MPI_PROC_NULL && c->from == MPI_PROC_NULL;
}

static void add(const struct call *c) {
  if (!file) return;
  double inside = wall() - entered;
  pthread_mutex_lock(&lock);
  int site = site_of(fortran_site ? fortran_site : c->place, c->name), comm = comm_of(c->comm);
  int group = known_comms[comm].group, partners = known_comms[comm].partners;
  int unknown = known_comms[comm].inter && c->act >= act_barrier && c->act <= act_scan; /* between two groups */
  if (begun) begun->event = file->head.events < record_events ? file->head.events + 1 : 0, begun->site = site;
  begun = 0;
  if (!c->part) file->site[site].calls++, file->site[site].bytes += with_nobody(c) ? 0 : c->bytes, file->site[site].seconds += inside, file->head.inside += inside;
  file->head.compute += pending;
  int left = c->requests, first = 0;
  do {
    uint64_t i = file->head.events;
    if (i >= record_events) {
      file->head.dropped++;
      break;
    }
    struct record_event *e = &file->event[i];
    e->act = first ? act_more_requests : unknown ? act_other : c->act, e->site = site, e->tag = c->tag, e->from_tag = c->from_tag, e->group = group, e->flags = c->flags;
    e->to = world_rank(c->to, partners), e->from = world_rank(c->from, partners);
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

/* Calls that only the list of all calls knows (mpi_record_rest.c): taken out of the computation, and told not to be costed. */
__attribute__((visibility("hidden"))) void perfcast_enter_rest(void) { enter(); }
__attribute__((visibility("hidden"))) void perfcast_leave_rest(const char *name, void *place, int poll) {
  if (!file) return;
  if (poll) file->head.polls++, go_on();
  else add(&(struct call){.name = name, .place = place, .act = act_other, .to = NOBODY, .from = NOBODY, .comm = MPI_COMM_WORLD});
}

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

/* A matched probe takes the message out of the queue; whoever receives it knows its sender by then. */
int MPI_Mprobe(int from, int tag, MPI_Comm c, MPI_Message *m, MPI_Status *s) {
  enter();
  int r = PMPI_Mprobe(from, tag, c, m, s);
  matched_comm = c;
  RECORD("MPI_Mprobe", act_probe, NOBODY, from, tag, c, 0);
  return r;
}
int MPI_Improbe(int from, int tag, MPI_Comm c, int *flag, MPI_Message *m, MPI_Status *s) {
  enter();
  int r = PMPI_Improbe(from, tag, c, flag, m, s);
  if (*flag) matched_comm = c;
  if (file && !*flag) file->head.polls++;
  go_on();
  return r;
}
int MPI_Mrecv(void *b, int n, MPI_Datatype t, MPI_Message *m, MPI_Status *s) {
  MPI_Status own;
  if (s == MPI_STATUS_IGNORE) s = &own;
  enter();
  int r = PMPI_Mrecv(b, n, t, m, s);
  RECORD("MPI_Mrecv", act_receive, NOBODY, s->MPI_SOURCE, s->MPI_TAG, matched_comm, received_bytes(s, t, n));
  return r;
}

/* Persistent requests: what they will do is kept, Start begins them. */
#define PERSISTENT(FN, ACT, CONST)                                                                          \
  int MPI_##FN(CONST void *b, int n, MPI_Datatype t, int peer, int tag, MPI_Comm c, MPI_Request *q) {       \
    int r = PMPI_##FN(b, n, t, peer, tag, c, q);                                                            \
    struct started *s = file ? slot_of(*q, 1) : 0;                                                          \
    if (s) *s = (struct started){*q, -1, 1, ACT, peer, tag, bytes_of(n, t), c, 0, 0};                             \
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
  begun = s;
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

#include "mpi_record_completion.h"
#include "mpi_record_collectives.h"
#include "mpi_record_neighbours.h"
#include "mpi_record_one_sided.h"
#include "mpi_record_fortran.h"
