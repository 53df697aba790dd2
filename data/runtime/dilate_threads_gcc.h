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

/* Tasks run while their thread waits elsewhere: they are not stretched, and the file says so. */
#define GOMP_TASKS(symbol)                                          \
  long symbol(WORDS) {                                              \
    static any_call next;                                           \
    if (!next) next = (any_call)next_of(#symbol);                   \
    if (!by_ompt) tasks_unseen = 1;                                 \
    return next(THE_WORDS);                                         \
  }
GOMP_TASKS(GOMP_task)
GOMP_TASKS(GOMP_taskloop)
GOMP_TASKS(GOMP_taskloop_ull)
