/* Runs the experiments of one characterized program and prints raw observations; perfcast makes statistics of them.
 *
 * Every experiment comes as a pair: the body written U times, and 2 U times, inside one counting loop. The difference
 * of the two is U executions of the body, free of the loop's own cost and of the clock's (Saavedra eq. 4.4, 4.5).
 * Usage: program ROUNDS SLICE_NS SECONDS [EXPERIMENT...]   (numbers of experiments; none: all)
 * The rounds go over all experiments again and again, so that a slow drift of the clock meets all of them alike.
 * Output, on standard error (experiments may print to standard output, which is thrown away):
 *   clock RESOLUTION_NS OVERHEAD_NS SD_NS
 *   canary CYCLES LIMIT                           of an independent addition, usually; above LIMIT the core was shared
 *   e NUMBER ITERATIONS short_ns:long_ns[*~] ...  per loop iteration; * marks an observation that was preempted, ~ one
 *                                                 during which another thread shared the core (canary.h)
 *   f NUMBER SIGNAL                               the experiment failed
 *   v NUMBER                                      it takes no time: the compiler removed it
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

#include "canary.h"

typedef void (*Body)(long);
struct Pair { Body once, twice; };
extern const struct Pair perfcast_experiments[];
extern const int perfcast_experiment_count;

enum { fewest_rounds = 6, most_rounds = 400 };
static const long most_iterations = 1L << 24; /* of a dozen statements: what is still too short does nothing */
struct Run {
  long iterations;
  int failed, vanished, rounds;
  float once[most_rounds], twice[most_rounds], canary[most_rounds];
  char preempted[most_rounds];
};

static sigjmp_buf escape;
static void on_trouble(int signal) { siglongjmp(escape, signal); }

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static double time_ns(Body body, long iterations) {
  double start = now_ns();
  body(iterations);
  return now_ns() - start;
}

static long preemptions(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

static void watch(int seconds) {
  struct itimerval timer = {{0, 0}, {seconds, 0}};
  setitimer(ITIMER_REAL, &timer, 0);
}

/* Resolution: the smallest step seen; overhead: what one reading takes. */
static double clock_overhead;
static void study_clock(void) {
  double resolution = 1e9, sum = 0, squares = 0;
  enum { groups = 200, readings = 50 };
  for (int g = 0; g < groups; g++) {
    double start = now_ns(), last = start, t = start;
    for (int i = 0; i < readings; i++) {
      t = now_ns();
      if (t > last && t - last < resolution) resolution = t - last;
      last = t;
    }
    double each = (t - start) / readings;
    sum += each, squares += each * each;
  }
  double mean = sum / groups, variance = squares / groups - mean * mean;
  clock_overhead = mean;
  fprintf(stderr, "clock %.6g %.6g %.6g\n", resolution, mean, variance > 0 ? __builtin_sqrt(variance) : 0.0);
}

/* How many iterations of the loop last at least slice_ns; 0 when none do. */
static long fit(Body body, double slice_ns) {
  long n = 1;
  body(1);
  for (;;) {
    double t = time_ns(body, n), again = time_ns(body, n);
    if (again < t) t = again;
    if (t >= slice_ns / 4) return (long)(slice_ns / t * (double)n) + 1;
    if (n > most_iterations) return 0;
    n *= t < slice_ns / 64 ? 8 : 2;
  }
}

static void observe(const struct Pair* pair, struct Run* run) {
  long before = preemptions();
  double canary = canary_cycles();
  double once = time_ns(pair->once, run->iterations), twice = time_ns(pair->twice, run->iterations);
  double after = canary_cycles();
  int r = run->rounds++;
  run->canary[r] = (float)(after > canary ? after : canary);
  run->once[r] = (float)((once - clock_overhead) / (double)run->iterations);
  run->twice[r] = (float)((twice - clock_overhead) / (double)run->iterations);
  run->preempted[r] = preemptions() != before;
}

static void print_run(int number, const struct Run* run, double limit) {
  if (run->failed) {
    fprintf(stderr, "f %d %d\n", number, run->failed);
    return;
  }
  if (run->vanished) {
    fprintf(stderr, "v %d\n", number);
    return;
  }
  fprintf(stderr, "e %d %ld", number, run->iterations);
  for (int r = 0; r < run->rounds; r++)
    fprintf(stderr, " %.7g:%.7g%s", run->once[r], run->twice[r], run->preempted[r] ? "*" : run->canary[r] > limit ? "~" : "");
  fprintf(stderr, "\n");
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  int rounds = atoi(argv[1]), count = perfcast_experiment_count;
  double slice_ns = atof(argv[2]), end_ns = now_ns() + 1e9 * atof(argv[3]);
  if (rounds > most_rounds) rounds = most_rounds;
  if (!freopen("/dev/null", "w", stdout)) return 3;
  struct Run* runs = calloc((size_t)count, sizeof *runs);
  char* chosen = calloc((size_t)count + 1, 1);
  if (!runs || !chosen) return 3;
  for (int i = 4; i < argc; i++)
    if (atoi(argv[i]) >= 0 && atoi(argv[i]) < count) chosen[atoi(argv[i])] = 1;
  if (argc == 4) memset(chosen, 1, (size_t)count);
  const int troubles[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGALRM};
  for (size_t i = 0; i < sizeof troubles / sizeof *troubles; i++) signal(troubles[i], on_trouble);
  study_clock();
  for (volatile int round = -1; round < rounds && (round < fewest_rounds || now_ns() < end_ns); round++)
    for (volatile int e = 0; e < count; e++) {
      if (!chosen[e] || runs[e].failed || runs[e].vanished) continue;
      int trouble = sigsetjmp(escape, 1);
      if (trouble) {
        runs[e].failed = trouble;
        watch(0);
        continue;
      }
      if (round < 0) {
        watch(3);
        runs[e].iterations = fit(perfcast_experiments[e].once, slice_ns);
        runs[e].vanished = runs[e].iterations == 0;
        perfcast_experiments[e].twice(1);
      } else {
        if (round == 0) watch(3);
        observe(&perfcast_experiments[e], &runs[e]);
      }
      watch(0);
    }
  double limit = canary_limit();
  fprintf(stderr, "canary %.4g %.4g\n", limit / 1.1, limit);
  for (int e = 0; e < count; e++)
    if (chosen[e]) print_run(e, &runs[e], limit);
  return 0;
}
