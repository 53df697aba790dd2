/* Virtual speed-up of one region of an OpenMP program, as a library to be preloaded: every segment of work that does not
 * lie in the chosen region is stretched by the factor D, in the thread that does it. Divided by D, the program's time is
 * that of the same machine with the region D times faster.
 *
 * A region is a parallel construct, named by the address it is called from; what lies outside all of them is "serial".
 * Regions may lie within each other: work and time belong to the innermost.
 * A segment of work ends where its thread begins to wait (barrier, taskwait, lock) or the construct ends. Clang's
 * run-time library tells of these through OMPT; GCC's does not, so its entry points are wrapped.
 *
 *   PERFCAST_DILATE_D       factor, 1 to 1000
 *   PERFCAST_DILATE_REGION  the region that is left alone: "serial", or MODULE+OFFSET as written by an earlier run
 *   PERFCAST_DILATE_FOLDER  where the file goes
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { REGIONS = 256, LEVELS = 1024, NESTED = 32, SERIAL = 0, NONE = -1 };

/* A region: 0 is what lies outside all parallel constructs. */
static struct region {
  const void* address;
  double work, wall, entries;         /* seconds of all threads, undilated; of the encountering thread, dilated */
  double segments, short_segments, short_seconds;
} regions[REGIONS];
static int region_count = 1, region_lock;

/* Seconds during which so many threads were at work: every change of the number closes an interval. */
static double level_seconds[LEVELS], last_change;
static int at_work, most_threads = 1, level_lock;

static double dilation = 1, clock_cost, begun;
static const char *folder, *chosen_name;
static int chosen = NONE, active, by_ompt;
static struct rusage usage_begun;

static __thread struct thread {
  int region, running, waiting;
  int teams;                                      /* it works in, one within the other */
  int depth;                                      /* of regions it has entered and not left */
  struct { int region, waiting; } outside[NESTED]; /* what it did before it entered each */
  int timed;                                      /* its time is the wall time of the regions it enters */
  double since;                                   /* of the time not yet given to a region */
  double segment_begun, debt;
} own;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void change_level(int by, double at) {
  while (__atomic_exchange_n(&level_lock, 1, __ATOMIC_ACQUIRE)) sched_yield();
  if (at > last_change) {
    if (at_work >= 0 && at_work < LEVELS) level_seconds[at_work] += at - last_change;
    last_change = at;
  }
  at_work += by;
  if (at_work > most_threads) most_threads = at_work; /* teams within teams are more than each of them */
  __atomic_store_n(&level_lock, 0, __ATOMIC_RELEASE);
}

static void add(double* sum, double value) {
  double old, sum_now;
  __atomic_load(sum, &old, __ATOMIC_RELAXED);
  do sum_now = old + value;
  while (!__atomic_compare_exchange(sum, &old, &sum_now, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

/* "program+1a2b": the same in every run, wherever the program is loaded. */
static void name_of(const void* address, char* name, size_t size) {
  Dl_info info;
  if (!address) snprintf(name, size, "serial");
  else if (dladdr(address, &info) && info.dli_fname)
    snprintf(name, size, "%s+%lx", info.dli_fname, (unsigned long)((const char*)address - (const char*)info.dli_fbase));
  else snprintf(name, size, "?+%lx", (unsigned long)(uintptr_t)address);
}

static int region_at(const void* address) {
  for (int i = 1, n = __atomic_load_n(&region_count, __ATOMIC_ACQUIRE); i < n; i++)
    if (regions[i].address == address) return i;
  while (__atomic_exchange_n(&region_lock, 1, __ATOMIC_ACQUIRE)) sched_yield();
  int found = NONE, n = region_count;
  for (int i = 1; i < n; i++)
    if (regions[i].address == address) found = i;
  if (found == NONE && n < REGIONS) {
    char name[4096];
    name_of(address, name, sizeof name);
    regions[n].address = address;
    if (chosen_name && strcmp(name, chosen_name) == 0) chosen = n;
    found = n;
    __atomic_store_n(&region_count, n + 1, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&region_lock, 0, __ATOMIC_RELEASE);
  return found == NONE ? SERIAL : found;
}

static void begin_segment(void) {
  if (own.running || !active) return;
  own.running = 1;
  change_level(+1, now());
  own.segment_begun = now();
}
static void end_segment(void) {
  if (!own.running || !active) return;
  own.running = 0;
  double at = now(), length = at - own.segment_begun - clock_cost;
  if (length < 0) length = 0;
  struct region* r = &regions[own.region];
  add(&r->work, length), add(&r->segments, 1);
  if (length < 20 * clock_cost) add(&r->short_segments, 1), add(&r->short_seconds, length);
  if (dilation > 1 && own.region != chosen) {
    double until = own.segment_begun + dilation * length - own.debt;
    do at = now();
    while (at < until);
    own.debt = at - until;
    if (own.debt > 0.5 * dilation * length + 4 * clock_cost) own.debt = 0;
  }
  change_level(-1, at);
}

static void pass_time(int region) {
  double at = now();
  if (own.timed) add(&regions[region].wall, at - own.since);
  own.since = at;
}
/* Around a parallel construct, in the thread that meets it. Wall time is that of threads outside all teams: what the
 * members of a team spend in regions of their own passes at the same time. */
static int enter_region(const void* code) {
  end_segment();
  int region = region_at(code);
  add(&regions[region].entries, 1);
  pass_time(own.region);
  if (!own.teams) own.timed = 1;
  if (own.depth < NESTED) own.outside[own.depth].region = own.region, own.outside[own.depth].waiting = own.waiting;
  own.depth++;
  own.region = region;
  return region;
}
static void leave_region(int region) {
  end_segment();
  pass_time(region);
  own.depth--;
  if (own.depth < NESTED) own.region = own.outside[own.depth].region, own.waiting = own.outside[own.depth].waiting;
  if (!own.depth) own.timed = 0;
  begin_segment();
}
/* Around what each member of the team does in it. */
static void join_team(int region) {
  own.region = region, own.waiting = 0, own.teams++;
  begin_segment();
}
static void leave_team(void) {
  end_segment();
  own.teams--;
}

static void start(void) {
  if (active) return;
  const char* text = getenv("PERFCAST_DILATE_D");
  double factor = text ? atof(text) : 1;
  if (factor >= 1 && factor <= 1000) dilation = factor;
  folder = getenv("PERFCAST_DILATE_FOLDER");
  chosen_name = getenv("PERFCAST_DILATE_REGION");
  if (chosen_name && strcmp(chosen_name, "serial") == 0) chosen = SERIAL;
  double best = 1;
  for (int k = 0; k < 7; k++) {
    double from = now();
    for (int i = 0; i < 2000; i++) now();
    double each = (now() - from) / 2000;
    if (each < best) best = each;
  }
  clock_cost = best;
  getrusage(RUSAGE_SELF, &usage_begun);
  active = 1;
  begun = last_change = now();
  begin_segment();
}

static void finish(void) {
  if (!active || !folder) return;
  if (region_count == 1) dilation = 1; /* the shell around the program, as a script: it has only waited */
  end_segment();
  double elapsed = now() - begun;
  active = 0;
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  char name[4096];
  snprintf(name, sizeof name, "%s/threads-%ld.json", folder, (long)getpid());
  FILE* file = fopen(name, "w");
  if (!file) return;
  fprintf(file, "{\"d\": %.17g, \"clock_seconds\": %.9g, \"elapsed\": %.9f, \"switches\": %ld, \"threads\": %d,\n \"regions\": [",
          dilation, clock_cost, elapsed, usage.ru_nivcsw - usage_begun.ru_nivcsw, most_threads);
  double parallel = 0;
  for (int i = 1; i < region_count; i++) parallel += regions[i].wall;
  regions[SERIAL].wall = elapsed > parallel ? elapsed - parallel : 0;
  for (int i = 0; i < region_count; i++) {
    char where[4096];
    name_of(regions[i].address, where, sizeof where);
    fprintf(file, "%s\n  {\"name\": \"%s\", \"work\": %.9f, \"wall\": %.9f, \"entries\": %.0f, \"segments\": %.0f, \"short_seconds\": %.9f}", i ? "," : "",
            where, regions[i].work, regions[i].wall, regions[i].entries, regions[i].segments, regions[i].short_seconds);
  }
  fprintf(file, "\n ],\n \"level_seconds\": [");
  for (int i = 0; i <= most_threads && i < LEVELS; i++) fprintf(file, "%s%.9f", i ? ", " : "", level_seconds[i]);
  fprintf(file, "]}\n");
  fclose(file);
}
/* Clang's run-time library wakes up at the first parallel construct: what lies before it is serial work too. */
__attribute__((constructor)) static void loaded(void) {
  if (getenv("PERFCAST_DILATE_FOLDER")) start();
}
__attribute__((destructor)) static void unloaded(void) { finish(); }

/* --- Clang's run-time library: OMPT (OpenMP 5.1, chapter 19), declared here as far as it is used. ------------------- */

typedef union { uint64_t value; void* ptr; } ompt_data;
enum { PARALLEL_BEGIN = 3, PARALLEL_END = 4, TASK_CREATE = 5, TASK_SCHEDULE = 6, IMPLICIT_TASK = 7, MUTEX_RELEASED = 17, SYNC_REGION = 23, MUTEX_ACQUIRE = 26, MUTEX_ACQUIRED = 27 };
enum { SCOPE_BEGIN = 1, SYNC_REDUCTION = 7, TASK_INITIAL = 1 };
enum { EXPLICIT = 1 << 20 }; /* marks the data of explicit tasks; the region in the bits below */

static void on_parallel_begin(ompt_data* task, const void* frame, ompt_data* parallel, unsigned threads, int flags, const void* code) {
  (void)task, (void)frame, (void)flags;
  parallel->value = (uint64_t)enter_region(code);
  if ((int)threads > most_threads && threads < 100000) most_threads = (int)threads;
}
static void on_parallel_end(ompt_data* parallel, ompt_data* task, int flags, const void* code) {
  (void)task, (void)flags, (void)code;
  leave_region((int)parallel->value);
}
static void on_implicit_task(int endpoint, ompt_data* parallel, ompt_data* task, unsigned actual, unsigned index, int flags) {
  (void)task, (void)index;
  if (flags & TASK_INITIAL) return;
  if (endpoint == SCOPE_BEGIN) {
    if ((int)actual > most_threads) most_threads = (int)actual;
    join_team(parallel ? (int)parallel->value : SERIAL);
  } else {
    leave_team();
  }
}
static void on_sync_region(int kind, int endpoint, ompt_data* parallel, ompt_data* task, const void* code) {
  (void)parallel, (void)task, (void)code;
  if (kind == SYNC_REDUCTION) return;
  if (endpoint == SCOPE_BEGIN) end_segment(), own.waiting++;
  else {
    if (own.waiting > 0) own.waiting--;
    if (!own.waiting) begin_segment();
  }
}
static void on_task_create(ompt_data* task, const void* frame, ompt_data* created, int flags, int dependences, const void* code) {
  (void)task, (void)frame, (void)flags, (void)dependences, (void)code;
  if (created) created->value = EXPLICIT | (uint64_t)own.region;
}
static void on_task_schedule(ompt_data* prior, int status, ompt_data* next) {
  (void)prior, (void)status;
  end_segment();
  if (next && (next->value & EXPLICIT)) {
    own.region = (int)(next->value & (EXPLICIT - 1));
    begin_segment();
  } else if (!own.waiting) {
    begin_segment();
  }
}
static void on_mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t wait, const void* code) {
  (void)kind, (void)hint, (void)implementation, (void)wait, (void)code;
  end_segment();
}
static void on_mutex(int kind, uint64_t wait, const void* code) {
  (void)kind, (void)wait, (void)code;
  end_segment();
  begin_segment();
}

typedef void (*function)(void);
typedef function (*lookup_function)(const char*);
static int initialize(lookup_function lookup, int device, ompt_data* data) {
  (void)device, (void)data;
  int (*set)(int, function) = (int (*)(int, function))lookup("ompt_set_callback");
  if (!set) return 0;
  set(PARALLEL_BEGIN, (function)on_parallel_begin), set(PARALLEL_END, (function)on_parallel_end);
  set(IMPLICIT_TASK, (function)on_implicit_task), set(SYNC_REGION, (function)on_sync_region);
  set(TASK_CREATE, (function)on_task_create), set(TASK_SCHEDULE, (function)on_task_schedule);
  set(MUTEX_ACQUIRE, (function)on_mutex_acquire), set(MUTEX_ACQUIRED, (function)on_mutex), set(MUTEX_RELEASED, (function)on_mutex);
  by_ompt = 1;
  start();
  return 1;
}
static void finalize(ompt_data* data) {
  (void)data;
  finish();
}
struct start_result { int (*initialize)(lookup_function, int, ompt_data*); void (*finalize)(ompt_data*); ompt_data data; };
struct start_result* ompt_start_tool(unsigned version, const char* runtime) {
  (void)version, (void)runtime;
  static struct start_result result = {initialize, finalize, {0}};
  return &result;
}

/* --- GCC's run-time library. ----------------------------------------------------------------------------------------- */

#include "dilate_threads_gcc.h"
