/* Fast Fourier transform, radix 2, in place, 8 times; argument: N, a power of two. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void transform(double *re, double *im, int n, const double *wr, const double *wi) {
  for (int i = 1, j = 0; i < n; i++) {
    int bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j |= bit;
    if (i < j) {
      double t = re[i]; re[i] = re[j]; re[j] = t;
      t = im[i]; im[i] = im[j]; im[j] = t;
    }
  }
  for (int len = 2; len <= n; len <<= 1)
    for (int i = 0; i < n; i += len)
      for (int k = 0; k < len / 2; k++) {
        int a = i + k, b = a + len / 2;
        double cr = wr[n / len * k], ci = wi[n / len * k];
        double xr = re[b] * cr - im[b] * ci, xi = re[b] * ci + im[b] * cr;
        re[b] = re[a] - xr, im[b] = im[a] - xi;
        re[a] += xr, im[a] += xi;
      }
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 4096;
  if (n < 2 || (n & (n - 1))) { fprintf(stderr, "N must be a power of two\n"); return 2; }
  double *re = malloc(sizeof(double) * n), *im = calloc(n, sizeof(double)), *wr = malloc(sizeof(double) * n / 2), *wi = malloc(sizeof(double) * n / 2);
  for (int i = 0; i < n; i++) re[i] = i % 17;
  for (int i = 0; i < n / 2; i++) wr[i] = cos(-6.283185307179586 * i / n), wi[i] = sin(-6.283185307179586 * i / n);
  for (int r = 0; r < 8; r++) transform(re, im, n, wr, wi);
  printf("%.6g %.6g\n", re[1], im[1]);
  free(re), free(im), free(wr), free(wi);
  return 0;
}
