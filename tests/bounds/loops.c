/* Loops whose first cause is known: tests/bounds/advice.py compares what perfcast bounds says of each. Argument: how often
   they run, 40 for a run of some tenths of a second. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define LOOP __attribute__((noinline))

enum { small = 1000, large = 1 << 21, side = 120 };
static double a[small + 64], b[small + 64], c[small + 64];
static int ints[small + 64], halves[small + 64], order[1 << 18], coins[1 << 14];
static float singles[small + 64];

LOOP void daxpy(int n, double s, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) y[i] += s * x[i];
}
LOOP double dot(int n, const double *x, const double *y) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * y[i];
  return s;
}
LOOP float single_sum(int n, const float *x) {
  float s = 0;
  for (int i = 0; i < n; i++) s += x[i];
  return s;
}
LOOP double some_sum(int n, const double *x) {
  double s = 0;
  for (int i = 0; i < n; i++)
    if (x[i] > 0.5) s += x[i];
  return s;
}
LOOP int integer_sum(int n, const int *x) {
  int s = 0;
  for (int i = 0; i < n; i++) s += x[i];
  return s;
}
LOOP double largest(int n, const double *x) {
  double m = x[0];
  for (int i = 1; i < n; i++) m = x[i] > m ? x[i] : m;
  return m;
}
LOOP void prefix(int n, double *x) {
  for (int i = 1; i < n; i++) x[i] = 0.5 * x[i - 1] + x[i];
}
LOOP void stencil(int n, const double *restrict x, double *restrict y) {
  for (int i = 1; i < n - 1; i++) y[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1];
}
LOOP void product_ijk(const double *restrict x, const double *restrict y, double *restrict z) {
  for (int i = 0; i < side; i++)
    for (int j = 0; j < side; j++) {
      double s = 0;
      for (int k = 0; k < side; k++) s += x[i * side + k] * y[k * side + j];
      z[i * side + j] = s;
    }
}
LOOP void product_ikj(const double *restrict x, const double *restrict y, double *restrict z) {
  for (int i = 0; i < side; i++)
    for (int k = 0; k < side; k++)
      for (int j = 0; j < side; j++) z[i * side + j] += x[i * side + k] * y[k * side + j];
}
LOOP long gather(int n, const long *restrict table, const int *restrict at) {
  long s = 0;
  for (int i = 0; i < n; i++) s += table[at[i]];
  return s;
}
LOOP long columns(int rows, int length, const long *x) {
  long s = 0;
  for (int j = 0; j < length; j++)
    for (int i = 0; i < rows; i++) s += x[(long)i * length + j];
  return s;
}
struct cell { struct cell *next; long value[7]; };
LOOP long list(const struct cell *p) {
  long s = 0;
  for (; p; p = p->next) s += p->value[0];
  return s;
}
static int kept[1 << 14];
LOOP int filter(int n, const int *restrict x, int *restrict y) {
  int k = 0;
  for (int i = 0; i < n; i++)
    if (x[i] > 500) {
      y[k++] = x[i];
      if (k == n) break;
    }
  return k;
}
struct particle { double x, y, z, vx, vy, vz, mass, charge; };
LOOP void move_structs(int n, struct particle *p, double dt) {
  for (int i = 0; i < n; i++) p[i].x += dt * p[i].vx;
}
LOOP double all_members(int n, const struct particle *p) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += p[i].x * p[i].vx + p[i].y * p[i].vy + p[i].z * p[i].vz + p[i].mass * p[i].charge;
  return sum;
}
LOOP void move_arrays(int n, double *restrict x, const double *restrict vx, double dt) {
  for (int i = 0; i < n; i++) x[i] += dt * vx[i];
}
LOOP double bent(double x) { return x > 1 ? 1 / x : x * x; }
LOOP void with_call(int n, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) y[i] = bent(x[i]);
}
LOOP void may_overlap(int *x, const int *y, const int *n) {
  for (int i = 0; i < *n; i++) x[i] = y[i] / 2 + 5;
}
LOOP void overlaps(int *x, const int *y, int n) {
  for (int i = 0; i < n; i++) x[i] = y[i] / 2 + 5;
}
LOOP void into_memory(int n, double *total, const double *x) {
  for (int i = 0; i < n; i++) *total += x[i];
}
LOOP void divide(int n, double *restrict x, const double *restrict y) {
  for (int i = 0; i < n; i++) x[i] = 1.5 / y[i];
}
LOOP unsigned spilled(int n, const unsigned *x) {
  unsigned s[24];
  for (int k = 0; k < 24; k++) s[k] = x[k];
  for (int i = 0; i < n; i++) {
    unsigned v = x[i & 15] + (unsigned)i;
#define STEP(k) s[k] = (s[k] << 5 | s[k] >> 27) ^ (v + s[(k + 7) % 24]);
    STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7) STEP(8) STEP(9) STEP(10) STEP(11)
    STEP(12) STEP(13) STEP(14) STEP(15) STEP(16) STEP(17) STEP(18) STEP(19) STEP(20) STEP(21) STEP(22) STEP(23)
  }
  unsigned all = 0;
  for (int k = 0; k < 24; k++) all += s[k];
  return all;
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 40;
  double out = 0;
  for (int i = 0; i < small + 64; i++) a[i] = i % 7 * 0.2, b[i] = i % 5 + 1, c[i] = 1, ints[i] = i % 9, singles[i] = i % 3;
  for (int r = 0; r < 10 * rounds; r++) {
    daxpy(small, 1e-9, b, c), out += dot(small - r % 2, a, b) + integer_sum(small - r % 2, ints) + largest(small - r % 2, a) + single_sum(small - r % 2, singles) + some_sum(small - r % 2, a), a[r % small] += 1e-9;
    prefix(small, c), stencil(small, b, c), with_call(small, a, c), divide(small, c, b);
    int n = small;
    may_overlap(halves, ints, &n), overlaps(ints + 1, ints, n), into_memory(small, &out, a), out += spilled(small / 4, (const unsigned *)ints);
  }
  if (argc > 2) return !(out < 1e300); /* the small ones only */
  double *x = calloc(side * side, 8), *y = calloc(side * side, 8), *z = calloc(side * side, 8);
  for (int r = 0; r < (rounds + 3) / 4; r++) product_ijk(x, y, z), product_ikj(x, y, z);
  /* Beyond the caches. */
  unsigned state = 12345;
#define RANDOM (state = state * 1664525u + 1013904223u, state >> 8)
  long *table = malloc((large + 8) * sizeof *table);
  for (int i = 0; i < large; i++) table[i] = i;
  for (int i = 0; i < 1 << 18; i++) order[i] = (int)(RANDOM % large);
  for (int i = 0; i < 1 << 14; i++) coins[i] = (int)(RANDOM % 1000);
  for (int r = 0; r < rounds; r++) out += (double)gather(1 << 18, table + r % 8, order);
  for (int r = 0; r < (rounds + 5) / 6; r++) out += (double)columns(1400 - r % 6, 1401, table);
  struct cell *cells = malloc((1 << 17) * sizeof *cells);
  int *next = malloc((1 << 17) * sizeof *next);
  for (int i = 0; i < 1 << 17; i++) next[i] = i;
  for (int i = (1 << 17) - 1; i > 0; i--) {
    int k = (int)(RANDOM % (unsigned)i), t = next[i];
    next[i] = next[k], next[k] = t;
  }
  for (int i = 0; i < 1 << 17; i++) cells[i].next = i ? &cells[next[i]] : 0, cells[i].value[0] = i;
  for (int i = 0; i + 1 < 1 << 17; i++) cells[next[i]].next = &cells[next[i + 1]];
  cells[next[(1 << 17) - 1]].next = 0;
  for (int r = 0; r < (rounds + 4) / 5; r++) out += (double)list(&cells[next[r % 8]]);
  for (int r = 0; r < 10 * rounds; r++) out += filter(1 << 14, coins, kept);
  struct particle *p = malloc((1 << 18) * sizeof *p);
  double *px = malloc((1 << 18) * 8), *pv = malloc((1 << 18) * 8);
  for (int i = 0; i < 1 << 18; i++) p[i].x = p[i].vx = px[i] = pv[i] = i % 3; /* pages are touched here */
  for (int r = 0; r < rounds; r++) move_structs(1 << 18, p, 0.1), move_arrays(1 << 18, px, pv, 0.1), out += all_members(1 << 18, p);
  printf("%g\n", out + z[5] + p[7].x + px[9]);
  return 0;
}
