// The Whetstone statement mix (Curnow and Wichmann 1976; Saavedra 1988, section 5.2.1) in C, with
// the published weights of the modules.
// Check: the modules have known results, as in whetstone.f.
// Argument: number of rounds; one round is 100 times the weights.
#include <math.h>

#include "../common.h"

static const double t = 0.499975, t1 = 0.50025, t2 = 2.0;
static double e[4];
static int j, k, l;

static void average(double* x, double divisor) {
  x[0] = (x[0] + x[1] + x[2] - x[3]) * t;
  x[1] = (x[0] + x[1] - x[2] + x[3]) * t;
  x[2] = (x[0] - x[1] + x[2] + x[3]) * t;
  x[3] = (-x[0] + x[1] + x[2] + x[3]) / divisor;
}

static void unit(void) {
  e[0] = 1;
  e[1] = e[2] = e[3] = -1;
}

static int bounded(void) { return fabs(e[0]) < 1.5 && fabs(e[1]) < 1.5 && fabs(e[2]) < 1.5 && fabs(e[3]) < 1.5; }

static double sums(double x, double y) {
  double x1 = t * (x + y), y1 = t * (x1 + y);
  return (x1 + y1) / t2;
}

static void rotate(void) {
  e[j] = e[k];
  e[k] = e[l];
  e[l] = e[j];
}

// All modules; false when one misses its known result.
static int one_round(int loops) {
  int good = 1;
  unit();  // array elements, inline
  for (int i = 0; i < 12 * loops; i++) average(e, 1 / t);
  good = good && bounded();
  unit();  // array as parameter
  for (int i = 0; i < 14 * loops; i++)
    for (int n = 0; n < 6; n++) average(e, t2);
  good = good && bounded();
  j = 1;  // conditional jumps
  for (int i = 0; i < 345 * loops; i++) {
    j = j == 1 ? 2 : 3;
    j = j > 2 ? 0 : 1;
    j = j < 1 ? 1 : j;
  }
  good = good && j == 1;
  j = 1, k = 2, l = 3;  // integers and subscripts
  for (int i = 0; i < 210 * loops; i++) {
    j = j * (k - j) * (l - k);
    k = l * k - (l - j) * k;
    l = (l - k) * (k + j);
    e[l - 2] = j + k + l;
    e[k - 2] = j * k * l;
  }
  good = good && j == 1 && k == 2 && l == 3 && e[0] == 6 && e[1] == 6;
  double x = 0.5, y = 0.5;  // trigonometry
  for (int i = 0; i < 32 * loops; i++) {
    x = t * atan(t2 * sin(x) * cos(x) / (cos(x + y) + cos(x - y) - 1));
    y = t * atan(t2 * sin(y) * cos(y) / (cos(x + y) + cos(x - y) - 1));
  }
  good = good && x > 0 && x <= 0.5 && fabs(x - y) < 0.01;
  double z = 0;  // procedure calls
  for (int i = 0; i < 899 * loops; i++) z = sums(1, 1);
  good = good && fabs(z - (t * 2 + t * (t * 2 + 1)) / t2) < 1e-12;
  e[0] = 0, e[1] = 1, e[2] = 2, e[3] = 3;  // array references
  for (int i = 0; i < 616 * loops; i++) rotate();
  good = good && (e[1] + e[2] + e[3] == 7 || e[1] + e[2] + e[3] == 8);
  x = 0.75;  // standard functions
  for (int i = 0; i < 93 * loops; i++) x = sqrt(exp(log(x) / t1));
  return good && fabs(x - exp(log(0.75) * pow(2 * t1, -93 * loops))) < 1e-9;
}

int main(int argc, char** argv) {
  int rounds = size_argument(argc, argv, 250), good = 1;
  for (int i = 0; i < rounds; i++) good = one_round(100) && good;
  printf("whetstone: %d rounds\n", rounds);
  return verdict(good);
}
