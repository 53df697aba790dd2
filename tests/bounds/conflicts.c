/* The same sum down the columns of a matrix: rows 4096 bytes apart fall into few places of the caches, padded rows do not. */
#include <stdio.h>
#include <stdlib.h>
#define LOOP __attribute__((noinline))

LOOP long unlucky(int rows, const long *x) {
  long s = 0;
  for (int j = 0; j < 512; j++)
    for (int i = 0; i < rows; i++) s += x[(long)i * 512 + j];
  return s;
}
LOOP long padded(int rows, const long *x) {
  long s = 0;
  for (int j = 0; j < 512; j++)
    for (int i = 0; i < rows; i++) s += x[(long)i * 520 + j];
  return s;
}
int main(int argc, char **argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 200;
  long s = 0, *x = malloc(400 * 520 * sizeof *x);
  for (int i = 0; i < 400 * 520; i++) x[i] = i;
  for (int r = 0; r < rounds; r++) s += unlucky(400 - r % 2, x) + padded(400 - r % 2, x), x[r % 400] = s;
  printf("%ld\n", s);
  return 0;
}
