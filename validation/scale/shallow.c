/* Shallow water equations on a periodic grid by finite differences, 20 steps; argument: N. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define AT(f, i, j) f[(size_t)(i) * m + (j)]

static void step(double *u, double *v, double *p, double *un, double *vn, double *pn, int n, double dt) {
  int m = n + 2;
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++) {
      double px = 0.5 * (AT(p, i + 1, j) - AT(p, i - 1, j)), py = 0.5 * (AT(p, i, j + 1) - AT(p, i, j - 1));
      double ux = 0.5 * (AT(u, i + 1, j) - AT(u, i - 1, j)), vy = 0.5 * (AT(v, i, j + 1) - AT(v, i, j - 1));
      AT(un, i, j) = AT(u, i, j) - dt * (AT(u, i, j) * ux + px) + 1e-4 * AT(v, i, j);
      AT(vn, i, j) = AT(v, i, j) - dt * (AT(v, i, j) * vy + py) - 1e-4 * AT(u, i, j);
      AT(pn, i, j) = AT(p, i, j) - dt * AT(p, i, j) * (ux + vy);
    }
}

static void wrap(double *f, int n) {
  int m = n + 2;
  for (int i = 1; i <= n; i++) AT(f, i, 0) = AT(f, i, n), AT(f, i, n + 1) = AT(f, i, 1);
  for (int j = 0; j < m; j++) AT(f, 0, j) = AT(f, n, j), AT(f, n + 1, j) = AT(f, 1, j);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 200;
  if (n < 2) return 2;
  int m = n + 2;
  double *f[6];
  for (int k = 0; k < 6; k++) f[k] = calloc((size_t)m * m, sizeof(double));
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) AT(f[2], i, j) = 10 + sin(6.283 * i / m) * 0.1;
  for (int t = 0; t < 10; t++) {
    for (int k = 0; k < 3; k++) wrap(f[k], n);
    step(f[0], f[1], f[2], f[3], f[4], f[5], n, 0.01);
    for (int k = 3; k < 6; k++) wrap(f[k], n);
    step(f[3], f[4], f[5], f[0], f[1], f[2], n, 0.01);
  }
  printf("%.9g\n", AT(f[2], n / 2, n / 2));
  for (int k = 0; k < 6; k++) free(f[k]);
  return 0;
}
