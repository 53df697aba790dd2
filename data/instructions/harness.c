/* Runs the generated benchmark functions in many short slices and prints what each iteration costs in cycles.
 *
 * A slice is bracketed by a chain of register operations that takes one cycle per step: it gives the clock of that
 * moment, and a slice whose two brackets disagree is dropped. A canary of independent operations runs beside it: when
 * another thread shares the core, chains keep their speed but throughput falls, so slices beside a slow canary are
 * dropped too. Wide vector units are throttled for a while when they start to work, to spare the power supply: a
 * vector benchmark has a guard, a chain on vectors that must take a whole number of cycles per step. Rounds go over
 * all benchmarks, so that a disturbance hits many of them a little and none of them whole.
 *
 *   harness SECONDS SLICE_US MINIMUM_SLICES CORE...
 *
 * prints `clock GHZ AGREEMENT...`, `canary BEST`, then per benchmark
 *   NAME KEPT TAKEN VALUE SPREAD                     (cycles per iteration)
 *   NAME signal NUMBER                               (the processor refused it)                                    */
#define _GNU_SOURCE
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

struct benchmark {
  const char *name;
  void (*run)(long iterations, char *buffer);
  long least;   /* iterations */
  long guard;   /* its number in the table, or -1 */
};
extern struct benchmark perfcast_benchmarks[];

enum { buffer_bytes = 128 << 10, most_slices = 256, chain_steps = 96, clock_samples = 4096,
       settling = 40 /* slices after wide vectors until the clock is that of other code again: about 2 ms */ };
static const double clock_tolerance = 0.004, canary_tolerance = 0.02, guard_tolerance = 0.012, cluster_width = 0.01;

struct state {
  long iterations;
  int broken, kept, taken, settled;
  double nominal; /* of a guard: cycles per step */
  float values[most_slices];
};
static char *buffer;
static sigjmp_buf escape;
static double overhead;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}
/* Nanoseconds of one step of the system's clock: 1 or less on x86-64, up to 42 on AArch64, whose counter says it. */
static double clock_step(void) {
#if defined(__aarch64__)
  uint64_t frequency;
  __asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
  if (frequency) return fmax(1, 1e9 / (double)frequency);
#endif
  return 1;
}
/* While upper halves of vector registers hold something, instructions of the older kind wait for their result register on
 * some cores; whoever left something there, it is not what is measured. */
static void run(struct benchmark *b, long iterations) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx")) __asm__ volatile("vzeroupper");
#endif
  b->run(iterations, buffer);
}
static double timed(struct benchmark *b, long iterations) {
  double start = now();
  run(b, iterations);
  return now() - start - overhead;
}
static void refused(int number) { siglongjmp(escape, number); }

static uint64_t random_state = 88172645463325252ull;
static uint64_t random_bits(void) {
  random_state ^= random_state << 13, random_state ^= random_state >> 7, random_state ^= random_state << 17;
  return random_state;
}

/* The layout that the head of the tables describes. */
static void fill_buffer(void) {
  memset(buffer, 0, buffer_bytes);
  void **ring = (void **)(buffer + 16384);
  int order[256];
  for (int i = 0; i < 256; i++) order[i] = i;
  for (int i = 255; i > 1; i--) {
    int j = 1 + (int)(random_bits() % (unsigned)i), swap = order[i];
    order[i] = order[j], order[j] = swap;
  }
  for (int i = 0; i < 256; i++) ring[order[i]] = &ring[order[(i + 1) % 256]];
  double *d = (double *)(buffer + 24576);
  float *s = (float *)(buffer + 28672);
  for (int i = 0; i < 128; i++) d[i] = 1 + (random_bits() >> 11) * 0x1p-53;
  for (int i = 0; i < 256; i++) s[i] = 1 + (random_bits() >> 41) * 0x1p-23f;
  for (int i = 128; i < 136; i++) d[i] = 0.001, d[i + 8] = 1;
  for (int i = 256; i < 272; i++) s[i] = 0.001f, s[i + 16] = 1;
  for (int i = 0; i < 16; i++) ((int32_t *)(buffer + 32768))[i] = i;
  for (int i = 65536; i < buffer_bytes; i++) buffer[i] = (char)(random_bits() >> 40 & 1);
}

static int compare(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* Iterations that fill a slice; 0 with the signal in `broken` when the function cannot run here. */
static void calibrate(struct benchmark *b, struct state *s, double slice_ns) {
  int number = sigsetjmp(escape, 1);
  if (number) {
    s->broken = number;
    return;
  }
  long n = b->least ? b->least : 1;
  for (;;) {
    timed(b, n);
    double t = timed(b, n);
    if (b->least || t > slice_ns / 8 || n > 1000000) {
      if (!b->least) n = (long)fmax(1, n * slice_ns / fmax(t, 100));
      break;
    }
    n *= 4;
  }
  s->iterations = n;
}

static void use_core(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);
}

/* The lowest percent-wide range of sorted values that holds `need` of them: its beginning, and in *end what is behind it;
 * -1 when there is none. */
static int lowest_range(const float *v, int n, int need, int *end) {
  for (int i = 0; i + need <= n; i++) {
    if (v[i + need - 1] > v[i] * (1 + cluster_width)) continue;
    for (*end = i + need; *end < n && v[*end] <= v[i] * (1 + cluster_width);) ++*end;
    return i;
  }
  return -1;
}

/* What the slices say: a disturbance only adds, but a change of the clock inside a slice can also take away, so the
 * smallest value is not trusted alone. The answer is the middle of the lowest cluster: the lowest percent-wide range
 * that holds a sixth of the slices, and three at least. Sorts the values; 0 when there is no such cluster. */
static int cluster(struct state *s, double *value, double *spread) {
  float *v = s->values;
  qsort(v, s->kept, sizeof(float), compare);
  int end, i = lowest_range(v, s->kept, s->kept / 6 > 3 ? s->kept / 6 : 3, &end);
  if (i >= 0) {
    *value = v[i + (end - i) / 2];
    *spread = (v[i + (end - i) * 3 / 4] - v[i + (end - i) / 4]) / 2;
    return end - i;
  }
  *value = s->kept ? v[s->kept / 2] : 0;
  *spread = s->kept > 1 ? (v[s->kept - 1] - v[0]) / 2 : *value;
  return 0;
}
static int has_settled(struct state *s, int least) {
  double value, spread;
  return s->kept >= least && cluster(s, &value, &spread) * 3 >= least && spread <= 0.002 * value;
}

/* The densest percent-wide range of the values; the lower of two that are equally dense. Sorts them. */
static double mode(float *v, int n) {
  qsort(v, n, sizeof(float), compare);
  int best = 0, at = 0;
  for (int i = 0, end = 0; i < n; i++) {
    while (end < n && v[end] <= v[i] * (1 + cluster_width)) end++;
    if (end - i > best) best = end - i, at = i;
  }
  return n ? v[at + best / 2] : 0;
}

/* The undisturbed canary. Sharing the core makes it slower and nothing makes it faster, but for a change of the clock: the
 * lowest percent-wide range that holds a twelfth of what was seen while the clock was steady, all through the run. */
enum { canaries = 4096, canary_share = 12 };
static float canary_seen[canaries];
static long canary_count;
static void note_canary(double cycles) {
  long place = canary_count < canaries ? canary_count : (long)(random_bits() % (uint64_t)(canary_count + 1));
  if (place < canaries) canary_seen[place] = (float)cycles;
  canary_count++;
}
static double undisturbed_canary(void) {
  int n = canary_count < canaries ? (int)canary_count : canaries, end;
  qsort(canary_seen, n, sizeof(float), compare);
  int i = lowest_range(canary_seen, n, n / canary_share + 1, &end);
  return i >= 0 ? canary_seen[i + (end - i) / 2] : n ? canary_seen[n / 4] : 0;
}

/* Cycles per step of a guard's chain: a whole number, found in slices of its own. */
static void find_nominal(struct benchmark *clock, struct benchmark *guard, struct state *states, struct state *s) {
  if (s->broken || s->nominal) return;
  float v[200];
  for (int i = 0; i < 200; i++) {
    run(guard, s->iterations);
    double cycle = timed(clock, states[0].iterations) / (states[0].iterations * chain_steps);
    v[i] = (float)(timed(guard, s->iterations) / (s->iterations * chain_steps) / cycle);
  }
  s->nominal = fmax(1, floor(mode(v, 200) + 0.5));
}

static int guard_holds(long guard, struct state *states, double cycle) {
  if (guard < 0) return 1;
  long n = states[guard].iterations / 2 + 1;
  double steps = timed(&perfcast_benchmarks[guard], n) / (n * chain_steps) / cycle;
  return fabs(steps / states[guard].nominal - 1) <= guard_tolerance;
}
/* Code into the caches, wide units powered up until the guard holds. Not always for the same time, as ports settle
 * into one pattern or another. */
static int warm_up(struct benchmark *b, struct state *s, long guard, struct state *states, double cycle) {
  for (int i = 0; i < 8; i++) {
    run(b, s->iterations / 4 + (long)(random_bits() % (uint64_t)(s->iterations / 4 + 3)) + 1);
    if (guard_holds(guard, states, cycle)) {
      if (guard >= 0) run(b, s->iterations / 8 + 1);
      return 1;
    }
  }
  return 0;
}

/* Where another program has the core most of the time, it may take twice as long. */
static int is_late(double start, double seconds, long kept, long taken) {
  return now() - start > seconds * 1e9 * (3 * kept < taken ? 2 : 1);
}

int main(int argc, char **argv) {
  double seconds = argc > 1 ? atof(argv[1]) : 5, slice_ns = (argc > 2 ? atof(argv[2]) : 12) * 1e3;
  int least = argc > 3 ? atoi(argv[3]) : 5, cores = argc > 4 ? argc - 4 : 0;
  /* Two brackets may each be wrong by a step, and must still agree within half of what is allowed. */
  slice_ns = fmax(slice_ns, 2 * 2 * clock_step() / (0.7 * clock_tolerance));
  double start = now();
  buffer = mmap(0, buffer_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (buffer == MAP_FAILED) return 3;
  fill_buffer();
  if (cores) use_core(atoi(argv[4]));
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = refused;
  int fatal[] = {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP};
  for (unsigned i = 0; i < sizeof fatal / sizeof *fatal; i++) sigaction(fatal[i], &action, 0);

  overhead = 1e9;
  for (int i = 0; i < 1000; i++) {
    double a = now(), b = now();
    if (b - a < overhead) overhead = b - a;
  }

  int count = 0, clocks = 0;
  while (perfcast_benchmarks[count].name) count++;
  while (clocks < count && !strncmp(perfcast_benchmarks[clocks].name, "clock/", 6)) clocks++;
  struct state *states = calloc((size_t)count, sizeof *states);
  for (int i = 0; i < count; i++) calibrate(&perfcast_benchmarks[i], &states[i], i < clocks ? slice_ns * 0.7 : slice_ns);
  if (!clocks || states[0].broken || clocks >= count || states[clocks].broken) return 4;
  struct benchmark *clock = &perfcast_benchmarks[0], *canary = &perfcast_benchmarks[clocks];
  long steps = states[0].iterations * chain_steps, canary_steps = states[clocks].iterations / 3 + 1;

  for (int i = 0; i < count; i++) {
    long guard = perfcast_benchmarks[i].guard;
    if (guard >= 0) find_nominal(clock, &perfcast_benchmarks[guard], states, &states[guard]);
  }
  for (int core = 0; core < (cores ? cores : 1); core++) {
    if (cores) use_core(atoi(argv[4 + core]));
    for (int i = 0; i < canaries / (cores ? cores : 1); i++) {
      double before = timed(clock, states[0].iterations) / steps, t = timed(canary, canary_steps) / canary_steps;
      double after = timed(clock, states[0].iterations) / steps;
      if (fabs(before - after) < clock_tolerance * before) note_canary(t / before);
    }
  }

  static float rates[clock_samples];
  int rate_count = 0, waiting = count, round = 0, since_vectors = 0;
  long taken = 0, kept = 0;
  for (; waiting && !is_late(start, seconds, kept, taken); round++) {
    if (cores) use_core(atoi(argv[4 + round % cores]));
    waiting = 0;
    double undisturbed = undisturbed_canary();
    double before = timed(clock, states[0].iterations) / steps;
    for (int i = 0; i < count; i++) {
      struct state *s = &states[i];
      if (s->broken || s->settled || s->kept == most_slices) continue;
      waiting++;
      long guard = perfcast_benchmarks[i].guard;
      since_vectors = guard < 0 ? since_vectors + 1 : 0;
      double beside = timed(canary, canary_steps) / canary_steps;
      int steady = warm_up(&perfcast_benchmarks[i], s, guard, states, before);
      double t = timed(&perfcast_benchmarks[i], s->iterations) / s->iterations;
      steady = steady && guard_holds(guard, states, before);
      double after = timed(clock, states[0].iterations) / steps, cycle = (before + after) / 2;
      steady = steady && fabs(before - after) <= clock_tolerance * cycle;
      beside /= cycle;
      s->taken++, taken++;
      if (steady) note_canary(beside);
      if (steady && fabs(beside / undisturbed - 1) <= canary_tolerance) {
        s->values[s->kept++] = (float)(t / cycle), kept++;
        if (since_vectors > settling || !rate_count) rates[rate_count++ % clock_samples] = (float)(1 / cycle);
        if (s->kept % 4 == 0) s->settled = has_settled(s, least);
      }
      before = after;
      if ((i & 63) == 0 && is_late(start, seconds, kept, taken)) break;
    }
  }

  if (rate_count > clock_samples) rate_count = clock_samples;
  if (!rate_count) return 5;
  qsort(rates, rate_count, sizeof(float), compare);
  printf("clock %.4f %.4f %.4f\n", rates[rate_count / 2], rates[rate_count / 20], rates[rate_count * 19 / 20]);
  printf("canary %.4f rounds %d\n", undisturbed_canary(), round);
  for (int i = 0; i < count; i++) {
    struct state *s = &states[i];
    double value, spread;
    if (s->broken) {
      printf("%s signal %d\n", perfcast_benchmarks[i].name, s->broken);
    } else {
      cluster(s, &value, &spread);
      printf("%s %d %d %.5g %.3g\n", perfcast_benchmarks[i].name, s->kept, s->taken, value, spread);
    }
  }
  return 0;
}
