/* Time dilation of message-passing programs (Lyon & Snelick 1990, part II), as a library to be preloaded.
 *
 * Every stretch of computation between two calls of MPI is lengthened by the factor D, on the fly and in the calling
 * thread; what happens inside MPI is left alone and so looks D times faster. Times are kept by category and written to
 * one file per process when MPI is finalized.
 *
 * The wrappers need no mpi.h: all arguments of the wrapped calls are integers or pointers, which the calling
 * conventions of AArch64 and x86-64 pass in words, so one library serves every MPI, in C, in Fortran (mpif.h, the
 * module mpi) and in Fortran 2008 (mpi_f08).
 *
 * A segment of computation runs from the return of one call to the entry of the next. Let s be its length less the
 * cost of one clock reading, which is measured at the start. The next call begins at D times s after the segment began;
 * what the spinning overshoots is taken off the next stretch. So for D > 1 the wrapper's own entry is hidden in the
 * stretch, and one clock reading per call remains in the elapsed time; at D = 1 two remain. One of them lies in the
 * time of the call. The reader of the file takes them off.
 *
 * Where several threads call MPI, one may wait for another outside of MPI, as in pthread_join, and what it waits for is
 * stretched already. Segments then count the thread's CPU time only. As long as one thread calls, the whole time between
 * its calls counts: while it waits there, threads that never call MPI compute for it.
 *
 *   PERFCAST_DILATE_D       factor, 1 to 1000
 *   PERFCAST_DILATE_FOLDER  where the files go
 *   PERFCAST_DILATE_CLOCK   "cpu": segments by the thread's CPU clock, which does not count preemption but costs much
 *                           more to read; otherwise by the monotonic clock
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { SEND, WAIT, COLLECTIVE, OTHER, POLL, KINDS };
static const char* const kind_names[KINDS] = {"send", "wait_receive", "collective", "other", "poll"};

enum { BINS = 48 }; /* of segment lengths: powers of two of a nanosecond */

enum { THREAD_SERIALIZED = 2 };  /* in Open MPI and MPICH: from this level on several threads may call */
enum { UNKNOWN = -1 };

static double dilation = 1, wall_clock_cost, cpu_clock_cost;
static const char* folder;
static int by_cpu_clock, initialized, finalized;
static int level;                  /* of threads, asked for in MPI_Init_thread */
static int has_threads;            /* the program started some */
static int has_early_threads;      /* before MPI was initialized */
static int callers;                /* threads that called MPI */
static double begun, ended;               /* monotonic: MPI initialized, finalization entered */
static double cpu_begun, cpu_ended;       /* CPU time of the thread that did it */
static struct rusage usage_begun;

/* What one thread has done. The first that calls MPI keeps the main record; others add theirs when they are read. */
struct record {
  double compute, stretched, system, overhead_debt;
  double seconds[KINDS];
  double calls[KINDS];
  double segments, short_segments, short_seconds;
  double bins[BINS], bin_seconds[BINS];
  double segment_begun, system_begun; /* the running segment */
  double segment_cpu_begun;           /* by the thread's CPU clock, or UNKNOWN */
  int depth, started, precise;
  struct record* next;
};
static struct record* records; /* of all threads */
static __thread struct record* own;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static int is_shared(void) { return __atomic_load_n(&callers, __ATOMIC_RELAXED) > 1; }
static double clock_cost(int by_cpu) { return by_cpu ? cpu_clock_cost : wall_clock_cost; }
/* Seconds the kernel has worked for this thread. */
static double system_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return (double)usage.ru_stime.tv_sec + 1e-6 * (double)usage.ru_stime.tv_usec;
}

static double cost_of(double (*clock)(void)) {
  enum { READS = 2000 };
  double best = 1;
  for (int k = 0; k < 7; k++) {
    double from = now();
    for (int i = 0; i < READS; i++) clock();
    double each = (now() - from) / READS;
    if (each < best) best = each;
  }
  return best;
}

__attribute__((constructor)) static void loaded(void) {
  const char* text = getenv("PERFCAST_DILATE_D");
  double factor = text ? atof(text) : 1;
  if (factor >= 1 && factor <= 1000) dilation = factor;
  folder = getenv("PERFCAST_DILATE_FOLDER");
  text = getenv("PERFCAST_DILATE_CLOCK");
  by_cpu_clock = text && strcmp(text, "cpu") == 0;
}

static struct record* record_of_thread(void) {
  if (own) return own;
  own = calloc(1, sizeof *own);
  if (!own) abort();
  /* A second thread's first segment began with the thread itself, where that was after MPI was initialized. */
  if (__atomic_add_fetch(&callers, 1, __ATOMIC_RELAXED) > 1 && initialized && !has_early_threads) own->started = 1;
  struct record* head = __atomic_load_n(&records, __ATOMIC_ACQUIRE);
  do own->next = head;
  while (!__atomic_compare_exchange_n(&records, &head, own, 0, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE));
  return own;
}

/* `at`: the monotonic clock, just read. */
static void begin_segment(struct record* r, double at) {
  r->started = 1;
  /* The system's part is asked for only where segments are long against what the question costs. */
  r->precise = r->segments < 16 || r->compute > r->segments * 500e-6;
  int needs_cpu = by_cpu_clock || has_threads || is_shared();
  if (r->precise) r->system_begun = system_seconds();
  r->segment_cpu_begun = needs_cpu ? cpu_seconds() : UNKNOWN;
  r->segment_begun = r->precise || needs_cpu ? now() : at;
}

/* Accounts for the segment that ends here and stretches it. Returns the monotonic clock. */
static double end_segment(struct record* r) {
  if (!r->started) return now(); /* this thread's first call: it has no beginning */
  int by_cpu = r->segment_cpu_begun != UNKNOWN && (by_cpu_clock || is_shared());
  double (*clock)(void) = by_cpu ? cpu_seconds : now;
  double from = by_cpu ? r->segment_cpu_begun : r->segment_begun, cost = clock_cost(by_cpu);
  double at = clock(), length = at - from - cost, system = 0;
  if (length < 0) length = 0;
  if (r->precise) system = system_seconds() - r->system_begun;
  if (system > length) system = length;
  r->compute += length, r->system += system, r->segments++;
  int bin = 0;
  for (double ns = length * 1e9; ns >= 2 && bin < BINS - 1; ns /= 2) bin++;
  r->bins[bin]++, r->bin_seconds[bin] += length;
  if (length < 20 * cost) r->short_segments++, r->short_seconds += length;
  if (dilation <= 1) return by_cpu || r->precise ? now() : at;
  double until = from + dilation * length - r->overhead_debt;
  do at = clock();
  while (at < until);
  r->overhead_debt = at - until;
  /* A preemption during the spin would otherwise eat the stretches that follow. */
  if (r->overhead_debt > 0.5 * dilation * length + 4 * cost) r->overhead_debt = 0;
  r->stretched += (dilation - 1) * length;
  return by_cpu ? now() : at;
}

/* From here on the calling thread may wait for the new one: its CPU time is watched, and replaces the rest of its running
 * segment should the new thread call MPI too. Threads that MPI starts for itself do not count. */
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
  static int (*next)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  if (!next) next = (int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))dlsym(RTLD_NEXT, "pthread_create");
  if (!own && !initialized) has_early_threads = 1;
  if (own && !own->depth && initialized) {
    has_threads = level >= THREAD_SERIALIZED;
    if (own->segment_cpu_begun == UNKNOWN) own->segment_cpu_begun = cpu_seconds() - (now() - own->segment_begun);
  }
  return next(thread, attributes, run, argument);
}

/* Around every wrapped call; calls that MPI makes of itself are not seen. */
static double enter(struct record* r) {
  if (r->depth++ || !initialized || finalized) return 0;
  return end_segment(r);
}
static void leave(struct record* r, int kind, double entered) {
  if (--r->depth || !initialized || finalized) return;
  double at = now();
  r->seconds[kind] += at - entered, r->calls[kind]++;
  begin_segment(r, at);
}

static double cpu_of(const struct rusage* usage) {
  return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) + 1e-6 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

static void write_record(void) {
  if (!folder) return;
  struct record sum;
  memset(&sum, 0, sizeof sum);
  int threads = 0;
  for (struct record* r = records; r; r = r->next, threads++) {
    sum.compute += r->compute, sum.system += r->system, sum.stretched += r->stretched, sum.segments += r->segments;
    sum.short_segments += r->short_segments, sum.short_seconds += r->short_seconds;
    for (int k = 0; k < KINDS; k++) sum.seconds[k] += r->seconds[k], sum.calls[k] += r->calls[k];
    for (int b = 0; b < BINS; b++) sum.bins[b] += r->bins[b], sum.bin_seconds[b] += r->bin_seconds[b];
  }
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  /* The thread that finalizes may have waited for the others: together they tell what ran. */
  double running = threads > 1 ? cpu_of(&usage) - cpu_of(&usage_begun) : cpu_ended - cpu_begun;
  cpu_set_t cores;
  int allowed = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 0;
  char name[4096], host[256] = "";
  gethostname(host, sizeof host - 1);
  snprintf(name, sizeof name, "%s/rank-%s-%ld.json", folder, host, (long)getpid());
  FILE* file = fopen(name, "w");
  if (!file) return;
  fprintf(file, "{\"d\": %.17g, \"host\": \"%s\", \"cores\": %d, \"clock_seconds\": %.9g, \"elapsed\": %.9f,\n", dilation, host, allowed,
          clock_cost(by_cpu_clock || is_shared()), ended - begun);
  fprintf(file, " \"compute\": %.9f, \"stretched\": %.9f, \"system\": %.9f, \"segments\": %.0f, \"short_segments\": %.0f, \"short_seconds\": %.9f,\n",
          sum.compute, sum.stretched, sum.system, sum.segments, sum.short_segments, sum.short_seconds);
  fprintf(file, " \"switches\": %ld, \"running\": %.9f, \"threads\": %d,\n \"seconds\": {", usage.ru_nivcsw - usage_begun.ru_nivcsw,
          running, threads);
  for (int k = 0; k < KINDS; k++) fprintf(file, "%s\"%s\": %.9f", k ? ", " : "", kind_names[k], sum.seconds[k]);
  fprintf(file, "},\n \"calls\": {");
  for (int k = 0; k < KINDS; k++) fprintf(file, "%s\"%s\": %.0f", k ? ", " : "", kind_names[k], sum.calls[k]);
  fprintf(file, "},\n \"bins\": [");
  for (int b = 0; b < BINS; b++) fprintf(file, "%s%.0f", b ? ", " : "", sum.bins[b]);
  fprintf(file, "],\n \"bin_seconds\": [");
  for (int b = 0; b < BINS; b++) fprintf(file, "%s%.9f", b ? ", " : "", sum.bin_seconds[b]);
  fprintf(file, "]}\n");
  fclose(file);
}

static void after_init(void) {
  if (initialized) return;
  wall_clock_cost = cost_of(now), cpu_clock_cost = cost_of(cpu_seconds);
  has_threads = has_early_threads && level >= THREAD_SERIALIZED;
  struct record* r = record_of_thread();
  initialized = 1;
  getrusage(RUSAGE_SELF, &usage_begun);
  cpu_begun = cpu_seconds();
  begun = now();
  begin_segment(r, begun);
}
static void before_finalize(void) {
  if (!initialized || finalized) return;
  ended = end_segment(record_of_thread());
  cpu_ended = cpu_seconds();
  finalized = 1;
  write_record();
}

/* The next definition of a symbol; the program cannot go on without it. */
static void* next_of(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (!found) {
    fprintf(stderr, "perfcast: %s is called and no MPI library defines it\n", name);
    abort();
  }
  return found;
}

#include "mpi_words.h"

#define WRAP_ONE(symbol, kind, n)                                      \
  intptr_t symbol(P##n) {                                              \
    static intptr_t (*next)(P##n);                                     \
    if (!next) next = (intptr_t(*)(P##n))next_of(#symbol);             \
    struct record* r_ = record_of_thread();                            \
    double entered_ = enter(r_);                                       \
    intptr_t result_ = next(A##n);                                     \
    leave(r_, kind, entered_);                                         \
    return result_;                                                    \
  }
/* The C name, that with large counts (MPI 4), and the Fortran names. */
#define WRAP(c_name, f_name, kind, n, n1) \
  WRAP_ONE(MPI_##c_name, kind, n)         \
  WRAP_ONE(MPI_##c_name##_c, kind, n)     \
  WRAP_ONE(mpi_##f_name##_, kind, n1)     \
  WRAP_ONE(mpi_##f_name##_f08_, kind, n1)

#include "mpi_calls.h"

/* `asked`: the level of threads. */
#define WRAP_INIT(symbol, n, asked)                                    \
  intptr_t symbol(P##n) {                                              \
    intptr_t (*next)(P##n) = (intptr_t(*)(P##n))next_of(#symbol);      \
    struct record* r_ = record_of_thread();                            \
    r_->depth++;                                                       \
    intptr_t result_ = next(A##n);                                     \
    r_->depth--;                                                       \
    level = asked;                                                     \
    after_init();                                                      \
    return result_;                                                    \
  }
WRAP_INIT(MPI_Init, 2, 0)
WRAP_INIT(mpi_init_, 1, 0)
WRAP_INIT(mpi_init_f08_, 1, 0)
WRAP_INIT(MPI_Init_thread, 4, (int)c)
WRAP_INIT(mpi_init_thread_, 3, *(int*)a)
WRAP_INIT(mpi_init_thread_f08_, 3, *(int*)a)

intptr_t MPI_Finalize(void) {
  before_finalize();
  return ((intptr_t(*)(void))next_of("MPI_Finalize"))();
}
intptr_t mpi_finalize_(P1) {
  before_finalize();
  return ((intptr_t(*)(P1))next_of("mpi_finalize_"))(a);
}
intptr_t mpi_finalize_f08_(P1) {
  before_finalize();
  return ((intptr_t(*)(P1))next_of("mpi_finalize_f08_"))(a);
}
