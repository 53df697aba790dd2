// Kernels whose size is their argument N (and M), for study.py: what an equation found at a small size says of a large one. One is built
// at a time, -DKERNEL=name. They are there to be fitted to; programs that judge perfcast lie in validation/.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long seed = 0x2545F4914F6CDD1Dul;
static unsigned long draw(unsigned long below) {
  seed ^= seed >> 12, seed ^= seed << 25, seed ^= seed >> 27;
  return (seed * 0x9E3779B97F4A7C15ul >> 11) % below;
}
static void *take(long count, long size) {
  void *p = malloc((size_t)(count * size));
  if (!p) exit(4);
  return p;
}
static double *doubles(long n) {
  double *a = take(n, 8);
  for (long i = 0; i < n; i++) a[i] = 0.5 + (double)(i & 255) / 1000.0;
  return a;
}
static int *permutation(long n) {
  int *p = take(n, 4);
  for (long i = 0; i < n; i++) p[i] = (int)i;
  for (long i = n - 1; i > 0; i--) {
    long j = (long)draw((unsigned long)i + 1);
    int t = p[i];
    p[i] = p[j], p[j] = t;
  }
  return p;
}

// N elements
static double triad(long n) {
  double *a = doubles(n), *b = doubles(n), *c = doubles(n);
  for (int pass = 0; pass < 20; pass++)
    for (long i = 0; i < n; i++) a[i] = b[i] + 0.3 * c[i];
  return a[n / 2];
}
static double reduction(long n) {
  double *a = doubles(n), s = 0, most = 0;
  for (int pass = 0; pass < 10; pass++)
    for (long i = 0; i < n; i++) {
      s += a[i] * a[i];
      if (a[i] > most) most = a[i];
    }
  return s + most;
}
static double prefix(long n) {
  long *a = take(n, 8);
  for (long i = 0; i < n; i++) a[i] = i & 7;
  for (int pass = 0; pass < 12; pass++)
    for (long i = 1; i < n; i++) a[i] = (a[i] + a[i - 1]) & 0xffff;
  return (double)a[n - 1];
}
static double gather(long n) {
  double *a = doubles(n), s = 0;
  int *p = permutation(n);
  for (int pass = 0; pass < 8; pass++)
    for (long i = 0; i < n; i++) s += a[p[i]];
  return s;
}
static double list(long n) {
  struct node { struct node *next; long value[5]; } *all = take(n, sizeof *all), *at;
  int *p = permutation(n);
  for (long i = 0; i < n; i++) all[p[i]].next = &all[p[(i + 1) % n]], all[p[i]].value[2] = i;
  long s = 0;
  at = all;
  for (long k = 0; k < 8 * n; k++) s += at->value[2], at = at->next;
  return (double)s;
}
static double hash(long n) {
  long room = 1;
  while (room < 2 * n) room *= 2;
  unsigned long *table = take(room, 8), found = 0;
  memset(table, 0, (size_t)room * 8);
  for (long k = 1; k <= n; k++) {
    unsigned long key = (unsigned long)k * 7919, at = key * 0x9E3779B97F4A7C15ul >> 20 & (unsigned long)(room - 1);
    while (table[at]) at = (at + 1) & (unsigned long)(room - 1);
    table[at] = key;
  }
  for (long k = 1; k <= 4 * n; k++) {
    unsigned long key = draw((unsigned long)n) * 7919, at = key * 0x9E3779B97F4A7C15ul >> 20 & (unsigned long)(room - 1);
    while (table[at] && table[at] != key) at = (at + 1) & (unsigned long)(room - 1);
    found += table[at] == key;
  }
  return (double)found;
}
static void sift(double *a, long at, long n) {
  double moved = a[at];
  for (long child; (child = 2 * at + 1) < n; at = child) {
    if (child + 1 < n && a[child + 1] > a[child]) child++;
    if (a[child] <= moved) break;
    a[at] = a[child];
  }
  a[at] = moved;
}
static double heapsort_(long n) {
  double *a = take(n, 8);
  for (long i = 0; i < n; i++) a[i] = (double)draw(1000000);
  for (long i = n / 2; i-- > 0;) sift(a, i, n);
  for (long i = n; --i > 0;) {
    double t = a[0];
    a[0] = a[i], a[i] = t;
    sift(a, 0, i);
  }
  return a[n / 2];
}
static double search(long n) {
  long *a = take(n, 8), s = 0;
  for (long i = 0; i < n; i++) a[i] = 3 * i;
  for (long k = 0; k < 2 * n; k++) {
    long wanted = (long)draw((unsigned long)(3 * n)), low = 0, high = n;
    while (low < high) {
      long middle = (low + high) / 2;
      if (a[middle] < wanted) low = middle + 1;
      else high = middle;
    }
    s += low;
  }
  return (double)s;
}
static double counting(long n) {  // histogram over N / 4 bins
  int *bins = take(n / 4 + 1, 4), *keys = take(n, 4);
  for (long i = 0; i < n; i++) keys[i] = (int)draw((unsigned long)(n / 4 + 1));
  memset(bins, 0, (size_t)(n / 4 + 1) * 4);
  for (int pass = 0; pass < 4; pass++)
    for (long i = 0; i < n; i++) bins[keys[i]]++;
  return bins[n / 8];
}
static double sparse(long n) {  // 5 entries a row, half of them near
  int *column = take(5 * n, 4);
  double *value = doubles(5 * n), *x = doubles(n), *y = doubles(n);
  for (long i = 0; i < n; i++)
    for (int k = 0; k < 5; k++) column[5 * i + k] = k < 3 ? (int)((i + k) % n) : (int)draw((unsigned long)n);
  for (int pass = 0; pass < 6; pass++) {
    for (long i = 0; i < n; i++) {
      double s = 0;
      for (int k = 0; k < 5; k++) s += value[5 * i + k] * x[column[5 * i + k]];
      y[i] = s;
    }
    double *t = x;
    x = y, y = t;
  }
  return x[n / 2];
}

// N elements, M times; N x M elements
static long m = 20;
static double passes(long n) {
  double *a = doubles(n), *b = doubles(n);
  for (long pass = 0; pass < m; pass++)
    for (long i = 0; i < n; i++) a[i] = 0.5 * (a[i] + b[i]);
  return a[n / 2];
}
static double rectangle(long n) {
  double *a = doubles(n * m), *x = doubles(m), s = 0;
  for (int pass = 0; pass < 6; pass++)
    for (long i = 0; i < n; i++)
      for (long j = 0; j < m; j++) s += a[i * m + j] * x[j];
  return s;
}

// N x N elements
static double columns(long n) {  // down the columns of rows
  double *a = doubles(n * n), s = 0;
  for (int pass = 0; pass < 3; pass++)
    for (long j = 0; j < n; j++)
      for (long i = 0; i < n; i++) s += a[i * n + j];
  return s;
}
static double transpose(long n) {
  double *a = doubles(n * n), *b = doubles(n * n);
  for (int pass = 0; pass < 3; pass++)
    for (long i = 0; i < n; i++)
      for (long j = 0; j < n; j++) b[j * n + i] = a[i * n + j];
  return b[n];
}
static double stencil(long n) {
  double *a = doubles(n * n), *b = doubles(n * n);
  for (int pass = 0; pass < 6; pass++) {
    for (long i = 1; i < n - 1; i++)
      for (long j = 1; j < n - 1; j++) b[i * n + j] = 0.2 * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j]);
    double *t = a;
    a = b, b = t;
  }
  return a[n + 1];
}
static double triangular(long n) {  // many right-hand sides, one after the other
  double *l = doubles(n * n), *x = doubles(n);
  for (int pass = 0; pass < 6; pass++)
    for (long i = 0; i < n; i++) {
      double s = x[i];
      for (long j = 0; j < i; j++) s -= 0.001 * l[i * n + j] * x[j];
      x[i] = s;
    }
  return x[n - 1];
}
static double distance(long n) {  // edit distance, two rows
  int *one = take(n + 1, 4), *two = take(n + 1, 4);
  char *a = take(n, 1), *b = take(n, 1);
  for (long i = 0; i < n; i++) a[i] = (char)draw(4), b[i] = (char)draw(4), one[i] = (int)i;
  one[n] = (int)n;
  for (long i = 0; i < n; i++) {
    two[0] = (int)i + 1;
    for (long j = 0; j < n; j++) {
      int least = one[j] + (a[i] != b[j]);
      if (one[j + 1] + 1 < least) least = one[j + 1] + 1;
      if (two[j] + 1 < least) least = two[j] + 1;
      two[j + 1] = least;
    }
    int *t = one;
    one = two, two = t;
  }
  return one[n];
}
static double product(long n) {  // rows by rows
  double *a = doubles(n * n), *b = doubles(n * n), *c = doubles(n * n);
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
  return c[n];
}
static double blocked(long n) {  // the same by blocks of 32
  double *a = doubles(n * n), *b = doubles(n * n), *c = doubles(n * n);
  for (long ii = 0; ii < n; ii += 32)
    for (long kk = 0; kk < n; kk += 32)
      for (long jj = 0; jj < n; jj += 32)
        for (long i = ii; i < ii + 32 && i < n; i++)
          for (long k = kk; k < kk + 32 && k < n; k++)
            for (long j = jj; j < jj + 32 && j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
  return c[n];
}
static double cube(long n) {  // stencil in three dimensions
  double *a = doubles(n * n * n), *b = doubles(n * n * n);
  const long r = n, p = n * n;
  for (int pass = 0; pass < 4; pass++) {
    for (long i = 1; i < n - 1; i++)
      for (long j = 1; j < n - 1; j++)
        for (long k = 1; k < n - 1; k++) {
          const double *at = a + i * p + j * r + k;
          b[i * p + j * r + k] = 0.1 * (at[0] + at[1] + at[-1] + at[r] + at[-r] + at[p] + at[-p]);
        }
    double *t = a;
    a = b, b = t;
  }
  return a[p + r + 1];
}

int main(int argc, char **argv) {
  long n = argc > 1 ? atol(argv[1]) : 0;
  if (argc > 2) m = atol(argv[2]);
  if (n < 2 || m < 1) return 2;
  printf("%g\n", KERNEL(n));
  return 0;
}
