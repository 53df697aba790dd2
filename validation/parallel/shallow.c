/* Shallow water: heights and two velocities on a grid, explicit steps. Arguments: side, steps. */
#include "parallel.h"

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int n = argument(argc, argv, 1, 512), steps = argument(argc, argv, 2, 200), rows = n / ranks, w = n + 2;
  size_t size = (size_t)(rows + 2) * w;
  double *h = zeros(size), *u = zeros(size), *v = zeros(size), *h2 = zeros(size), *u2 = zeros(size), *v2 = zeros(size);
  for (int i = 0; i < rows + 2; i++)
    for (int j = 0; j < w; j++) h[(size_t)i * w + j] = 10 + ((i + rank * rows) * 3 + j * 5) % 7 * 0.01;
  const double g = 9.8, dt = 0.001, half = 0.5 * dt;
  for (int s = 0; s < steps; s++) {
    halo(h, rows, w), halo(u, rows, w), halo(v, rows, w);
#pragma omp parallel for
    for (int i = 1; i <= rows; i++)
      for (int j = 1; j <= n; j++) {
        size_t k = (size_t)i * w + j;
        double dx = h[k + 1] - h[k - 1], dy = h[k + w] - h[k - w];
        u2[k] = u[k] - half * (g * dx + u[k] * (u[k + 1] - u[k - 1]) + v[k] * (u[k + w] - u[k - w]));
        v2[k] = v[k] - half * (g * dy + u[k] * (v[k + 1] - v[k - 1]) + v[k] * (v[k + w] - v[k - w]));
        h2[k] = h[k] - half * (u[k] * dx + v[k] * dy + h[k] * (u[k + 1] - u[k - 1] + v[k + w] - v[k - w]));
      }
    double *t;
    t = h, h = h2, h2 = t, t = u, u = u2, u2 = t, t = v, v = v2, v2 = t;
  }
  double mass = 0;
  for (int i = 1; i <= rows; i++)
    for (int j = 1; j <= n; j++) mass += h[(size_t)i * w + j];
  mass = sum_of(mass);
  if (rank == 0) printf("%.9g\n", mass);
  end();
  return 0;
}
