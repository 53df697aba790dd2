// Radix sort of 32-bit keys with their index, least significant byte first, arrays beyond the caches.
// Check: keys rise, equal keys keep their order (stability), every index appears once.
// Argument: thousands of keys.
#include "../common.h"

typedef struct { uint32_t key, index; } Record;

static void pass(const Record* from, Record* to, int n, int shift) {
  int count[257] = {0};
  for (int i = 0; i < n; i++) count[(from[i].key >> shift & 255) + 1]++;
  for (int i = 0; i < 256; i++) count[i + 1] += count[i];
  for (int i = 0; i < n; i++) to[count[from[i].key >> shift & 255]++] = from[i];
}

int main(int argc, char** argv) {
  int n = 1000 * size_argument(argc, argv, 6000);
  Record *a = calloc((size_t)n, sizeof *a), *b = calloc((size_t)n, sizeof *b);
  char* seen = calloc((size_t)n, 1);
  if (!a || !b || !seen) return verdict(0);
  uint64_t seed = 83;
  for (int i = 0; i < n; i++) a[i] = (Record){(uint32_t)next_random(&seed) & 0xffffff7f, (uint32_t)i};
  for (int shift = 0; shift < 32; shift += 16) {
    pass(a, b, n, shift);
    pass(b, a, n, shift + 8);
  }
  int good = 1;
  for (int i = 0; i < n; i++) {
    if (i > 0) good = good && (a[i - 1].key < a[i].key || (a[i - 1].key == a[i].key && a[i - 1].index < a[i].index));
    good = good && !seen[a[i].index];
    seen[a[i].index] = 1;
  }
  printf("radix: %d keys, median %08x\n", n, (unsigned)a[n / 2].key);
  free(a), free(b), free(seen);
  return verdict(good);
}
