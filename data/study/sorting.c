/* Sorting by merging runs of growing length (Papaefstathiou et al. 1994, figure 5, the merge). Argument: elements. */
#include <stdio.h>
#include <stdlib.h>

static void merge(float *data, float *spare, int first, int middle, int last) {
  int left, right, out;
  /* perfcast: region init */
  left = first, right = middle, out = first;
  /* perfcast: end */
  /* perfcast: region merge */
  while (left < middle && right < last)
    if (data[left] <= data[right]) spare[out++] = data[left++];
    else spare[out++] = data[right++];
  /* perfcast: end */
  /* perfcast: region tail */
  while (left < middle) spare[out++] = data[left++];
  while (right < last) spare[out++] = data[right++];
  /* perfcast: end */
  /* perfcast: region copy */
  for (int i = first; i < last; i++)
    data[i] = spare[i];
  /* perfcast: end */
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 131072;
  float *data = malloc((size_t)n * sizeof *data), *spare = malloc((size_t)n * sizeof *spare);
  if (!data || !spare) return 1;
  unsigned seed = 12345;
  for (int i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    data[i] = (float)(seed >> 8);
  }
  for (int length = 1; length < n; length *= 2)
    for (int first = 0; first + length < n; first += 2 * length) {
      int last = first + 2 * length < n ? first + 2 * length : n;
      merge(data, spare, first, first + length, last);
    }
  for (int i = 1; i < n; i++)
    if (data[i - 1] > data[i]) return 1;
  printf("%g %g\n", data[0], data[n - 1]);
  free(data), free(spare);
  return 0;
}
