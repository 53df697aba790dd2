/* Two-layer channel model of ocean circulation: stream functions relaxed under wind, 40 steps; argument: segments east-west. */
#include <stdio.h>
#include <stdlib.h>

enum { north = 48 };

static void advance(double (*psi)[north], double (*next)[north], const double *wind, int n, double coupling, double (*other)[north]) {
  for (int i = 0; i < n; i++) {
    int west = i == 0 ? n - 1 : i - 1, east = i == n - 1 ? 0 : i + 1;
    for (int j = 1; j < north - 1; j++) {
      double laplacian = psi[west][j] + psi[east][j] + psi[i][j - 1] + psi[i][j + 1] - 4 * psi[i][j];
      next[i][j] = psi[i][j] + 0.1 * laplacian + wind[j] - coupling * (psi[i][j] - other[i][j]);
    }
    next[i][0] = next[i][north - 1] = 0;
  }
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 400;
  if (n < 3) return 2;
  double(*a)[north] = calloc(n, sizeof *a), (*b)[north] = calloc(n, sizeof *b), (*c)[north] = calloc(n, sizeof *c), (*d)[north] = calloc(n, sizeof *d);
  double upper[north], lower[north] = {0};
  for (int j = 0; j < north; j++) upper[j] = 1e-3 * (j - north / 2);
  for (int t = 0; t < 40; t++) {
    advance(a, c, upper, n, 0.01, b), advance(b, d, lower, n, 0.02, a);
    advance(c, a, upper, n, 0.01, d), advance(d, b, lower, n, 0.02, c);
  }
  printf("%.9g %.9g\n", a[n / 2][north / 2], b[n / 2][north / 3]);
  free(a), free(b), free(c), free(d);
  return 0;
}
