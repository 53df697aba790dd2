// A small data base on the C library: malloc and free of records, snprintf, strcmp, strtod, qsort
// and bsearch with call-backs, memcpy.
// Check: every record is found again by name, and the sum of the numbers read back from text is exact.
// Argument: thousands of records.
#include <string.h>

#include "../common.h"

typedef struct { char* name; char text[24]; int value; } Entry;

static int by_name(const void* a, const void* b) {
  return strcmp((*(Entry* const*)a)->name, (*(Entry* const*)b)->name);
}

static Entry* make_entry(uint64_t* seed) {
  char name[32];
  Entry* entry = malloc(sizeof *entry);
  if (!entry) exit(3);
  uint64_t r = next_random(seed);
  int length = snprintf(name, sizeof name, "key-%llx-%d", (unsigned long long)(r >> 8), (int)(r % 97));
  entry->name = malloc((size_t)length + 1);
  if (!entry->name) exit(3);
  memcpy(entry->name, name, (size_t)length + 1);
  entry->value = (int)(r % 1000000);
  snprintf(entry->text, sizeof entry->text, "%d.25", entry->value);
  return entry;
}

int main(int argc, char** argv) {
  int n = 1000 * size_argument(argc, argv, 160), found = 0;
  Entry** entry = malloc((size_t)n * sizeof *entry);
  if (!entry) return verdict(0);
  uint64_t seed = 97;
  for (int i = 0; i < n; i++) entry[i] = make_entry(&seed);
  qsort(entry, (size_t)n, sizeof *entry, by_name);
  seed = 97;
  double read = 0, want = 0;
  for (int i = 0; i < n; i++) {
    Entry* key = make_entry(&seed);
    Entry** hit = bsearch(&key, entry, (size_t)n, sizeof *entry, by_name);
    found += hit && strcmp((*hit)->text, key->text) == 0;
    read += hit ? strtod((*hit)->text, NULL) : 0;
    want += key->value + 0.25;
    free(key->name), free(key);
  }
  printf("library: %d of %d found, first %s\n", found, n, entry[0]->name);
  for (int i = 0; i < n; i++) free(entry[i]->name), free(entry[i]);
  free(entry);
  return verdict(found == n && read == want);
}
