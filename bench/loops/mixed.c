/* More loops for bench/bounds_laws.py, of kinds that kernels.c has few of: short trips, nests, text, bits, tables, searching. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define LOOP __attribute__((noinline))
enum { n = 2000 };
static double a[n + 8], b[n + 8], m[40][40], v[40], w[40];
static float f[n + 8], g[n + 8];
static int32_t p[n + 8], q[n + 8];
static uint8_t text[n + 8], table[256];
static uint64_t bits[n + 8];

LOOP void matrix_vector(void) {
  for (int i = 0; i < 40; i++) {
    double s = 0;
    for (int j = 0; j < 40; j++) s += m[i][j] * v[j];
    w[i] = s;
  }
}
LOOP void rank_one(void) {
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++) m[i][j] += 1e-12 * v[i] * w[j];
}
LOOP void short_trips(void) {
  for (int i = 0; i + 4 < n; i += 4)
    for (int k = 0; k < 3; k++) a[i + k] = b[i + 2 - k] + 1;
}
LOOP int count_letters(void) {
  int s = 0;
  for (int i = 0; i < n; i++) s += text[i] == 'e';
  return s;
}
LOOP void translate(void) {
  for (int i = 0; i < n; i++) text[i] = table[text[i]];
}
LOOP unsigned checksum(void) {
  unsigned s = 1, t = 0;
  for (int i = 0; i < n; i++) s += text[i], t += s;
  return s ^ t;
}
LOOP int ones(void) {
  int s = 0;
  for (int i = 0; i < n; i++) s += __builtin_popcountll(bits[i]);
  return s;
}
LOOP uint64_t shift_register(uint64_t x) {
  for (int i = 0; i < n; i++) x ^= x << 13, x ^= x >> 7, x ^= x << 17;
  return x;
}
LOOP int clamp(void) {
  for (int i = 0; i < n; i++) q[i] = p[i] < 10 ? 10 : p[i] > 90 ? 90 : p[i];
  return q[5];
}
LOOP void convert(void) {
  for (int i = 0; i < n; i++) f[i] = (float)p[i] * 0.5f;
}
LOOP void single_axpy(void) {
  for (int i = 0; i < n; i++) g[i] = f[i] * 0.5f + g[i] * 0.25f;
}
LOOP void reverse(void) {
  for (int i = 0; i < n; i++) a[i] = b[n - 1 - i];
}
LOOP void every_other(void) {
  for (int i = 0; i < n / 2; i++) a[i] = b[2 * i] - b[2 * i + 1];
}
LOOP int first_above(int limit) {
  for (int i = 0; i < n; i++)
    if (p[i] > limit) return i;
  return n;
}
LOOP int search(int x) {
  int low = 0, high = n, steps = 0;
  while (low < high) {
    int middle = (low + high) / 2;
    if (q[middle] < x) low = middle + 1;
    else high = middle;
    steps++;
  }
  return low + steps;
}
LOOP void insert_sort(void) {
  int32_t s[24];
  memcpy(s, p, sizeof s);
  for (int i = 1; i < 24; i++) {
    int32_t x = s[i];
    int k = i;
    for (; k > 0 && s[k - 1] > x; k--) s[k] = s[k - 1];
    s[k] = x;
  }
  p[n] = s[3];
}
LOOP double newton(double x) {
  double y = 1;
  for (int i = 0; i < 200; i++) y = 0.5 * (y + x / y);
  return y;
}
LOOP double complex_steps(double x, double y) {
  double r = 0, i = 0;
  for (int k = 0; k < 300 && r * r + i * i < 4; k++) {
    double t = r * r - i * i + x;
    i = 2 * r * i + y, r = t;
  }
  return r + i;
}
LOOP uint64_t multiply_high(void) {
  uint64_t s = 0;
  for (int i = 0; i < n; i++) s += (uint64_t)((unsigned __int128)bits[i] * 0x9e3779b97f4a7c15u >> 64);
  return s;
}
LOOP int remainders(int by) {
  int s = 0;
  for (int i = 0; i < n; i++) s += p[i] % by;
  return s;
}

int main(int argc, char **argv) {
  int times = argc > 1 ? atoi(argv[1]) : 1000;
  double s = 0;
  for (int i = 0; i < n + 8; i++) a[i] = i % 7, b[i] = i % 5, f[i] = 1, g[i] = 2, p[i] = i * 37 % 100, q[i] = i, text[i] = (uint8_t)(i * 31), bits[i] = (uint64_t)i * 0x9e3779b97f4a7c15u;
  for (int i = 0; i < 256; i++) table[i] = (uint8_t)(i * 7 + 3);
  for (int i = 0; i < 40; i++) v[i] = w[i] = 0.01 * i;
  for (int r = 0; r < times; r++) {
    matrix_vector(), rank_one(), short_trips(), translate(), convert(), single_axpy(), reverse(), every_other(), insert_sort();
    s += count_letters() + checksum() % 7 + ones() + (double)(shift_register((uint64_t)r + 1) & 7) + first_above(98) + newton(r + 2.0);
    s += complex_steps(-0.1, 0.65) + (double)(multiply_high() & 15) + remainders(r % 50 + 3);
    for (int k = 0; k < 20; k++) s += search(k * 97 + r % 50);
    if (r % 8 == 0) s += clamp();
  }
  printf("%g\n", s + a[3] + g[4]);
  return 0;
}
