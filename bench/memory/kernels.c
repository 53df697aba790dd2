// Memory-bound kernels, each swept from the first cache to memory by sweep.py. They are a hold-out: nothing is fitted on
// them (data/calibration is for that). One is built at a time, -DKERNEL=name; arguments: bytes of data, work in elements.
// The list at the end of a kernel's first line is its class.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long seed = 0x2545F4914F6CDD1Dul;
static unsigned long draw(unsigned long below) {
  seed ^= seed >> 12, seed ^= seed << 25, seed ^= seed >> 27;
  return (seed * 0x9E3779B97F4A7C15ul >> 11) % below;
}
static void *take(size_t bytes) {
  void *p = malloc(bytes);
  if (!p) exit(4);
  return p;
}
static double *doubles(long n) {
  double *a = take((size_t)n * sizeof *a);
  for (long i = 0; i < n; i++) a[i] = 0.5 + (double)(i % 977) / 1000.0;
  return a;
}
static int *permutation(long n) {
  int *p = take((size_t)n * sizeof *p);
  for (long i = 0; i < n; i++) p[i] = (int)i;
  for (long i = n - 1; i > 0; i--) {
    long j = (long)draw((unsigned long)i + 1);
    int t = p[i];
    p[i] = p[j], p[j] = t;
  }
  return p;
}
static long side(double elements) { return (long)sqrt(elements); }
#define PASSES(work, per_pass) for (long pass = 0, passes = (work) / (per_pass) + 1; pass < passes; pass++)

// ---- streams
static double sum_floats(long bytes, long work) {  // class: streams
  long n = bytes / 4;
  float *a = take((size_t)n * 4), s[4] = {0};
  for (long i = 0; i < n; i++) a[i] = (float)(i % 31);
  PASSES(work, n) for (long i = 0; i + 3 < n; i += 4) s[0] += a[i], s[1] += a[i + 1], s[2] += a[i + 2], s[3] += a[i + 3];
  return s[0] + s[1] + s[2] + s[3];
}
static double triple_product(long bytes, long work) {  // class: streams
  long n = bytes / 24;
  double *a = doubles(n), *b = doubles(n), *c = doubles(n), s = 0, t = 0;
  PASSES(work, n) for (long i = 0; i + 1 < n; i += 2) s += a[i] * b[i] * c[i], t += a[i + 1] * b[i + 1] * c[i + 1];
  return s + t;
}
static double mask_words(long bytes, long work) {  // class: streams
  long n = bytes / 8;
  unsigned *a = take((size_t)n * 4), *b = take((size_t)n * 4);
  for (long i = 0; i < n; i++) a[i] = (unsigned)i * 2654435761u;
  PASSES(work, n) for (long i = 0; i < n; i++) b[i] = (a[i] ^ (unsigned)pass) & 0x0f0f0f0fu;
  return b[n / 2];
}
static double combine_four(long bytes, long work) {  // class: streams
  long n = bytes / 40;
  double *a = doubles(n), *b = doubles(n), *c = doubles(n), *d = doubles(n), *e = doubles(n);
  PASSES(work, n) for (long i = 0; i < n; i++) e[i] = 0.3 * a[i] + 0.2 * b[i] + 0.1 * c[i] + d[i];
  return e[n / 2];
}
static double rotate_pairs(long bytes, long work) {  // class: streams
  long n = bytes / 16;
  double *x = doubles(n), *y = doubles(n);
  PASSES(work, n) for (long i = 0; i < n; i++) {
    double t = 0.8 * x[i] + 0.6 * y[i];
    y[i] = 0.8 * y[i] - 0.6 * x[i], x[i] = t;
  }
  return x[n / 2];
}
struct body { double position[3], speed[3], mass, charge; };
static double push_bodies(long bytes, long work) {  // class: streams
  long n = bytes / (long)sizeof(struct body);
  struct body *b = take((size_t)n * sizeof *b);
  for (long i = 0; i < n; i++) b[i] = (struct body){{0, 1, 2}, {1e-3, 2e-3, (double)i}, 1, 1};
  PASSES(work, n) for (long i = 0; i < n; i++) for (int k = 0; k < 3; k++) b[i].position[k] += 1e-3 * b[i].speed[k] / b[i].mass;
  return b[n / 2].position[2];
}
static double reverse_in_place(long bytes, long work) {  // class: streams
  long n = bytes / 8;
  long *a = take((size_t)n * 8);
  for (long i = 0; i < n; i++) a[i] = i;
  PASSES(work, n) for (long i = 0, j = n - 1; i < j; i++, j--) { long t = a[i]; a[i] = a[j] + 1, a[j] = t; }
  return (double)a[n / 3];
}

// ---- stencils
static double nine_points(long bytes, long work) {  // class: stencil
  long m = side((double)bytes / 16);
  double *a = doubles(m * m), *b = doubles(m * m);
  PASSES(work, m * m) {
    for (long i = 1; i < m - 1; i++)
      for (long j = 1; j < m - 1; j++) {
        const double *p = a + i * m + j;
        b[i * m + j] = 0.1 * (p[-m - 1] + p[-m] + p[-m + 1] + p[-1] + p[0] + p[1] + p[m - 1] + p[m] + p[m + 1]);
      }
    double *t = a;
    a = b, b = t;
  }
  return a[m + 1];
}
static double seven_points(long bytes, long work) {  // class: stencil
  long m = (long)cbrt((double)bytes / 16), s = m * m;
  double *a = doubles(m * s), *b = doubles(m * s);
  PASSES(work, m * s) {
    for (long i = 1; i < m - 1; i++)
      for (long j = 1; j < m - 1; j++)
        for (long k = 1; k < m - 1; k++) {
          const double *p = a + i * s + j * m + k;
          b[i * s + j * m + k] = 0.4 * p[0] + 0.1 * (p[-1] + p[1] + p[-m] + p[m] + p[-s] + p[s]);
        }
    double *t = a;
    a = b, b = t;
  }
  return a[s + m + 1];
}
static double string_wave(long bytes, long work) {  // class: stencil
  long n = bytes / 24;
  double *old = doubles(n), *now = doubles(n), *next = doubles(n);
  PASSES(work, n) {
    for (long i = 1; i < n - 1; i++) next[i] = 2 * now[i] - old[i] + 0.2 * (now[i - 1] - 2 * now[i] + now[i + 1]);
    double *t = old;
    old = now, now = next, next = t;
  }
  return now[n / 2];
}
static double seidel_sweep(long bytes, long work) {  // class: stencil
  long m = side((double)bytes / 8);
  double *a = doubles(m * m);
  PASSES(work, m * m)
    for (long i = 1; i < m - 1; i++)
      for (long j = 1; j < m - 1; j++)
        a[i * m + j] = 0.25 * (a[i * m + j - 1] + a[i * m + j + 1] + a[(i - 1) * m + j] + a[(i + 1) * m + j]);
  return a[m + 1];
}

// ---- matrix products
static double product_plain(long bytes, long work) {  // class: matmul
  long m = side((double)bytes / 24), s = 0;
  double *a = doubles(m * m), *b = doubles(m * m), *c = doubles(m * m);
  for (long row = 0; s < work; row = (row + 1) % m)
    for (long j = 0; j < m; j++, s += m) {
      double sum = 0;
      for (long k = 0; k < m; k++) sum += a[row * m + k] * b[k * m + j];
      c[row * m + j] = sum;
    }
  return c[m / 2];
}
static double product_by_rows(long bytes, long work) {  // class: matmul
  long m = side((double)bytes / 24), s = 0;
  double *a = doubles(m * m), *b = doubles(m * m), *c = doubles(m * m);
  for (long row = 0; s < work; row = (row + 1) % m)
    for (long k = 0; k < m; k++, s += m) {
      double x = a[row * m + k];
      for (long j = 0; j < m; j++) c[row * m + j] += x * b[k * m + j];
    }
  return c[m / 2];
}
static double product_blocked(long bytes, long work) {  // class: matmul
  enum { t = 24 };
  long m = side((double)bytes / 24) / t * t, s = 0;
  if (m < t) m = t;
  double *a = doubles(m * m), *b = doubles(m * m), *c = doubles(m * m);
  while (s < work)
    for (long ii = 0; ii < m && s < work; ii += t)
      for (long kk = 0; kk < m; kk += t)
        for (long jj = 0; jj < m; jj += t, s += t * t * t)
          for (long i = ii; i < ii + t; i++)
            for (long k = kk; k < kk + t; k++)
              for (long j = jj; j < jj + t; j++) c[i * m + j] += a[i * m + k] * b[k * m + j];
  return c[m / 2];
}
static double matrix_vector(long bytes, long work) {  // class: matmul
  long m = side((double)bytes / 8);
  double *a = doubles(m * m), *x = doubles(m), *y = doubles(m);
  PASSES(work, m * m)
    for (long i = 0; i < m; i++) {
      double s = 0, t = 0;
      for (long j = 0; j + 1 < m; j += 2) s += a[i * m + j] * x[j], t += a[i * m + j + 1] * x[j + 1];
      y[i] = s + t;
    }
  return y[m / 2];
}
static double vector_matrix(long bytes, long work) {  // class: matmul
  long m = side((double)bytes / 8);
  double *a = doubles(m * m), *x = doubles(m), *y = doubles(m);
  PASSES(work, m * m)
    for (long i = 0; i < m; i++)
      for (long j = 0; j < m; j++) y[j] += a[i * m + j] * x[i];
  return y[m / 2];
}

// ---- strides
static double transpose_matrix(long bytes, long work) {  // class: strided
  long m = side((double)bytes / 16);
  double *a = doubles(m * m), *b = doubles(m * m);
  PASSES(work, m * m) for (long i = 0; i < m; i++) for (long j = 0; j < m; j++) b[j * m + i] = a[i * m + j] + 1;
  return b[m / 2];
}
struct wide { int key, count; char text[152]; };
static double count_keys(long bytes, long work) {  // class: strided
  long n = bytes / (long)sizeof(struct wide), s = 0;
  struct wide *w = take((size_t)n * sizeof *w);
  for (long i = 0; i < n; i++) memset(&w[i], (int)i & 127, sizeof *w);
  PASSES(work, n) for (long i = 0; i < n; i++) s += w[i].key ^ w[i].count;
  return (double)s;
}
static double mark_multiples(long bytes, long work) {  // class: strided
  static const int steps[] = {67, 131, 257, 521, 1031};
  long s = 0;
  char *a = take((size_t)bytes);
  memset(a, 0, (size_t)bytes);
  for (long k = 0; s < work; k++)
    for (long i = (k * 37) % 64, step = steps[k % 5]; i < bytes; i += step, s++) a[i]++;
  return a[bytes / 2];
}
static double butterflies(long bytes, long work) {  // class: strided
  long n = 16;
  while (n * 32 <= bytes) n *= 2;
  double *re = doubles(n), *im = doubles(n);
  const double s = 0.70710678118654752;  // keeps the length of a pair: values neither grow nor underflow
  for (long done = 0; done < work;)
    for (long half = 1; half < n && done < work; half *= 2, done += n)
      for (long start = 0; start < n; start += 2 * half)
        for (long k = start; k < start + half; k++) {
          double r = s * (re[k] - re[k + half]), i = s * (im[k] - im[k + half]);
          re[k] = s * (re[k] + re[k + half]), im[k] = s * (im[k] + im[k + half]);
          re[k + half] = r * 0.8 - i * 0.6, im[k + half] = r * 0.6 + i * 0.8;
        }
  return re[n / 2];
}
static double norm_columns(long bytes, long work) {  // class: strided
  long m = side((double)bytes / 4);
  float *a = take((size_t)(m * m) * 4), most = 0;
  for (long i = 0; i < m * m; i++) a[i] = (float)(i % 91);
  PASSES(work, m * m)
    for (long j = 0; j < m; j++) {
      float s = 0;
      for (long i = 0; i < m; i++) s += a[i * m + j] * a[i * m + j];
      most = s > most ? s : most;
    }
  return most;
}

// ---- independent random accesses
static double sparse_product(long bytes, long work) {  // class: independent
  enum { per_row = 12 };
  long rows = bytes / (per_row * 12 + 16);
  double *v = doubles(rows * per_row), *x = doubles(rows), *y = doubles(rows);
  int *column = take((size_t)(rows * per_row) * 4);
  for (long i = 0; i < rows * per_row; i++) column[i] = (int)draw((unsigned long)rows);
  PASSES(work, rows * per_row)
    for (long r = 0; r < rows; r++) {
      double s = 0;
      for (long k = r * per_row; k < (r + 1) * per_row; k++) s += v[k] * x[column[k]];
      y[r] = s;
    }
  return y[rows / 2];
}
static double permute_copy(long bytes, long work) {  // class: independent
  long n = bytes / 20;
  double *a = doubles(n), *b = doubles(n);
  int *p = permutation(n);
  PASSES(work, n) for (long i = 0; i < n; i++) b[i] = a[p[i]];
  return b[n / 2];
}
static double permute_store(long bytes, long work) {  // class: independent
  long n = bytes / 20;
  double *a = doubles(n), *b = doubles(n);
  int *p = permutation(n);
  PASSES(work, n) for (long i = 0; i < n; i++) b[p[i]] = a[i];
  return b[n / 2];
}
static double tally(long bytes, long work) {  // class: independent
  long n = bytes / 4;
  unsigned *bins = take((size_t)n * 4), x = 12345;
  memset(bins, 0, (size_t)n * 4);
  for (long i = 0; i < work; i++) {
    x = x * 1664525u + 1013904223u;
    bins[(unsigned long)x * (unsigned long)n >> 32] += x & 3;
  }
  return bins[n / 2];
}
static double bloom_filter(long bytes, long work) {  // class: independent
  unsigned long words = (unsigned long)bytes / 8, found = 0;
  unsigned long *bits = take(words * 8);
  for (unsigned long i = 0; i < words; i++) bits[i] = draw(~0ul) | draw(~0ul);
  for (long i = 0; i < work; i++) {
    unsigned long h = (unsigned long)i * 0x9E3779B97F4A7C15ul, g = h ^ h >> 29;
    g *= 0xBF58476D1CE4E5B9ul;
    unsigned long hit = bits[(h >> 32) * words >> 32] >> (h & 63) & bits[(g >> 32) * words >> 32] >> (g & 63) & bits[((g * 3) >> 32) % words] >> (h >> 6 & 63);
    found += hit & 1;
  }
  return (double)found;
}

// ---- dependent accesses
struct node { struct node *next; double payload[7]; };
static double list_sum(long bytes, long work) {  // class: dependent
  long n = bytes / (long)sizeof(struct node);
  struct node *a = take((size_t)n * sizeof *a), *p;
  int *order = permutation(n);
  for (long i = 0; i < n; i++) a[order[i]] = (struct node){&a[order[(i + 1) % n]], {(double)i, 1, 2, 3, 4, 5, 6}};
  free(order);
  double s = 0;
  p = a;
  for (long i = 0; i < work; i++) s += p->payload[0] * p->payload[5], p = p->next;
  return s;
}
struct leaf { struct leaf *child[2]; long key; long pad; };
static struct leaf *plant(struct leaf *a, const int *order, long lo, long hi) {
  if (lo >= hi) return 0;
  long middle = lo + (hi - lo) / 2;
  struct leaf *at = &a[order[middle]];
  *at = (struct leaf){{plant(a, order, lo, middle), plant(a, order, middle + 1, hi)}, middle, 0};
  return at;
}
static double tree_search(long bytes, long work) {  // class: dependent
  long n = bytes / (long)sizeof(struct leaf), depth = 0;
  struct leaf *a = take((size_t)n * sizeof *a), *root;
  int *order = permutation(n);
  root = plant(a, order, 0, n);
  free(order);
  for (long steps = 0; steps < work;) {
    long key = (long)draw((unsigned long)n);
    for (struct leaf *at = root; at; at = at->child[key > at->key]) steps++, depth++;
  }
  return (double)depth;
}
static double follow_four(long bytes, long work) {  // class: dependent
  long n = bytes / 4;
  int *next = take((size_t)n * 4), *order = permutation(n);
  for (long i = 0; i < n; i++) next[order[i]] = order[(i + 1) % n];
  int a = order[0], b = order[n / 4], c = order[n / 2], d = order[3 * (n / 4)];
  free(order);
  for (long i = 0; i < work; i += 4) a = next[a], b = next[b], c = next[c], d = next[d];
  return a + b + c + d;
}
static double breadth_first(long bytes, long work) {  // class: dependent
  enum { degree = 6 };
  long n = bytes / (degree * 4 + 8), s = 0;
  int *edge = take((size_t)(n * degree) * 4), *seen = take((size_t)n * 4), *queue = take((size_t)n * 4);
  for (long i = 0; i < n * degree; i++) edge[i] = (int)draw((unsigned long)n);
  memset(seen, 0, (size_t)n * 4);
  for (int mark = 1; s < work; mark++) {
    long head = 0, tail = 0;
    queue[tail++] = (int)draw((unsigned long)n), seen[queue[0]] = mark;
    while (head < tail) {
      const int *to = edge + (long)queue[head++] * degree;
      for (int k = 0; k < degree; k++, s++)
        if (seen[to[k]] != mark) seen[to[k]] = mark, queue[tail++] = to[k];
    }
  }
  return (double)s;
}

// ---- branches that depend on data
static double hash_lookup(long bytes, long work) {  // class: branchy
  unsigned long slots = 64, found = 0;
  while (slots * 32 <= (unsigned long)bytes) slots *= 2;
  struct { unsigned long key, value; } *t = take(slots * 16);
  memset(t, 0, slots * 16);
  for (unsigned long i = 1; i <= slots * 6 / 10; i++) {
    unsigned long key = i * 0x9E3779B97F4A7C15ul, at = key >> 20 & (slots - 1);
    while (t[at].key) at = (at + 1) & (slots - 1);
    t[at].key = key, t[at].value = i;
  }
  for (long i = 0; i < work; i++) {
    unsigned long key = (1 + draw(slots)) * 0x9E3779B97F4A7C15ul, at = key >> 20 & (slots - 1);
    while (t[at].key && t[at].key != key) at = (at + 1) & (slots - 1);
    if (t[at].key) found += t[at].value;
  }
  return (double)found;
}
static void sort_range(int *a, long lo, long hi) {
  while (hi - lo > 16) {
    int pivot = a[lo + (hi - lo) / 2];
    long i = lo, j = hi;
    while (i <= j) {
      while (a[i] < pivot) i++;
      while (a[j] > pivot) j--;
      if (i <= j) { int t = a[i]; a[i++] = a[j], a[j--] = t; }
    }
    sort_range(a, lo, j), lo = i;
  }
  for (long i = lo + 1; i <= hi; i++) {
    int x = a[i];
    long j = i;
    for (; j > lo && a[j - 1] > x; j--) a[j] = a[j - 1];
    a[j] = x;
  }
}
static double quick_sort(long bytes, long work) {  // class: branchy
  long n = bytes / 4, done = 0;
  int *a = take((size_t)n * 4);
  for (; done < work; done += n) {
    for (long i = 0; i < n; i++) a[i] = (int)draw(1ul << 30);
    sort_range(a, 0, n - 1);
  }
  return a[n / 2];
}
static double merge_sort(long bytes, long work) {  // class: branchy
  long n = bytes / 8, done = 0;
  int *a = take((size_t)n * 4), *b = take((size_t)n * 4);
  for (; done < work; done += n) {
    for (long i = 0; i < n; i++) a[i] = (int)draw(1ul << 30);
    for (long width = 1; width < n; width *= 2) {
      for (long lo = 0; lo < n; lo += 2 * width) {
        long mid = lo + width < n ? lo + width : n, hi = lo + 2 * width < n ? lo + 2 * width : n, i = lo, j = mid;
        for (long k = lo; k < hi; k++) b[k] = i < mid && (j >= hi || a[i] <= a[j]) ? a[i++] : a[j++];
      }
      int *t = a;
      a = b, b = t;
    }
  }
  return a[n / 2];
}
static double split_by_value(long bytes, long work) {  // class: branchy
  long n = bytes / 8, low = 0, high = 0;
  int *a = take((size_t)n * 4), *b = take((size_t)n * 4);
  for (long i = 0; i < n; i++) a[i] = (int)draw(1000);
  PASSES(work, n) {
    low = 0, high = n;
    for (long i = 0; i < n; i++) {
      if (a[i] + (int)pass % 7 < 500) b[low++] = a[i];
      else b[--high] = a[i];
    }
  }
  return b[n / 2];
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  printf("%.9g\n", KERNEL(atol(argv[1]), atol(argv[2])));
  return 0;
}
