/* Merge sort, top down; argument: N. */
#include <stdio.h>
#include <stdlib.h>

static void sort(int *a, int *t, int n) {
  if (n < 2) return;
  int h = n / 2, i = 0, j = h, k = 0;
  sort(a, t, h), sort(a + h, t, n - h);
  while (i < h && j < n) t[k++] = a[i] <= a[j] ? a[i++] : a[j++];
  while (i < h) t[k++] = a[i++];
  while (j < n) t[k++] = a[j++];
  for (k = 0; k < n; k++) a[k] = t[k];
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 100000;
  if (n < 1) return 2;
  int *a = malloc(sizeof(int) * n), *t = malloc(sizeof(int) * n);
  unsigned s = 1;
  for (int i = 0; i < n; i++) s = s * 1664525u + 1013904223u, a[i] = s >> 8;
  sort(a, t, n);
  long sum = 0;
  for (int i = 0; i < n; i += 97) sum += a[i] % 1000;
  printf("%ld %d\n", sum, a[n / 2]);
  free(a), free(t);
  return 0;
}
