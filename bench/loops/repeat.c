/* The loops of kernels.c called many times each, as a plain program: for bench/bounds_laws.py. */
#include <stdio.h>
#include <stdlib.h>

#include "data.h"

static G g;
int main(int argc, char **argv) {
  int times = argc > 1 ? atoi(argv[1]) : 20000;
#define CALL(name, n) prepare(&g); for (int i = 0; i < times; i++) k_##name(&g, n);
  KERNELS(CALL)
  printf("%g\n", A[3] + g.r);
  return 0;
}
