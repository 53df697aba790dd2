// Heat on a plate: Jacobi relaxation of a square grid until it changes little. The plate's edge is held at fixed
// temperatures. Usage: heat [grid] [sweeps]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double relax(const double *from, double *to, int n) {
  double change = 0;
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      double now = 0.25 * (from[(i - 1) * n + j] + from[(i + 1) * n + j] + from[i * n + j - 1] + from[i * n + j + 1]);
      change = fmax(change, fabs(now - from[i * n + j]));
      to[i * n + j] = now;
    }
  return change;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 400, sweeps = argc > 2 ? atoi(argv[2]) : 400;
  double *a = calloc((size_t)n * n, sizeof *a), *b = calloc((size_t)n * n, sizeof *b), change = 1;
  for (int i = 0; i < n; i++) a[i] = b[i] = 100, a[i * n] = b[i * n] = 50;
  int done = 0;
  for (; done < sweeps && change > 1e-9; done++) {
    change = relax(a, b, n);
    double *swap = a;
    a = b, b = swap;
  }
  printf("%d sweeps, last change %.3g, centre %.4f\n", done, change, a[n / 2 * n + n / 2]);
  free(a), free(b);
  return 0;
}
