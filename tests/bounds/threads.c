/* Parallel regions: a sum, an uneven triangle, a condition that does not hold, or not always, a region inside another, a limited team, one limited at times. */
#include <stdio.h>
#include <stdlib.h>

static double x[100000];
static double work(long i) {
  double s = 0;
  for (long k = 0; k < i; k++) s += x[k];
  return s;
}
double even(int n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++) s += x[i];
  return s;
}
double triangle(int n) {
  double s = 0;
#pragma omp parallel for schedule(static) reduction(+ : s)
  for (int i = 0; i < n; i++) s += work(i);
  return s;
}
double alone(int n) {
  double s = 0;
#pragma omp parallel for if (n > 1000000) reduction(+ : s)
  for (int i = 0; i < n; i++) s += x[i] * x[i];
  return s;
}
double sometimes(int n) {
  double s = 0;
#pragma omp parallel for if (n > 1000) reduction(+ : s)
  for (int i = 0; i < n; i++) s += x[i] / (1 + x[i]);
  return s;
}
double nested(int n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++) {
    double t = 0;
#pragma omp parallel for reduction(+ : t)
    for (int k = 0; k < 1000; k++) t += x[k] * i;
    s += t;
  }
  return s;
}
double limited(int n) {
  double s = 0;
#pragma omp parallel for num_threads(1) reduction(+ : s)
  for (int i = 0; i < n; i++) s += x[i] + 1;
  return s;
}
double asked(int n, int threads) {
  double s = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : s)
  for (int i = 0; i < n; i++) s += x[i] * 3;
  return s;
}
int main(int argc, char **argv) {
  int times = argc > 1 ? atoi(argv[1]) : 20;
  double s = 0;
  for (int i = 0; i < 100000; i++) x[i] = i % 3;
  for (int r = 0; r < times; r++) {
    s += even(100000) + triangle(600) + alone(100000) + nested(100) + limited(100000) + sometimes(12000);
    for (int k = 0; k < 9; k++) s += sometimes(10);
    for (int k = 0; k < 4; k++) s += asked(12000, 1 + k % 2);
  }
  printf("%g\n", s);
  return 0;
}
