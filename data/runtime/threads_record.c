/* Watches the parallel regions of an OpenMP program through the run-time library's own tool interface (OMPT; libomp has
   it): how often each region is entered, what each thread does in it, its loops, chunks and barriers. Named by
   OMP_TOOL_LIBRARIES; writes the file named by PERFCAST_THREADS:
     whole WALL SERIAL
     region MODULE OFFSET ENTRIES WALL SCHEDULE ITERATIONS CHUNKS BARRIERS THREADS seconds... */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp-tools.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most_regions = 1024, most_threads = 256 };
struct region {
  const void *place;
  double entries, wall, begun, iterations, chunks, barriers;
  int schedule, threads;
  double seconds[most_threads];
};
static struct region *regions;
static int known;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double begun, in_regions;
static __thread double thread_begun;
static __thread int thread_index, working;
static char *file;

static double reading(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static struct region *region_of(const void *place) {
  for (int i = 0; i < known; i++)
    if (regions[i].place == place) return &regions[i];
  if (known == most_regions) return &regions[most_regions - 1];
  regions[known].place = place;
  return &regions[known++];
}

static void parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned int wanted, int flags, const void *place) {
  (void)task, (void)frame, (void)wanted, (void)flags;
  pthread_mutex_lock(&lock);
  struct region *r = region_of(place);
  r->entries++, r->begun = reading(CLOCK_MONOTONIC);
  parallel->ptr = r;
  pthread_mutex_unlock(&lock);
}
static void parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *place) {
  (void)task, (void)flags, (void)place;
  struct region *r = parallel->ptr;
  if (!r) return;
  double spent = reading(CLOCK_MONOTONIC) - r->begun;
  r->wall += spent, in_regions += spent;
}
static void stop_work(struct region *r) {
  if (!working || !r || thread_index >= most_threads) return;
  r->seconds[thread_index] += reading(CLOCK_THREAD_CPUTIME_ID) - thread_begun;
  working = 0;
}
static void implicit_task(ompt_scope_endpoint_t end, ompt_data_t *parallel, ompt_data_t *task, unsigned int threads, unsigned int index, int flags) {
  (void)task;
  if (flags & ompt_task_initial) return;
  if (end == ompt_scope_begin) {
    struct region *r = parallel ? parallel->ptr : 0;
    thread_index = (int)index, working = 1;
    if (r && (int)threads > r->threads) r->threads = (int)threads;
    thread_begun = reading(CLOCK_THREAD_CPUTIME_ID);
  }
}
static void sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t end, ompt_data_t *parallel, ompt_data_t *task, const void *place) {
  (void)task, (void)place;
  struct region *r = parallel ? parallel->ptr : 0;
  if (kind == ompt_sync_region_reduction || kind == ompt_sync_region_taskwait || kind == ompt_sync_region_taskgroup) return;
  const int last = kind == ompt_sync_region_barrier_implicit_parallel;
  if (end == ompt_scope_begin) {
    if (!last && r && thread_index == 0) r->barriers++;
    stop_work(r);
  } else if (!last) {
    working = 1, thread_begun = reading(CLOCK_THREAD_CPUTIME_ID);
  }
}
static void work(ompt_work_t kind, ompt_scope_endpoint_t end, ompt_data_t *parallel, ompt_data_t *task, uint64_t count, const void *place) {
  (void)task, (void)place;
  struct region *r = parallel ? parallel->ptr : 0;
  if (!r || end != ompt_scope_begin || thread_index != 0) return;
  if (kind == ompt_work_loop || kind >= ompt_work_loop_static) r->iterations += (double)count, r->schedule = (int)kind;
}
static void dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance) {
  (void)task, (void)instance;
  struct region *r = parallel ? parallel->ptr : 0;
  if (!r || kind != ompt_dispatch_ws_loop_chunk) return;
  pthread_mutex_lock(&lock);
  r->chunks++;
  pthread_mutex_unlock(&lock);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  if (!set) return 0;
  set(ompt_callback_parallel_begin, (ompt_callback_t)parallel_begin);
  set(ompt_callback_parallel_end, (ompt_callback_t)parallel_end);
  set(ompt_callback_implicit_task, (ompt_callback_t)implicit_task);
  set(ompt_callback_sync_region, (ompt_callback_t)sync_region);
  set(ompt_callback_work, (ompt_callback_t)work);
  set(ompt_callback_dispatch, (ompt_callback_t)dispatch);
  return 1;
}
static const char *schedule_name(int kind) {
  return kind == ompt_work_loop_dynamic ? "dynamic" : kind == ompt_work_loop_guided ? "guided" : kind == ompt_work_loop_static ? "static" : kind ? "other" : "none";
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
    fprintf(out, "region %s %lx %.0f %.9f %s %.0f %.0f %.0f %d", info.dli_fname ? info.dli_fname : "-",
            (unsigned long)((const char *)r->place - 1 - (const char *)info.dli_fbase), r->entries, r->wall, schedule_name(r->schedule), r->iterations,
            r->chunks, r->barriers, r->threads);
    for (int t = 0; t < r->threads && t < most_threads; t++) fprintf(out, " %.9f", r->seconds[t]);
    fputc('\n', out);
  }
  fclose(out);
}
static void finalize(ompt_data_t *data) {
  (void)data;
  write_all();
}
ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  const char *name = getenv("PERFCAST_THREADS");
  if (!name) return 0;
  file = strdup(name);
  regions = calloc(most_regions, sizeof *regions);
  begun = reading(CLOCK_MONOTONIC);
  return regions ? &result : 0;
}
