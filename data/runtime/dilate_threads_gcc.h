/* GCC's OpenMP has no interface for tools: the entry points of its run-time library that begin regions, wait or make tasks
 * are wrapped. A part of dilate_threads.c. */

static void* next_of(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  return found;
}
struct body { void (*run)(void*); void* data; int region; };
static void run_body(void* given) {
  struct body* body = given;
  join_team(body->region);
  body->run(body->data);
  leave_team();
}
static unsigned threads_of(unsigned asked) {
  if (asked) return asked;
  int (*most)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "omp_get_max_threads");
  return most ? (unsigned)most() : 1;
}

#define GOMP_PARALLEL(symbol, parameters, arguments)                                                          \
  void symbol(void (*fn)(void*), void* data, unsigned n, parameters) {                                      \
    void (*next)(void (*)(void*), void*, unsigned, parameters) = (void (*)(void (*)(void*), void*, unsigned, parameters))next_of(#symbol); \
    if (by_ompt) { next(fn, data, n, arguments); return; }                                                  \
    start();                                                                                                  \
    struct body body = {fn, data, enter_region(__builtin_return_address(0))};                                 \
    next(run_body, &body, n, arguments);                                                                    \
    if ((int)threads_of(n) > most_threads) most_threads = (int)threads_of(n);                                 \
    leave_region(body.region);                                                                                \
  }
#define COMMA ,
GOMP_PARALLEL(GOMP_parallel, unsigned flags, flags)
GOMP_PARALLEL(GOMP_parallel_sections, unsigned count COMMA unsigned flags, count COMMA flags)
#define LOOP_P long from COMMA long to COMMA long step
#define LOOP_A from COMMA to COMMA step
GOMP_PARALLEL(GOMP_parallel_loop_static, LOOP_P COMMA long chunk COMMA unsigned flags, LOOP_A COMMA chunk COMMA flags)
GOMP_PARALLEL(GOMP_parallel_loop_dynamic, LOOP_P COMMA long chunk COMMA unsigned flags, LOOP_A COMMA chunk COMMA flags)
GOMP_PARALLEL(GOMP_parallel_loop_guided, LOOP_P COMMA long chunk COMMA unsigned flags, LOOP_A COMMA chunk COMMA flags)
GOMP_PARALLEL(GOMP_parallel_loop_nonmonotonic_dynamic, LOOP_P COMMA long chunk COMMA unsigned flags, LOOP_A COMMA chunk COMMA flags)
GOMP_PARALLEL(GOMP_parallel_loop_nonmonotonic_guided, LOOP_P COMMA long chunk COMMA unsigned flags, LOOP_A COMMA chunk COMMA flags)
GOMP_PARALLEL(GOMP_parallel_loop_runtime, LOOP_P COMMA unsigned flags, LOOP_A COMMA flags)
GOMP_PARALLEL(GOMP_parallel_loop_nonmonotonic_runtime, LOOP_P COMMA unsigned flags, LOOP_A COMMA flags)
GOMP_PARALLEL(GOMP_parallel_loop_maybe_nonmonotonic_runtime, LOOP_P COMMA unsigned flags, LOOP_A COMMA flags)

/* With reductions over tasks, which the library finds through the first word of the data. */
struct reduced_body { void* reductions; struct body body; };
static void run_reduced_body(void* given) { run_body(&((struct reduced_body*)given)->body); }
unsigned GOMP_parallel_reductions(void (*fn)(void*), void* data, unsigned n, unsigned flags) {
  typedef unsigned (*call)(void (*)(void*), void*, unsigned, unsigned);
  call next = (call)next_of("GOMP_parallel_reductions");
  if (by_ompt) return next(fn, data, n, flags);
  start();
  struct reduced_body reduced = {*(void**)data, {fn, data, enter_region(__builtin_return_address(0))}};
  unsigned threads = next(run_reduced_body, &reduced, n, flags);
  if ((int)threads > most_threads) most_threads = (int)threads;
  leave_region(reduced.body.region);
  return threads;
}

/* All arguments of the calls below are integers or pointers, passed in words: handing on more than there are does no harm. */
#define WORDS long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l
#define THE_WORDS a, b, c, d, e, f, g, h, i, j, k, l
typedef long (*any_call)(WORDS);

/* Calls that may wait, and those that let another go on: a segment ends before and another begins behind. */
#define GOMP_WAITS(symbol)                                          \
  long symbol(WORDS) {                                              \
    static any_call next;                                           \
    if (!next) next = (any_call)next_of(#symbol);                   \
    if (by_ompt || !active) return next(THE_WORDS);                 \
    end_segment();                                                  \
    long result = next(THE_WORDS);                                  \
    begin_segment();                                                \
    return result;                                                  \
  }
GOMP_WAITS(GOMP_barrier)
GOMP_WAITS(GOMP_barrier_cancel)
GOMP_WAITS(GOMP_loop_end)
GOMP_WAITS(GOMP_loop_end_cancel)
GOMP_WAITS(GOMP_sections_end)
GOMP_WAITS(GOMP_sections_end_cancel)
GOMP_WAITS(GOMP_single_copy_start)
GOMP_WAITS(GOMP_taskwait)
GOMP_WAITS(GOMP_taskwait_depend)
GOMP_WAITS(GOMP_taskgroup_end)
GOMP_WAITS(GOMP_critical_start)
GOMP_WAITS(GOMP_critical_end)
GOMP_WAITS(GOMP_critical_name_start)
GOMP_WAITS(GOMP_critical_name_end)
GOMP_WAITS(GOMP_atomic_start)
GOMP_WAITS(GOMP_atomic_end)
GOMP_WAITS(GOMP_ordered_start)
GOMP_WAITS(GOMP_ordered_end)
GOMP_WAITS(GOMP_loop_ordered_static_next)
GOMP_WAITS(GOMP_loop_ordered_dynamic_next)
GOMP_WAITS(GOMP_loop_ordered_guided_next)
GOMP_WAITS(GOMP_loop_ordered_runtime_next)
GOMP_WAITS(GOMP_loop_ull_ordered_static_next)
GOMP_WAITS(GOMP_loop_ull_ordered_dynamic_next)
GOMP_WAITS(GOMP_loop_ull_ordered_guided_next)
GOMP_WAITS(GOMP_loop_ull_ordered_runtime_next)
GOMP_WAITS(GOMP_doacross_post)
GOMP_WAITS(GOMP_doacross_wait)
GOMP_WAITS(GOMP_doacross_ull_post)
GOMP_WAITS(GOMP_doacross_ull_wait)
GOMP_WAITS(omp_set_lock)
GOMP_WAITS(omp_set_lock_)
GOMP_WAITS(omp_unset_lock)
GOMP_WAITS(omp_unset_lock_)
GOMP_WAITS(omp_set_nest_lock)
GOMP_WAITS(omp_set_nest_lock_)
GOMP_WAITS(omp_unset_nest_lock)
GOMP_WAITS(omp_unset_nest_lock_)

/* Tasks run while their thread waits elsewhere, in whichever thread that is. The run-time library copies what a task needs
 * and calls it with the copy; it is given a function of ours instead, and before the task's own data a head that tells what to
 * call. The library writes to the first words of the data (the range of a part of a taskloop, the event of a detached task) and
 * reads the third (reductions of a taskloop): the head begins with these. */
enum { KNOWN_WORDS = 3, RANGE_WORDS = 2, EVENT_WORDS = 1, TASK_DETACH = 1 << 13 };
struct task_head {
  long words[KNOWN_WORDS];
  void (*run)(void*);
  void (*copy)(void*, void*);
  void* data;                 /* of the one who makes the task */
  long offset;                /* from the head to the task's own data */
  int region, written;        /* words that the library writes */
};
static void copy_task(void* to, void* from) {
  const struct task_head* given = from;
  memcpy(to, given, sizeof *given);
  given->copy((char*)to + given->offset, given->data);
}
static void run_task(void* given) {
  const struct task_head* head = given;
  void* data = (char*)given + head->offset;
  memcpy(data, head->words, (size_t)head->written * sizeof(long));
  int region = own.region, was_running = own.running;
  end_segment();
  own.region = head->region, own.teams++;
  begin_segment();
  head->run(data);
  end_segment();
  own.region = region, own.teams--;
  if (was_running) begin_segment();
}
/* Where its data lies behind a head, with its alignment. */
static long offset_of(long* align) {
  if (*align < (long)_Alignof(struct task_head)) *align = (long)_Alignof(struct task_head);
  return ((long)sizeof(struct task_head) + *align - 1) / *align * *align;
}
/* `room` holds offset + size + align bytes. */
static struct task_head* head_in(char* room, void (*run)(void*), void* data, void (*copy)(void*, void*), long size, long align, int written) {
  struct task_head* head = (struct task_head*)(((uintptr_t)room + (uintptr_t)align - 1) / (uintptr_t)align * (uintptr_t)align);
  *head = (struct task_head){{0}, run, copy, data, offset_of(&align), own.region, written};
  const long known = size < (long)sizeof head->words ? size : (long)sizeof head->words;
  if (data && known > 0) memcpy(head->words, data, (size_t)known);
  if (data && size > 0 && !copy) memcpy((char*)head + head->offset, data, (size_t)size);
  return head;
}

typedef void (*task_call)(void (*)(void*), void*, void (*)(void*, void*), long, long, int, unsigned, void**, int, void*);
void GOMP_task(void (*run)(void*), void* data, void (*copy)(void*, void*), long size, long align, _Bool deferred, unsigned flags, void** depend,
               int priority, void* event) {
  static task_call next;
  if (!next) next = (task_call)next_of("GOMP_task");
  if (by_ompt || !active) {
    next(run, data, copy, size, align, deferred, flags, depend, priority, event);
    return;
  }
  const long offset = offset_of(&align);
  char room[offset + size + align];
  struct task_head* head = head_in(room, run, data, copy, size, align, flags & TASK_DETACH ? EVENT_WORDS : 0);
  next(run_task, head, copy ? copy_task : 0, offset + size, align, deferred, flags, depend, priority, event);
}

/* Waits for its tasks, as a rule. */
typedef void (*taskloop_call)(void (*)(void*), void*, void (*)(void*, void*), long, long, unsigned, unsigned long, int, long, long, long);
static void run_taskloop(taskloop_call next, void (*run)(void*), void* data, void (*copy)(void*, void*), long size, long align, unsigned flags,
                         unsigned long tasks, int priority, long from, long to, long step) {
  if (by_ompt || !active) {
    next(run, data, copy, size, align, flags, tasks, priority, from, to, step);
    return;
  }
  const long offset = offset_of(&align);
  char room[offset + size + align];
  struct task_head* head = head_in(room, run, data, copy, size, align, RANGE_WORDS);
  end_segment();
  next(run_task, head, copy ? copy_task : 0, offset + size, align, flags, tasks, priority, from, to, step);
  begin_segment();
}
#define GOMP_TASKLOOP(symbol)                                                                                                     \
  void symbol(void (*run)(void*), void* data, void (*copy)(void*, void*), long size, long align, unsigned flags, unsigned long n, \
              int priority, long from, long to, long step) {                                                                      \
    static taskloop_call next;                                                                                                    \
    if (!next) next = (taskloop_call)next_of(#symbol);                                                                            \
    run_taskloop(next, run, data, copy, size, align, flags, n, priority, from, to, step);                                         \
  }
GOMP_TASKLOOP(GOMP_taskloop)
GOMP_TASKLOOP(GOMP_taskloop_ull)
