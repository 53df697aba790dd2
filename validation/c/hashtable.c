// Hash table with open addressing and linear probing, larger than the caches: insert, look up hits
// and misses in random order, delete with backward shift (Knuth, volume 3, algorithm R).
// Check: every present key is found with its value, no absent one is, the count ends as computed.
// Argument: thousands of keys.
#include "../common.h"

typedef struct { uint64_t key; uint32_t value, used; } Slot;
static Slot* slot;
static uint64_t mask;

static uint64_t home(uint64_t key) { return (key * 0x9e3779b97f4a7c15u >> 20) & mask; }

// The slot of the key, or the empty one where it would go.
static uint64_t locate(uint64_t key) {
  uint64_t i = home(key);
  while (slot[i].used && slot[i].key != key) i = (i + 1) & mask;
  return i;
}

static void erase(uint64_t i) {
  for (uint64_t j = (i + 1) & mask; slot[j].used; j = (j + 1) & mask)
    if (((j - home(slot[j].key)) & mask) >= ((j - i) & mask)) {
      slot[i] = slot[j];
      i = j;
    }
  slot[i].used = 0;
}

int main(int argc, char** argv) {
  int n = 1000 * size_argument(argc, argv, 1300), good = 1, found = 0;
  for (mask = 1; mask < (uint64_t)n * 3 / 2; mask *= 2) {}
  slot = calloc(mask--, sizeof *slot);
  if (!slot) return verdict(0);
  uint64_t seed = 41;
  for (int i = 0; i < n; i++) {
    uint64_t key = next_random(&seed) | 1;  // odd keys are present, even ones absent
    slot[locate(key)] = (Slot){key, (uint32_t)i, 1};
  }
  seed = 41;
  for (int i = 0; i < n; i++) {
    uint64_t key = next_random(&seed) | 1;
    Slot s = slot[locate(key)];
    good = good && s.used && s.value == (uint32_t)i;
    found += slot[locate(key ^ 1)].used != 0;
  }
  seed = 41;
  for (int i = 0; i < n; i++) {
    uint64_t key = next_random(&seed) | 1;
    if (i % 3 == 0) erase(locate(key));
  }
  seed = 41;
  int left = 0;
  for (int i = 0; i < n; i++) left += slot[locate(next_random(&seed) | 1)].used != 0;
  printf("hashtable: %d keys, %d left, %d strangers\n", n, left, found);
  free(slot);
  return verdict(good && found == 0 && left == n - (n + 2) / 3);
}
