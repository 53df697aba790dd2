/* Product of two square matrices, a dot product per element (Papaefstathiou et al. 1994, figure 5). Argument: side. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 256;
  size_t bytes = (size_t)n * (size_t)n * sizeof(double);
  double *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
  if (!a || !b || !c) return 1;
  for (int i = 0; i < n * n; i++) a[i] = 1.0 / (1 + i % 7), b[i] = 0.5 + i % 5;
  for (int row = 0; row < n; row++)
    for (int column = 0; column < n; column++) {
      double sum = 0;
      /* perfcast: region dtpr */
      for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[column * n + k];
      /* perfcast: end */
      c[row * n + column] = sum;
    }
  double trace = 0;
  for (int i = 0; i < n; i++) trace += c[i * n + i];
  printf("%.6f\n", trace);
  free(a), free(b), free(c);
  return 0;
}
