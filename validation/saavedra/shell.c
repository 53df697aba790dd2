// Shell sort (D. L. Shell 1959; Saavedra 1988, section 5.2.1) of random doubles, one large array.
// Check: the result rises, and the count below one half is that of the input.
// Argument: thousands of numbers.
#include "../common.h"

// Ciura's increments (2001), continued by the factor 9/4.
static void shell_sort(double* key, int n) {
  static const int increments[] = {3551241, 1578329, 701479, 311768, 138563, 61583, 27370, 12164, 5406, 2402,
                                   1068,    701,     301,    132,    57,     23,    10,    4,     1};
  for (unsigned k = 0; k < sizeof increments / sizeof *increments; k++) {
    int h = increments[k];
    for (int i = h; i < n; i++) {
      double moved = key[i];
      int j = i;
      for (; j >= h && key[j - h] > moved; j -= h) key[j] = key[j - h];
      key[j] = moved;
    }
  }
}

int main(int argc, char** argv) {
  int n = 1000 * size_argument(argc, argv, 1200);
  double* key = malloc((size_t)n * sizeof *key);
  if (!key) return verdict(0);
  uint64_t seed = 99;
  int below = 0;
  for (int i = 0; i < n; i++) {
    key[i] = next_unit(&seed);
    below += key[i] < 0.5;
  }
  shell_sort(key, n);
  int good = key[0] >= 0 && key[below - 1] < 0.5 && key[below] >= 0.5;
  for (int i = 1; i < n; i++) good = good && key[i - 1] <= key[i];
  printf("shell: %d numbers, %d below one half\n", n, below);
  free(key);
  return verdict(good);
}
