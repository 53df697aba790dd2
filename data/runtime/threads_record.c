/* Watches the parallel regions of an OpenMP program through the run-time library's own tool interface (OMPT; libomp has
   it): how often each region is entered, what each thread does in it, its loops, chunks, barriers, and what only one thread
   does at a time (critical, ordered, locks). Preloaded, since the
   library wakes up at the first region only and what lies before it is serial work too; writes the file named by PERFCAST_THREADS:
     whole WALL SERIAL
     region MODULE OFFSET ENTRIES WALL SCHEDULE ITERATIONS CHUNKS BARRIERS HELD THREADS seconds...
     shares TASKS SECONDS BUSIEST threads seconds threads seconds...
   HELD: processor time of all threads while they held the lock that was held longest. Shares, of the region before: what its
   phases took of all threads and of the busiest of each, and would of the busiest of other numbers of threads (threads_phases.h). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp-tools.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "threads_phases.h"

enum { most_regions = 1024, deepest = 16, most_locks = 256 };
struct region {
  const void *place;
  double entries, wall, since, iterations, chunks, barriers;
  int schedule, threads, active; /* entries of it that run now: several threads may be in one that is nested */
  double seconds[most_threads];
  double held[most_locks]; /* by lock; of very many some share a place */
  double tasks;
  struct sharing sharing;
};
/* One entry. */
struct instance {
  struct region *region;
  int nested, threads;
  long phase;
};
/* What a thread does at a time: its own part of the region, or a task that somebody made. */
struct task {
  int made, waiting;
  double seconds;
};
static struct region *regions;
static int known;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double begun, in_regions, outermost_since;
static int outermost;
static char *file;
/* The regions this thread is in, the innermost last; time in an inner one is also time in those around it, time in which the
   thread waits is nobody's. */
static __thread struct {
  struct instance *instance; /* while the thread works */
  struct region *region;
  struct task *own, *around; /* its part; what it did before */
  int index, working;
  long phase;
  double begun;
} frames[deepest];
static __thread int depth;
static __thread struct task *current;

static double reading(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
/* The thread's processor time without what it spent waiting for locks and looking at the clock for them. */
static __thread double lost;
static double clock_cost;
static double worked(void) {
  double now = reading(CLOCK_THREAD_CPUTIME_ID) - lost;
  lost += clock_cost;
  return now;
}
static struct region *region_of(const void *place) {
  for (int i = 0; i < known; i++)
    if (regions[i].place == place) return &regions[i];
  if (known == most_regions) return &regions[most_regions - 1];
  regions[known].place = place;
  return &regions[known++];
}
static struct region *entered(ompt_data_t *parallel) {
  struct instance *instance = parallel ? parallel->ptr : 0;
  return instance ? instance->region : 0;
}

static void parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned int wanted, int flags, const void *place) {
  (void)task, (void)frame, (void)wanted, (void)flags;
  struct instance *instance = malloc(sizeof *instance);
  parallel->ptr = instance;
  if (!instance) return;
  pthread_mutex_lock(&lock);
  struct region *r = instance->region = region_of(place);
  instance->nested = depth > 0, instance->threads = 0, instance->phase = 0;
  double now = reading(CLOCK_MONOTONIC);
  if (r->active++ == 0) r->since = now;
  if (!instance->nested && outermost++ == 0) outermost_since = now;
  r->entries++;
  pthread_mutex_unlock(&lock);
}
static void parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *place) {
  (void)task, (void)flags, (void)place;
  struct instance *instance = parallel->ptr;
  if (!instance) return;
  pthread_mutex_lock(&lock);
  struct region *r = instance->region;
  double now = reading(CLOCK_MONOTONIC);
  if (--r->active == 0) r->wall += now - r->since;
  if (!instance->nested && --outermost == 0) in_regions += now - outermost_since;
  end_phase(&r->sharing, instance->threads, 0);
  pthread_mutex_unlock(&lock);
  parallel->ptr = 0;
  free(instance);
}
static void pause_work(void) {
  if (depth < 1 || depth > deepest) return;
  double now = worked();
  if (frames[depth - 1].working && current && current->made) current->seconds += now - frames[depth - 1].begun;
  pthread_mutex_lock(&lock);
  for (int k = 0; k < depth; k++) {
    struct region *r = frames[k].region;
    const int index = frames[k].index;
    if (frames[k].working && r && index < most_threads) {
      const double time = now - frames[k].begun;
      r->seconds[index] += time, r->sharing.now.all[index] += time, r->sharing.now.own[index] += time;
    }
    frames[k].working = 0;
  }
  pthread_mutex_unlock(&lock);
}
static void resume_work(void) {
  double now = worked();
  for (int k = 0; k < depth && k < deepest; k++) frames[k].working = 1, frames[k].begun = now;
}
static int first_thread(void) { return depth > 0 && depth <= deepest && frames[depth - 1].index == 0; }
/* A piece of work that another thread could have got. */
static void did_a_piece(double seconds, int task) {
  struct region *r = depth > 0 && depth <= deepest ? frames[depth - 1].region : 0;
  if (!r) return;
  pthread_mutex_lock(&lock);
  if (task) r->tasks++;
  add_piece(&r->sharing.now, frames[depth - 1].index, seconds);
  pthread_mutex_unlock(&lock);
}
static void implicit_task(ompt_scope_endpoint_t end, ompt_data_t *parallel, ompt_data_t *task, unsigned int threads, unsigned int index, int flags) {
  if (flags & ompt_task_initial) return;
  if (end == ompt_scope_begin) {
    struct instance *instance = parallel ? parallel->ptr : 0;
    struct region *r = instance ? instance->region : 0;
    if (r && (int)threads > r->threads) r->threads = (int)threads;
    if (instance) instance->threads = (int)threads;
    if (depth < deepest) {
      struct task *own = calloc(1, sizeof *own);
      if (task) task->ptr = own;
      frames[depth].instance = instance, frames[depth].region = r, frames[depth].index = (int)index, frames[depth].phase = 0;
      frames[depth].own = own, frames[depth].around = current, current = own;
      frames[depth].working = 1, frames[depth].begun = worked();
    }
    depth++;
  } else if (depth > 0) {
    pause_work();
    depth--;
    if (depth < deepest) current = frames[depth].around, free(frames[depth].own);
    if (task) task->ptr = 0;
    resume_work();
  }
}
static void task_create(ompt_data_t *by, const ompt_frame_t *frame, ompt_data_t *task, int flags, int dependences, const void *place) {
  (void)by, (void)frame, (void)dependences, (void)place;
  task->ptr = 0;
  if (!(flags & ompt_task_explicit)) return;
  struct task *made = task->ptr = calloc(1, sizeof *made);
  if (made) made->made = 1;
}
/* The thread turns from one task to another; in a barrier or while it waits for tasks, that is when it works. */
static void task_schedule(ompt_data_t *before, ompt_task_status_t status, ompt_data_t *next) {
  if (depth < 1 || depth > deepest) return;
  pause_work();
  struct task *was = before ? before->ptr : 0;
  if (was && was->made && (status == ompt_task_complete || status == ompt_task_cancel)) {
    did_a_piece(was->seconds, 1);
    before->ptr = 0;
    free(was);
  }
  current = next && next->ptr ? next->ptr : frames[depth - 1].own;
  if (current && !current->waiting) resume_work();
}
static void sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t end, ompt_data_t *parallel, ompt_data_t *task, const void *place) {
  (void)task, (void)place;
  if (kind == ompt_sync_region_reduction || depth < 1 || depth > deepest) return;
  const int last = kind == ompt_sync_region_barrier_implicit_parallel;
  const int for_tasks = kind == ompt_sync_region_taskwait || kind == ompt_sync_region_taskgroup;
  if (end == ompt_scope_begin) {
    struct region *r = entered(parallel);
    if (!last && !for_tasks && r && first_thread()) r->barriers++;
    pause_work();
    if (current) current->waiting = 1;
  } else if (!last) {
    struct instance *instance = frames[depth - 1].instance;
    if (!for_tasks && instance) {
      pthread_mutex_lock(&lock);
      if (instance->phase == frames[depth - 1].phase) instance->phase++, end_phase(&instance->region->sharing, instance->threads, 0);
      frames[depth - 1].phase = instance->phase;
      pthread_mutex_unlock(&lock);
    }
    if (current) current->waiting = 0;
    resume_work();
  }
}

/* The chunk of a shared loop that this thread has; of loops with very many, the first ones tell how long they are. */
static __thread struct {
  int open;
  ompt_work_t kind; /* of the loop, with so many iterations */
  double trip, begun;
} chunk;

static void end_chunk(void) {
  if (chunk.open) did_a_piece(worked() - chunk.begun, 0);
  chunk.open = 0;
}
static int is_loop(ompt_work_t kind) { return kind == ompt_work_loop || kind >= ompt_work_loop_static; }
static void work(ompt_work_t kind, ompt_scope_endpoint_t end, ompt_data_t *parallel, ompt_data_t *task, uint64_t count, const void *place) {
  (void)task, (void)place;
  if (!is_loop(kind) && kind != ompt_work_sections) return;
  end_chunk();
  struct region *r = entered(parallel);
  if (!r || end != ompt_scope_begin) return;
  chunk.kind = kind, chunk.trip = (double)count;
  if (!first_thread()) return;
  pthread_mutex_lock(&lock);
  r->sharing.now.trip += (double)count, r->sharing.now.loops++;
  pthread_mutex_unlock(&lock);
  r->iterations += (double)count, r->schedule = (int)kind;
}
static void dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance) {
  (void)task;
  struct region *r = entered(parallel);
  if (!r || depth < 1 || depth > deepest || (kind != ompt_dispatch_ws_loop_chunk && kind != ompt_dispatch_section)) return;
  end_chunk();
  const int divided = chunk.kind == ompt_work_loop_static, index = frames[depth - 1].index;
  pthread_mutex_lock(&lock);
  r->chunks++;
  struct phase *now = &r->sharing.now;
  const ompt_dispatch_chunk_t *given = kind == ompt_dispatch_ws_loop_chunk ? instance.ptr : 0;
  if (divided && given && index < most_threads && (double)given->iterations <= chunk.trip) now->iterations[index] += (double)given->iterations;
  const int timed = !divided && now->pieces < most_pieces;
  if (!divided && !timed) now->untimed++;
  pthread_mutex_unlock(&lock);
  if (timed) chunk.open = 1, chunk.begun = worked();
}

/* Locks that this thread waits for or holds, the latest last. Of very many the first ones are all timed: a look at the clock
   takes longer than a short critical section, and every so many of the rest tell as much of how long it is held. How long it is
   waited for varies too much for that: those waits count as work. */
enum { timed_all = 1000000, timed_every = 64 };
static __thread struct {
  ompt_wait_id_t id;
  double since, stands_for;
} locks[deepest];
static __thread int locked;
static __thread long locks_seen;

static void mutex_acquire(ompt_mutex_t kind, unsigned int hint, unsigned int impl, ompt_wait_id_t id, const void *place) {
  (void)kind, (void)hint, (void)impl, (void)place;
  if (depth == 0 || depth > deepest || locked == deepest) return;
  const int all = ++locks_seen <= timed_all;
  if (!all && locks_seen % timed_every != 0) return;
  locks[locked].id = id, locks[locked].stands_for = all ? 1 : timed_every, locks[locked].since = reading(CLOCK_THREAD_CPUTIME_ID);
  locked++;
}
/* What passed since the lock's last event. */
static double passed(int at) {
  double now = reading(CLOCK_THREAD_CPUTIME_ID), time = now - locks[at].since - clock_cost;
  locks[at].since = now, lost += clock_cost;
  return time > 0 ? time : 0;
}
static int place_of(ompt_wait_id_t id) {
  int at = locked - 1;
  while (at >= 0 && locks[at].id != id) at--;
  return at;
}
static void mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void *place) {
  (void)kind, (void)place;
  const int at = place_of(id);
  if (at >= 0) lost += passed(at);
}
static void mutex_released(ompt_mutex_t kind, ompt_wait_id_t id, const void *place) {
  (void)kind, (void)place;
  const int at = place_of(id);
  if (at < 0) return;
  const double time = passed(at) * locks[at].stands_for;
  lost += clock_cost; /* that of its beginning */
  struct region *r = depth > 0 && depth <= deepest ? frames[depth - 1].region : 0;
  pthread_mutex_lock(&lock);
  if (r) r->held[(id * 0x9E3779B97F4A7C15ull) >> 56] += time; /* 256 places, for neighbours unlike ones */
  pthread_mutex_unlock(&lock);
  for (int k = at; k + 1 < locked; k++) locks[k] = locks[k + 1];
  locked--;
}
static void look_at_the_clock(void) {
  clock_cost = 1;
  for (int i = 0; i < 200; i++) {
    double before = reading(CLOCK_THREAD_CPUTIME_ID), took = reading(CLOCK_THREAD_CPUTIME_ID) - before;
    if (took < clock_cost) clock_cost = took;
  }
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  if (!set) return 0;
  set(ompt_callback_parallel_begin, (ompt_callback_t)parallel_begin);
  set(ompt_callback_parallel_end, (ompt_callback_t)parallel_end);
  set(ompt_callback_implicit_task, (ompt_callback_t)implicit_task);
  set(ompt_callback_sync_region, (ompt_callback_t)sync_region);
  set(ompt_callback_task_create, (ompt_callback_t)task_create);
  set(ompt_callback_task_schedule, (ompt_callback_t)task_schedule);
  set(ompt_callback_work, (ompt_callback_t)work);
  set(ompt_callback_dispatch, (ompt_callback_t)dispatch);
  set(ompt_callback_mutex_acquire, (ompt_callback_t)mutex_acquire);
  set(ompt_callback_mutex_acquired, (ompt_callback_t)mutex_acquired);
  set(ompt_callback_mutex_released, (ompt_callback_t)mutex_released);
  look_at_the_clock();
  return 1;
}
static const char *schedule_name(int kind) {
  return kind == ompt_work_loop_dynamic ? "dynamic" : kind == ompt_work_loop_guided ? "guided" : kind == ompt_work_loop_static ? "static" : kind == ompt_work_sections ? "sections" : kind ? "other" : "none";
}
static void write_all(void) {
  if (!file || !regions) return;
  FILE *out = fopen(file, "w");
  file = 0;
  if (!out) return;
  double whole = reading(CLOCK_MONOTONIC) - begun;
  fprintf(out, "whole %.9f %.9f\n", whole, whole - in_regions);
  for (int i = 0; i < known; i++) {
    struct region *r = &regions[i];
    Dl_info info = {0};
    dladdr(r->place, &info);
    double longest = 0;
    for (int k = 0; k < most_locks; k++)
      if (r->held[k] > longest) longest = r->held[k];
    fprintf(out, "region %s %lx %.0f %.9f %s %.0f %.0f %.0f %.9f %d", info.dli_fname ? info.dli_fname : "-",
            (unsigned long)((const char *)r->place - 1 - (const char *)info.dli_fbase), r->entries, r->wall, schedule_name(r->schedule), r->iterations,
            r->chunks, r->barriers, longest, r->threads);
    for (int t = 0; t < r->threads && t < most_threads; t++) fprintf(out, " %.9f", r->seconds[t]);
    end_phase(&r->sharing, r->threads, 1);
    fprintf(out, "\nshares %.0f %.9f %.9f", r->tasks, r->sharing.seconds, r->sharing.busiest);
    for (int i = 0; i < many_team_sizes; i++) fprintf(out, " %d %.9f", team_sizes[i], r->sharing.with_team[i]);
    fputc('\n', out);
  }
  fclose(out);
}
static void finalize(ompt_data_t *data) {
  (void)data;
  write_all();
}
__attribute__((constructor)) static void loaded(void) { begun = reading(CLOCK_MONOTONIC); }
ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  const char *name = getenv("PERFCAST_THREADS");
  if (!name) return 0;
  file = strdup(name);
  regions = calloc(most_regions, sizeof *regions);
  return regions ? &result : 0;
}
