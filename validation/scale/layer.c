/* A layer of a neural network trained by gradient steps: N inputs, N outputs, 20 examples; argument: N. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 300;
  if (n < 1) return 2;
  double *w = malloc(sizeof(double) * n * n), *x = malloc(sizeof(double) * n), *y = malloc(sizeof(double) * n), total = 0;
  for (int i = 0; i < n * n; i++) w[i] = 1e-3 * (i % 13 - 6);
  for (int example = 0; example < 20; example++) {
    for (int i = 0; i < n; i++) x[i] = 0.01 * ((i * 7 + example) % 11);
    for (int o = 0; o < n; o++) {
      double s = 0;
      for (int i = 0; i < n; i++) s += w[(size_t)o * n + i] * x[i];
      y[o] = s / (1 + fabs(s));
    }
    for (int o = 0; o < n; o++) {
      double error = (o % 3) * 0.1 - y[o];
      total += error * error;
      for (int i = 0; i < n; i++) w[(size_t)o * n + i] += 0.01 * error * x[i];
    }
  }
  printf("%.9g\n", total);
  free(w), free(x), free(y);
  return 0;
}
