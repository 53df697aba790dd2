// Sieve of Eratosthenes (Saavedra 1988, table 5.2), odd numbers only, in one pass over an array
// larger than the caches near the core.
// Check: the number of primes below 1, 2, ... 10 million is the known pi(x).
// Argument: largest number, in millions, at most 4000.
#include <string.h>

#include "../common.h"

// pi(x) at whole millions, from the published tables.
static const int known[] = {0, 78498, 148933, 216816, 283146, 348513, 412849, 476648, 539777, 602489, 664579};

int main(int argc, char** argv) {
  int millions = size_argument(argc, argv, 50);
  int n = millions * 500000;  // flag i stands for 2i + 1
  char* composite = calloc((size_t)n, 1);
  if (!composite) return verdict(0);
  int good = 1, count = 1;  // the prime 2
  for (int i = 1; i < n; i++) {
    if (i % 500000 == 0 && i / 500000 <= 10) good = good && count == known[i / 500000];
    if (composite[i]) continue;
    count++;
    int prime = 2 * i + 1;
    for (int64_t j = (int64_t)2 * i * (i + 1); j < n; j += prime) composite[j] = 1;
  }
  printf("erathostenes: %d primes below %d million\n", count, millions);
  free(composite);
  return verdict(good && count > 0 && (millions > 10 || count == known[millions]));
}
