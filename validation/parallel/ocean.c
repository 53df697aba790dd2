/* Wind-driven circulation of an ocean basin: vorticity advected, stream function relaxed by red-black sweeps. Arguments: side,
   steps. */
#include "parallel.h"

static void relax(double *p, const double *z, int rows, int n, int w, int colour) {
#pragma omp parallel for
  for (int i = 1; i <= rows; i++)
    for (int j = 1 + (i + rank * rows + colour) % 2; j <= n; j += 2) {
      size_t k = (size_t)i * w + j;
      p[k] += 0.4 * (p[k - 1] + p[k + 1] + p[k - w] + p[k + w] - 4 * p[k] - z[k]);
    }
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int n = argument(argc, argv, 1, 384), steps = argument(argc, argv, 2, 40), rows = n / ranks, w = n + 2;
  size_t size = (size_t)(rows + 2) * w;
  double *psi = zeros(size), *zeta = zeros(size), *next = zeros(size), energy = 0;
  for (int s = 0; s < steps; s++) {
    halo(zeta, rows, w), halo(psi, rows, w);
#pragma omp parallel for
    for (int i = 1; i <= rows; i++)
      for (int j = 1; j <= n; j++) {
        size_t k = (size_t)i * w + j;
        double u = 0.5 * (psi[k + w] - psi[k - w]), v = 0.5 * (psi[k - 1] - psi[k + 1]);
        double wind = (double)(i + rank * rows) / n - 0.5;
        next[k] = zeta[k] - 0.01 * (u * (zeta[k + 1] - zeta[k - 1]) + v * (zeta[k + w] - zeta[k - w])) + 0.05 * (zeta[k - 1] + zeta[k + 1] + zeta[k - w] + zeta[k + w] - 4 * zeta[k]) + 0.001 * wind - 0.002 * v;
      }
    double *t = zeta;
    zeta = next, next = t;
    for (int r = 0; r < 5; r++) {
      relax(psi, zeta, rows, n, w, 0), halo(psi, rows, w);
      relax(psi, zeta, rows, n, w, 1), halo(psi, rows, w);
    }
    double local = 0;
#pragma omp parallel for reduction(+ : local)
    for (int i = 1; i <= rows; i++)
      for (int j = 1; j <= n; j++) local += psi[(size_t)i * w + j] * zeta[(size_t)i * w + j];
    energy = sum_of(local);
  }
  if (rank == 0) printf("%.9g\n", energy);
  end();
  return 0;
}
