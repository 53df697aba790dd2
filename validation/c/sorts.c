// Three sorts of the same random integers: quicksort (median of three, insertion sort below 16),
// top-down merge sort and heap sort.
// Check: all three give the same rising sequence, whose sum is that of the input.
// Argument: thousands of integers.
#include <string.h>

#include "../common.h"

static void insertion_sort(int* a, int n) {
  for (int i = 1; i < n; i++) {
    int x = a[i], j = i;
    for (; j > 0 && a[j - 1] > x; j--) a[j] = a[j - 1];
    a[j] = x;
  }
}

static void swap(int* a, int* b) {
  int t = *a;
  *a = *b;
  *b = t;
}

static void quick_sort(int* a, int n) {
  while (n > 16) {
    int *middle = a + n / 2, *last = a + n - 1;
    if (*middle < *a) swap(middle, a);
    if (*last < *a) swap(last, a);
    if (*last < *middle) swap(last, middle);
    int pivot = *middle, i = 0, j = n - 1;
    while (i <= j) {
      while (a[i] < pivot) i++;
      while (a[j] > pivot) j--;
      if (i <= j) swap(a + i++, a + j--);
    }
    quick_sort(a, j + 1);
    a += i;
    n -= i;
  }
  insertion_sort(a, n);
}

static void merge_sort(int* a, int n, int* space) {
  if (n < 2) return;
  int half = n / 2;
  merge_sort(a, half, space);
  merge_sort(a + half, n - half, space);
  memcpy(space, a, (size_t)half * sizeof *a);
  int i = 0, j = half, k = 0;
  while (i < half && j < n) a[k++] = space[i] <= a[j] ? space[i++] : a[j++];
  while (i < half) a[k++] = space[i++];
}

static void sift(int* a, int n, int root) {
  int x = a[root];
  for (int child; (child = 2 * root + 1) < n; root = child) {
    if (child + 1 < n && a[child + 1] > a[child]) child++;
    if (a[child] <= x) break;
    a[root] = a[child];
  }
  a[root] = x;
}

static void heap_sort(int* a, int n) {
  for (int i = n / 2 - 1; i >= 0; i--) sift(a, n, i);
  for (int i = n - 1; i > 0; i--) {
    swap(a, a + i);
    sift(a, i, 0);
  }
}

int main(int argc, char** argv) {
  int n = 1000 * size_argument(argc, argv, 1000);
  int* space = malloc((size_t)n * 4 * sizeof *space);
  if (!space) return verdict(0);
  int *a = space, *b = a + n, *c = b + n;
  uint64_t seed = 31;
  int64_t before = 0, after = 0;
  for (int i = 0; i < n; i++) before += a[i] = b[i] = c[i] = (int)(next_random(&seed) >> 33);
  quick_sort(a, n);
  merge_sort(b, n, c + n);
  heap_sort(c, n);
  int good = !memcmp(a, b, (size_t)n * sizeof *a) && !memcmp(a, c, (size_t)n * sizeof *a);
  for (int i = 0; i < n; i++) {
    after += a[i];
    good = good && (i == 0 || a[i - 1] <= a[i]);
  }
  printf("sorts: %d integers, median %d\n", n, a[n / 2]);
  free(space);
  return verdict(good && before == after);
}
