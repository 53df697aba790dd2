// Vector operations at several vector lengths, after the Los Alamos benchmark BMK8A1 (Saavedra
// 1988, section 5.2.1); the C version of alamos.f, in single precision.
// Check: the last repetition of each operation is redone in double precision.
// Argument: thousands of elements per operation and length.
#include <math.h>

#include "../common.h"

enum { LONGEST = 2000, OPERATIONS = 8 };
static float a[LONGEST], b[LONGEST], c[LONGEST], r[LONGEST];

static void vector(int operation, int n, float s) {
  float sum = 0;
  switch (operation) {
    case 0: for (int i = 0; i < n; i++) r[i] = a[i] + s; break;
    case 1: for (int i = 0; i < n; i++) r[i] = a[i] * s; break;
    case 2: for (int i = 0; i < n; i++) r[i] = a[i] + s * b[i]; break;
    case 3: for (int i = 0; i < n; i++) r[i] = a[i] * b[i] + s * c[i]; break;
    case 4: for (int i = 0; i < n; i++) r[i] = (a[i] + s) / b[i]; break;
    case 5: for (int i = 0; i < n; i++) r[i] = sqrtf(a[i] * s); break;
    case 6: for (int i = 0; i < n; i++) sum += a[i] * b[i]; r[0] = sum * s; break;
    case 7: r[0] = s; for (int i = 1; i < n; i++) r[i] = 0.5f * r[i - 1] + a[i]; break;
  }
}

// Largest relative error of r against the definition.
static double error(int operation, int n, double s) {
  double worst = 0, want = 0, sum = 0;
  for (int i = 0; i < n; i++) sum += (double)a[i] * b[i];
  for (int i = 0; i < (operation == 6 ? 1 : n); i++) {
    switch (operation) {
      case 0: want = a[i] + s; break;
      case 1: want = a[i] * s; break;
      case 2: want = a[i] + s * b[i]; break;
      case 3: want = a[i] * b[i] + s * c[i]; break;
      case 4: want = (a[i] + s) / b[i]; break;
      case 5: want = sqrt(a[i] * s); break;
      case 6: want = sum * s; break;
      case 7: want = i ? 0.5 * want + a[i] : s; break;
    }
    worst = fmax(worst, fabs(r[i] - want) / want);
  }
  return worst;
}

int main(int argc, char** argv) {
  static const int lengths[] = {10, 25, 50, 100, 250, 1000, LONGEST};
  int thousands = size_argument(argc, argv, 7000);
  uint64_t seed = 1;
  for (int i = 0; i < LONGEST; i++) {
    a[i] = (float)(1 + next_unit(&seed));
    b[i] = (float)(1 + next_unit(&seed));
    c[i] = (float)(1 + next_unit(&seed));
  }
  double worst = 0, total = 0;
  for (int operation = 0; operation < OPERATIONS; operation++)
    for (int l = 0; l < 7; l++) {
      int n = lengths[l], repetitions = thousands * 1000 / n;
      float s = 1;
      for (int k = 0; k < repetitions; k++) {
        s = 1 + (float)k / (float)repetitions;
        vector(operation, n, s);
      }
      worst = fmax(worst, error(operation, n, s));
      total += r[n / 2];
    }
  printf("alamos: total %.4f, largest error %.1e\n", total, worst);
  return verdict(worst < 1e-4);
}
