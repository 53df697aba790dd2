/* A throughput canary beside a clock chain: when another hardware thread shares the core, dependent additions keep their
 * speed and independent ones do not. canary_cycles() tells what one of eight independent additions takes, in steps of a
 * chain of dependent ones timed around it, so that a changing clock does not matter: about 8 microseconds.
 * Readings are kept, and canary_limit() tells above which of them the core was shared: a tenth above the usual best
 * (the lowest twentieth), since a single lowest one can be a glitch of the clock. */
#include <stdlib.h>
#include <time.h>

static double canary_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

#define CANARY_CHAIN x += y; __asm__ volatile("" : "+r"(x));
static double canary_chain_ns(void) {
  enum { rounds = 400, steps = 16 };
  unsigned long x = 1, y = 3;
  __asm__ volatile("" : "+r"(y));
  double start = canary_now_ns();
  for (int i = 0; i < rounds; i++) {
    CANARY_CHAIN CANARY_CHAIN CANARY_CHAIN CANARY_CHAIN CANARY_CHAIN CANARY_CHAIN CANARY_CHAIN CANARY_CHAIN
    CANARY_CHAIN CANARY_CHAIN CANARY_CHAIN CANARY_CHAIN CANARY_CHAIN CANARY_CHAIN CANARY_CHAIN CANARY_CHAIN
  }
  return (canary_now_ns() - start) / (rounds * steps);
}

#define CANARY_STREAM \
  a += y, b += y, c += y, d += y, e += y, f += y, g += y, h += y; \
  __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h));
static double canary_stream_ns(void) {
  enum { rounds = 1000, additions = 32 };
  unsigned long a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, y = 3;
  __asm__ volatile("" : "+r"(y));
  double start = canary_now_ns();
  for (int i = 0; i < rounds; i++) { CANARY_STREAM CANARY_STREAM CANARY_STREAM CANARY_STREAM }
  return (canary_now_ns() - start) / (rounds * additions);
}

enum { canary_readings = 1024 };
static float canary_seen[canary_readings];
static unsigned canary_count;

static double canary_cycles(void) {
  double before = canary_chain_ns(), stream = canary_stream_ns(), after = canary_chain_ns();
  double cycles = 2 * stream / (before + after);
  canary_seen[canary_count++ % canary_readings] = (float)cycles;
  return cycles;
}

static int canary_order(const void* a, const void* b) {
  float x = *(const float*)a, y = *(const float*)b;
  return (x > y) - (x < y);
}
static double canary_limit(void) {
  float sorted[canary_readings];
  unsigned n = canary_count < canary_readings ? canary_count : canary_readings;
  if (n == 0) return 1e9;
  for (unsigned i = 0; i < n; i++) sorted[i] = canary_seen[i];
  qsort(sorted, n, sizeof *sorted, canary_order);
  return 1.1 * sorted[n / 20];
}
