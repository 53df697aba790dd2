/* The one rate of the poc model: loops of ordinary floating-point work, their operations weighted as McMahon does
 * (Papaefstathiou table 1): add, subtract, multiply and compare 1, divide and square root 4, exponential, sine and
 * the like 8. Usage: program ROUNDS. Prints, per loop: r NAME FLOPS ns ns ns ... (flops and times of one pass), ~ before
 * a time that was taken while another thread shared the core (canary.h). */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "canary.h"

enum { n = 1000, side = 48 };
static double x[n + 16], y[n + 16], z[n + 16], a[side][side], b[side][side], c[side][side];
static double q = 0.5, r = 0.25, t = 0.125;
static volatile double sink; /* or loops whose only result goes there would vanish */

static void hydro(void) { for (int k = 0; k < n; k++) x[k] = q + y[k] * (r * z[k + 10] + t * z[k + 11]); }
static void dot(void) {
  double s = 0;
  for (int k = 0; k < n; k++) s += z[k] * x[k];
  sink = s;
}
static void tridiagonal(void) { for (int k = 1; k < n; k++) x[k] = z[k] * (y[k] - x[k - 1]); }
static void matrix(void) {
  for (int i = 0; i < side; i++)
    for (int k = 0; k < side; k++)
      for (int j = 0; j < side; j++) c[i][j] += a[i][k] * b[k][j];
}
static void stencil(void) { for (int k = 1; k < n - 1; k++) y[k] = 0.25 * (z[k - 1] + z[k + 1]) + 0.5 * z[k]; }
static void least(void) {
  double m = z[0];
  for (int k = 1; k < n; k++) if (z[k] < m) m = z[k];
  sink = m;
}
static void divisions(void) { for (int k = 0; k < n; k++) x[k] = y[k] / (z[k] + 1.0); }
static void distances(void) { for (int k = 0; k < n; k++) x[k] = sqrt(y[k] * y[k] + z[k] * z[k]); }
static void exponentials(void) { for (int k = 0; k < n; k++) x[k] = exp(-y[k]) * z[k]; }
static void waves(void) { for (int k = 0; k < n; k++) x[k] = sin(y[k]) + z[k]; }

static const struct { const char* name; void (*run)(void); double flops; } loops[] = {
    {"hydro", hydro, 5.0 * n},         {"dot", dot, 2.0 * n},
    {"tridiagonal", tridiagonal, 2.0 * (n - 1)}, {"matrix", matrix, 2.0 * side * side * side},
    {"stencil", stencil, 4.0 * (n - 2)}, {"least", least, 1.0 * (n - 1)},
    {"divisions", divisions, 5.0 * n}, {"distances", distances, 7.0 * n},
    {"exponentials", exponentials, 10.0 * n}, {"waves", waves, 9.0 * n}};
enum { loop_count = sizeof loops / sizeof *loops, most_rounds = 200 };

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static void fill(void) {
  for (int k = 0; k < n + 16; k++) x[k] = 0.1, y[k] = 0.3 + 0.5 * k / n, z[k] = 0.9 - 0.4 * k / n;
  for (int i = 0; i < side; i++)
    for (int j = 0; j < side; j++) a[i][j] = 1.0 / (1 + i + j), b[i][j] = 0.5, c[i][j] = 0;
}

int main(int argc, char** argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 20;
  static double times[loop_count][most_rounds], canary[loop_count][most_rounds];
  if (rounds > most_rounds) rounds = most_rounds;
  for (int round = 0; round < rounds; round++)
    for (int l = 0; l < loop_count; l++) {
      int passes = 20;
      fill();
      loops[l].run();
      double before = canary_cycles(), start = now_ns();
      for (int p = 0; p < passes; p++) loops[l].run();
      times[l][round] = (now_ns() - start) / passes;
      double after = canary_cycles();
      canary[l][round] = after > before ? after : before;
    }
  double limit = canary_limit();
  for (int l = 0; l < loop_count; l++) {
    printf("r %s %.17g", loops[l].name, loops[l].flops);
    for (int round = 0; round < rounds; round++) printf(" %s%.7g", canary[l][round] > limit ? "~" : "", times[l][round]);
    printf("\n");
  }
  return 0;
}
