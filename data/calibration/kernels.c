// Synthetic kernels that the widths of icc's and intcc's intervals come from (leave-one-out residuals). They stand for
// single behaviours, not for programs: a chain, a stream, a gather, an unpredictable branch. One is built at a time:
// -DKERNEL=kernel_name. Free parameters of the models may be fitted on these and on nothing else.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long state = 88172645463325252ul;
static unsigned long random_bits(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}
static double *reals(long n) {
  double *a = malloc((size_t)n * sizeof *a);
  for (long i = 0; i < n; i++) a[i] = 1.0 + (double)(random_bits() % 1000) / 1000.0;
  return a;
}
static int *indices(long n, long range) {
  int *a = malloc((size_t)n * sizeof *a);
  for (long i = 0; i < n; i++) a[i] = (int)(random_bits() % (unsigned long)range);
  return a;
}
#define KEEP __attribute__((noinline))

// ---- chains
KEEP double chain_add(long n) { double s = 0, x = 1e-9; for (long i = 0; i < n; i++) s += x; return s; }
KEEP double chain_multiply(long n) { double s = 1, x = 1.0000001; for (long i = 0; i < n; i++) s *= x; return s; }
KEEP double chain_divide(long n) { double s = 3; for (long i = 0; i < n; i++) s = 1.7 / s + 0.1; return s; }
KEEP double chain_root(long n) { double s = 3; for (long i = 0; i < n; i++) s = sqrt(s) + 1.5; return s; }
KEEP double chain_logistic(long n) { double x = 0.3; for (long i = 0; i < n; i++) x = 3.7 * x * (1 - x); return x; }
KEEP double chain_lcg(long n) { unsigned long x = 1; for (long i = 0; i < n; i++) x = x * 6364136223846793005ul + 1442695040888963407ul; return (double)(x >> 40); }
KEEP double chain_xorshift(long n) { unsigned long x = 88172645463325252ul; for (long i = 0; i < n; i++) x ^= x << 13, x ^= x >> 7, x ^= x << 17; return (double)(x >> 40); }
KEEP double chain_remainder(long n) { unsigned x = 12345; for (long i = 0; i < n; i++) x = (x * 7u + 11u) % (1000u + (unsigned)(i & 7)); return x; }
KEEP double chain_collatz(long n) { long steps = 0; for (long i = 1; i < n / 60; i++) { long x = i; while (x != 1 && x < 1000000) { x = x & 1 ? 3 * x + 1 : x >> 1; steps++; } } return (double)steps; }

// ---- arrays in the first cache, many times over
#define SMALL 1500
KEEP double sweep_axpy(long n) { double *a = reals(SMALL), *b = reals(SMALL); for (long r = 0; r < n / SMALL; r++) for (int i = 0; i < SMALL; i++) a[i] += 1e-6 * b[i]; return a[7]; }
KEEP double sweep_polynomial(long n) { double *a = reals(SMALL), *b = reals(SMALL); for (long r = 0; r < n / SMALL; r++) for (int i = 0; i < SMALL; i++) { double x = a[i]; b[i] = ((x * 0.1 + 0.2) * x + 0.3) * x + 0.4; } return b[7]; }
KEEP double sweep_dot(long n) { double *a = reals(SMALL), *b = reals(SMALL), s = 0; for (long r = 0; r < n / SMALL; r++) for (int i = 0; i < SMALL; i++) s += a[i] * b[i]; return s; }
KEEP double sweep_prefix(long n) { double *a = reals(SMALL); for (long r = 0; r < n / SMALL; r++) for (int i = 1; i < SMALL; i++) a[i] = 0.5 * (a[i] + a[i - 1]); return a[7]; }
KEEP double sweep_stencil(long n) { double *a = reals(SMALL), *b = reals(SMALL); for (long r = 0; r < n / SMALL; r++) { for (int i = 1; i < SMALL - 1; i++) b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1]; double *t = a; a = b, b = t; } return a[7]; }
KEEP double sweep_bytes(long n) { static unsigned char a[4096]; long s = 0; for (int i = 0; i < 4096; i++) a[i] = (unsigned char)random_bits(); for (long r = 0; r < n / 4096; r++) for (int i = 0; i < 4096; i++) s += a[i] ^ (int)r; return (double)s; }
KEEP double sweep_bits(long n) { static unsigned a[SMALL]; long s = 0; for (int i = 0; i < SMALL; i++) a[i] = (unsigned)random_bits(); for (long r = 0; r < n / SMALL; r++) for (int i = 0; i < SMALL; i++) { unsigned x = a[i] + (unsigned)r; x = x - ((x >> 1) & 0x55555555u); x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u); s += (((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24; } return (double)s; }
KEEP double sweep_histogram(long n) { static int h[256]; static unsigned char a[4096]; for (int i = 0; i < 4096; i++) a[i] = (unsigned char)random_bits(); for (long r = 0; r < n / 4096; r++) for (int i = 0; i < 4096; i++) h[a[i]]++; return h[3]; }
KEEP double sweep_matrix(long n) { enum { m = 40 }; static double a[m][m], b[m][m], c[m][m]; for (int i = 0; i < m; i++) for (int j = 0; j < m; j++) a[i][j] = i + j, b[i][j] = i - j; for (long r = 0; r < n / (m * m * m); r++) for (int i = 0; i < m; i++) for (int j = 0; j < m; j++) { double s = 0; for (int k = 0; k < m; k++) s += a[i][k] * b[k][j]; c[i][j] += s * 1e-6; } return c[3][5]; }
struct particle { double x, y, z, vx, vy, vz; };
KEEP double sweep_records(long n) { static struct particle p[200]; for (int i = 0; i < 200; i++) p[i].vx = i, p[i].vy = 1, p[i].vz = 2; for (long r = 0; r < n / 200; r++) for (int i = 0; i < 200; i++) { p[i].x += 0.001 * p[i].vx, p[i].y += 0.001 * p[i].vy, p[i].z += 0.001 * p[i].vz; if (p[i].x > 10) p[i].vx = -p[i].vx; } return p[5].x; }

// ---- control
KEEP double branch_random(long n) { long s = 0; for (long i = 0; i < n; i++) { unsigned long r = random_bits(); if (r & 1024) s += 3; else s -= (long)(r & 7); } return (double)s; }
KEEP double branch_biased(long n) { long s = 0; for (long i = 0; i < n; i++) { unsigned long r = random_bits(); if ((r & 15) == 0) s += (long)(r % 100); } return (double)s; }
KEEP double branch_pattern(long n) { long s = 0; for (long i = 0; i < n; i++) { if (i % 3 == 0) s += i; else if (i % 5 == 0) s -= 2 * i; else s ^= i; } return (double)s; }
KEEP double branch_switch(long n) { long s = 1; for (long i = 0; i < n; i++) switch (random_bits() % 7) { case 0: s += i; break; case 1: s -= 3; break; case 2: s ^= 77; break; case 3: s *= 3; break; case 4: s >>= 1; break; case 5: s |= 8; break; default: s += 5; } return (double)s; }
KEEP static long recurse(int depth) { return depth < 2 ? depth : recurse(depth - 1) + recurse(depth - 2); }
KEEP double call_recursive(long n) { (void)n; long s = 0; for (int r = 0; r < 3; r++) s += recurse(29 + (r & 1)); return (double)s; }
KEEP static double small(double x, int k) { return x * 0.5 + k; }
KEEP double call_small(long n) { double s = 0; for (long i = 0; i < n; i++) s = small(s, (int)i & 3); return s; }
static double up(double x) { return x + 1; }
static double down(double x) { return x * 0.5; }
KEEP double call_pointer(long n) { double (*volatile table[2])(double) = {up, down}; double s = 0; for (long i = 0; i < n; i++) s = table[i & 1](s); return s; }
KEEP double call_math(long n) { double s = 0; for (long i = 0; i < n / 8; i++) s += sin((double)i) + exp(-(double)(i & 15)) + log((double)i + 2); return s; }
KEEP double call_memory(long n) { long s = 0; for (long i = 0; i < n / 16; i++) { size_t bytes = 16 + (random_bits() & 255); char *p = malloc(bytes); memset(p, (int)i, bytes); s += p[bytes / 2]; free(p); } return (double)s; }
KEEP double sort_small(long n) { int a[32]; long s = 0; for (long r = 0; r < n / 300; r++) { for (int i = 0; i < 32; i++) a[i] = (int)(random_bits() & 1023); for (int i = 1; i < 32; i++) { int x = a[i], j = i; while (j > 0 && a[j - 1] > x) a[j] = a[j - 1], j--; a[j] = x; } s += a[16]; } return (double)s; }

// ---- memory beyond the first cache
KEEP double stream_read(long n, long bytes) { long m = bytes / 8; double *a = reals(m), s = 0; for (long r = 0; r < n / m + 1; r++) for (long i = 0; i < m; i++) s += a[i]; return s; }
KEEP double stream_triad(long n, long bytes) { long m = bytes / 24; double *a = reals(m), *b = reals(m), *c = reals(m); for (long r = 0; r < n / m + 1; r++) for (long i = 0; i < m; i++) a[i] = b[i] + 0.5 * c[i]; return a[7]; }
KEEP double stream_update(long n, long bytes) { long m = bytes / 8; double *a = reals(m); for (long r = 0; r < n / m + 1; r++) for (long i = 0; i < m; i++) a[i] = a[i] * 0.999 + 0.001; return a[7]; }
KEEP double gather_random(long n, long bytes) { long m = bytes / 8, k = 1 << 14; double *a = reals(m), s = 0; int *ix = malloc((size_t)k * 4); for (long r = 0; r < n / k + 1; r++) { for (long i = 0; i < k; i++) ix[i] = (int)(random_bits() % (unsigned long)m); for (long i = 0; i < k; i++) s += a[ix[i]]; } return s; }
KEEP double scatter_random(long n, long bytes) { long m = bytes / 4; int *h = calloc((size_t)m, 4); for (long i = 0; i < n; i++) h[random_bits() % (unsigned long)m]++; return h[5]; }
KEEP double chase_random(long n, long bytes) { long m = bytes / 64; struct cell { struct cell *next; long pad[7]; } *c = malloc((size_t)m * 64), *p; int *order = indices(m, m); for (long i = 0; i < m; i++) order[i] = (int)i; for (long i = m - 1; i > 0; i--) { long j = (long)(random_bits() % (unsigned long)i); int t = order[i]; order[i] = order[j], order[j] = t; } for (long i = 0; i < m; i++) c[order[i]].next = &c[order[(i + 1) % m]]; p = c; for (long i = 0; i < n; i++) p = p->next; return (double)((char *)p - (char *)c); }
KEEP double walk_columns(long n, long bytes) { long m = (long)sqrt((double)bytes / 8); double *a = reals(m * m), s = 0; for (long r = 0; r < n / (m * m) + 1; r++) for (long j = 0; j < m; j++) for (long i = 0; i < m; i++) s += a[i * m + j]; return s; }
KEEP double relax_grid(long n, long bytes) { long m = (long)sqrt((double)bytes / 16); double *a = reals(m * m), *b = reals(m * m); for (long r = 0; r < n / (m * m) + 1; r++) { for (long i = 1; i < m - 1; i++) for (long j = 1; j < m - 1; j++) b[i * m + j] = 0.25 * (a[i * m + j - 1] + a[i * m + j + 1] + a[(i - 1) * m + j] + a[(i + 1) * m + j]); double *t = a; a = b, b = t; } return a[m + 1]; }
KEEP double search_sorted(long n, long bytes) { long m = bytes / 8, found = 0; long *a = malloc((size_t)m * 8); for (long i = 0; i < m; i++) a[i] = 3 * i; for (long k = 0; k < n / 16; k++) { long x = (long)(random_bits() % (unsigned long)(3 * m)), lo = 0, hi = m; while (lo < hi) { long mid = (lo + hi) / 2; if (a[mid] < x) lo = mid + 1; else hi = mid; } found += lo; } return (double)found; }
KEEP double stream_copy(long n, long bytes) { long m = bytes / 16; double *a = reals(m), *b = reals(m); for (long r = 0; r < n / m + 1; r++) for (long i = 0; i < m; i++) b[i] = a[i] * 1.5; return b[7]; }
KEEP double stream_axpy(long n, long bytes) { long m = bytes / 16; double *a = reals(m), *b = reals(m); for (long r = 0; r < n / m + 1; r++) for (long i = 0; i < m; i++) a[i] += 1e-6 * b[i]; return a[7]; }
KEEP double stream_ints(long n, long bytes) { long m = bytes / 4, s = 0; int *a = indices(m, 1000); for (long r = 0; r < n / m + 1; r++) for (long i = 0; i < m; i++) s += a[i]; return (double)s; }
KEEP double rows_sparse(long n, long bytes) { enum { k = 9 }; long m = bytes / (k * 12 + 16); double *v = reals(m * k), *x = reals(m), *y = reals(m); int *c = malloc((size_t)(m * k) * 4); for (long i = 0; i < m; i++) for (long j = 0; j < k; j++) { long d = i + (j - k / 2) * 3; c[i * k + j] = (int)(d < 0 ? 0 : d >= m ? m - 1 : d); } for (long r = 0; r < n / (m * k) + 1; r++) for (long i = 0; i < m; i++) { double s = 0; for (long j = i * k; j < (i + 1) * k; j++) s += v[j] * x[c[j]]; y[i] = s; } return y[7]; }
KEEP double probe_table(long n, long bytes) { unsigned long m = 256, found = 0; while (m * 16 <= (unsigned long)bytes) m *= 2; unsigned long *t = calloc(m, 8); for (unsigned long i = 0; i < m / 2; i++) { unsigned long k = random_bits() | 1, h = k * 0x9E3779B97F4A7C15ul & (m - 1); while (t[h]) h = (h + 1) & (m - 1); t[h] = k; } for (long i = 0; i < n; i++) { unsigned long k = random_bits() | 1, h = k * 0x9E3779B97F4A7C15ul & (m - 1); while (t[h] && t[h] != k) h = (h + 1) & (m - 1); found += t[h] == k; } return (double)found; }
struct item { struct item *next; long value; long pad[2]; };
KEEP double chase_items(long n, long bytes) { long m = bytes / 32, s = 0; struct item *c = malloc((size_t)m * 32), *p; int *order = indices(m, m); for (long i = 0; i < m; i++) order[i] = (int)i; for (long i = m - 1; i > 0; i--) { long j = (long)(random_bits() % (unsigned long)i); int t = order[i]; order[i] = order[j], order[j] = t; } for (long i = 0; i < m; i++) c[order[i]].next = &c[order[(i + 1) % m]], c[order[i]].value = i; free(order); p = c; for (long i = 0; i < n; i++) s += p->value > 7 ? p->value : 3, p = p->next; return (double)s; }
KEEP double walk_records(long n, long bytes) { struct record { long key; char rest[184]; } *a; long m = bytes / 192, s = 0; a = calloc((size_t)m, 192); for (long i = 0; i < m; i++) a[i].key = (long)(random_bits() & 255); for (long r = 0; r < n / m + 1; r++) for (long i = 0; i < m; i++) s += a[i].key; return (double)s; }
KEEP double copy_turned(long n, long bytes) { long m = (long)sqrt((double)bytes / 16); double *a = reals(m * m), *b = reals(m * m); for (long r = 0; r < n / (m * m) + 1; r++) for (long j = 0; j < m; j++) for (long i = 0; i < m; i++) b[j * m + i] = a[i * m + j]; return b[7]; }
KEEP double relax_box(long n, long bytes) { long m = (long)cbrt((double)bytes / 16), q = m * m; double *a = reals(q * m), *b = reals(q * m); for (long r = 0; r < n / (q * m) + 1; r++) { for (long i = 1; i < m - 1; i++) for (long j = 1; j < m - 1; j++) for (long k = 1; k < m - 1; k++) { long x = i * q + j * m + k; b[x] = 0.16 * (a[x - 1] + a[x + 1] + a[x - m] + a[x + m] + a[x - q] + a[x + q]); } double *t = a; a = b, b = t; } return a[q + m + 1]; }
KEEP double gather_long(long n, long bytes) { long m = bytes / 12; double *a = reals(m), s = 0; int *ix = indices(m, m); for (long r = 0; r < n / m + 1; r++) for (long i = 0; i < m; i++) s += a[ix[i]]; return s; }
KEEP double matrix_rows(long n, long bytes) { long m = (long)sqrt((double)bytes / 24), done = 0; double *a = reals(m * m), *b = reals(m * m), *c = reals(m * m); for (long i = 0; done < n; i = (i + 1) % m) for (long k = 0; k < m; k++, done += m) { double x = a[i * m + k]; for (long j = 0; j < m; j++) c[i * m + j] += x * b[k * m + j]; } return c[7]; }

#ifndef BYTES
#define RUN(kernel) kernel(n)
#else
#define RUN(kernel) kernel(n, BYTES)
#endif
int main(int argc, char **argv) {
  long n = argc > 1 ? atol(argv[1]) : 1000000;
  printf("%.6g\n", RUN(KERNEL));
  return 0;
}
