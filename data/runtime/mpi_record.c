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

/* Communicators come and go; groups with the same ranks are one group, as the reader sees them. */
static struct { int size; int *ranks; } *known_groups;
static struct { MPI_Comm comm; int group, partners, inter; } *known_comms; /* partners: the group that ranks are told in */
static int groups, comms;

static void *one_more(void *list, int many, size_t size) {
  return many & (many - 1) ? list : realloc(list, size * (size_t)(many ? 2 * many : 1));
}

static int number_of_group(MPI_Group group) {
  int size = 0;
  MPI_Group world;
  PMPI_Group_size(group, &size);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  int *from = malloc(sizeof(int) * (size_t)(size + 1)), *to = malloc(sizeof(int) * (size_t)(size + 1));
  for (int i = 0; i < size; i++) from[i] = i;
  PMPI_Group_translate_ranks(group, size, from, world, to);
  PMPI_Group_free(&world);
  free(from);
  for (int i = 0; i < groups; i++)
    if (known_groups[i].size == size && memcmp(known_groups[i].ranks, to, sizeof(int) * (size_t)size) == 0) {
      free(to);
      return i;
    }
  known_groups = one_more(known_groups, groups, sizeof *known_groups);
  known_groups[groups].size = size, known_groups[groups].ranks = to;
  if (names) {
    fprintf(names, "group %d", groups);
    for (int k = 0; k < size; k++) fprintf(names, " %d", to[k]);
    fputc('\n', names);
    fflush(names);
  }
  file->head.groups = groups + 1;
  return groups++;
}

static int group_of_comm(MPI_Comm comm, int (*get)(MPI_Comm, MPI_Group *)) {
  MPI_Group group;
  get(comm, &group);
  int number = number_of_group(group);
  PMPI_Group_free(&group);
  return number;
}
/* The two sides of an intercommunicator have no group in common but everybody. */
static int comm_of(MPI_Comm comm) {
  if (groups == 0) group_of_comm(MPI_COMM_WORLD, PMPI_Comm_group);
  int unused = comms;
  for (int i = 0; i < comms; i++) {
    if (known_comms[i].comm == comm) return i;
    if (known_comms[i].comm == MPI_COMM_NULL) unused = i;
  }
  if (unused == comms) known_comms = one_more(known_comms, comms, sizeof *known_comms), comms++;
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  known_comms[unused].comm = comm, known_comms[unused].inter = inter;
  known_comms[unused].partners = group_of_comm(comm, inter ? PMPI_Comm_remote_group : PMPI_Comm_group);
  known_comms[unused].group = inter ? 0 : known_comms[unused].partners;
  return unused;
}
static void forget_comm(MPI_Comm comm) {
  for (int i = 0; i < comms; i++)
    if (known_comms[i].comm == comm) known_comms[i].comm = MPI_COMM_NULL;
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

/* ---- completion ---- */

/* What came may be less than there was room for, and nothing comes to a receive that was cancelled. */
static void came(const struct started *s, MPI_Status *status) {
  int count = 0, cancelled = 0;
  if (!s->event || file->event[s->event - 1].act != act_ireceive) return;
  struct record_event *e = &file->event[s->event - 1];
  PMPI_Test_cancelled(status, &cancelled);
  if (cancelled) e->from = record_nobody;
  else if (e->from == record_nobody || PMPI_Get_count(status, MPI_BYTE, &count) != MPI_SUCCESS || count == MPI_UNDEFINED) return;
  file->site[s->site].bytes += count - e->bytes;
  e->bytes = count;
}
static int64_t end_request(MPI_Request handle, MPI_Status *status) {
  if (!file || handle == MPI_REQUEST_NULL) return 0;
  struct started *s = slot_of(handle, 0);
  if (!s || s->number < 0) return 0;
  came(s, status);
  int64_t number = s->number;
  if (s->persistent) s->number = -1;
  else s->number = 0;
  return number;
}
/* Requests as they are before a call that ends some of them, and room for their statuses if the program wants none. */
struct completing {
  MPI_Request *before;
  int64_t *numbers;
  int many;
  MPI_Status *status, *own;
};
static struct completing completing(int n, const MPI_Request *q, MPI_Status *s) {
  size_t room = (size_t)(n > 0 ? n : 1);
  struct completing c = {malloc(sizeof *c.before * room), malloc(sizeof *c.numbers * room), 0, s, 0};
  if (n > 0) memcpy(c.before, q, sizeof *q * (size_t)n);
  if (s == MPI_STATUSES_IGNORE || s == MPI_STATUS_IGNORE) c.status = c.own = malloc(sizeof *s * room);
  return c;
}
static void completed(struct completing *c, int request, int status) {
  if ((c->numbers[c->many] = end_request(c->before[request], &c->status[status]))) c->many++;
}
static void forget(struct completing *c) { free(c->before), free(c->numbers), free(c->own); }

static void waited(const char *name, void *place, const int64_t *numbers, int n) {
  add(&(struct call){.name = name, .place = place, .act = act_wait, .to = NOBODY, .from = NOBODY, .comm = MPI_COMM_WORLD, .requests = n, .request = numbers});
}
static void found_nothing(void) {
  if (file) file->head.polls++;
  go_on();
}

static void finish(struct completing *c, const char *name, void *place, int may_find_nothing) {
  if (c->many || !may_find_nothing) waited(name, place, c->numbers, c->many);
  else found_nothing();
  forget(c);
}

int MPI_Wait(MPI_Request *q, MPI_Status *s) {
  enter();
  struct completing c = completing(1, q, s);
  int r = PMPI_Wait(q, c.status);
  completed(&c, 0, 0);
  finish(&c, "MPI_Wait", HERE, 0);
  return r;
}
int MPI_Waitall(int n, MPI_Request *q, MPI_Status *s) {
  enter();
  struct completing c = completing(n, q, s);
  int r = PMPI_Waitall(n, q, c.status);
  for (int i = 0; i < n; i++) completed(&c, i, i);
  finish(&c, "MPI_Waitall", HERE, 0);
  return r;
}
int MPI_Waitany(int n, MPI_Request *q, int *index, MPI_Status *s) {
  enter();
  struct completing c = completing(n, q, s);
  int r = PMPI_Waitany(n, q, index, c.status);
  if (*index != MPI_UNDEFINED) completed(&c, *index, 0);
  finish(&c, "MPI_Waitany", HERE, 0);
  return r;
}
int MPI_Waitsome(int n, MPI_Request *q, int *done, int *indices, MPI_Status *s) {
  enter();
  struct completing c = completing(n, q, s);
  int r = PMPI_Waitsome(n, q, done, indices, c.status);
  for (int i = 0; *done != MPI_UNDEFINED && i < *done; i++) completed(&c, indices[i], i);
  finish(&c, "MPI_Waitsome", HERE, 0);
  return r;
}
int MPI_Test(MPI_Request *q, int *flag, MPI_Status *s) {
  enter();
  struct completing c = completing(1, q, s);
  int r = PMPI_Test(q, flag, c.status);
  if (*flag) completed(&c, 0, 0);
  finish(&c, "MPI_Test", HERE, 1);
  return r;
}
int MPI_Testall(int n, MPI_Request *q, int *flag, MPI_Status *s) {
  enter();
  struct completing c = completing(n, q, s);
  int r = PMPI_Testall(n, q, flag, c.status);
  for (int i = 0; *flag && i < n; i++) completed(&c, i, i);
  finish(&c, "MPI_Testall", HERE, 1);
  return r;
}
int MPI_Testany(int n, MPI_Request *q, int *index, int *flag, MPI_Status *s) {
  enter();
  struct completing c = completing(n, q, s);
  int r = PMPI_Testany(n, q, index, flag, c.status);
  if (*flag && *index != MPI_UNDEFINED) completed(&c, *index, 0);
  finish(&c, "MPI_Testany", HERE, 1);
  return r;
}
int MPI_Testsome(int n, MPI_Request *q, int *done, int *indices, MPI_Status *s) {
  enter();
  struct completing c = completing(n, q, s);
  int r = PMPI_Testsome(n, q, done, indices, c.status);
  for (int i = 0; *done != MPI_UNDEFINED && i < *done; i++) completed(&c, indices[i], i);
  finish(&c, "MPI_Testsome", HERE, 1);
  return r;
}

#include "mpi_record_collectives.h"
#include "mpi_record_one_sided.h"
#include "mpi_record_fortran.h"
