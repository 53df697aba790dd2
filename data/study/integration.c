/* Numerical integration of a polynomial of fifth order over 0..100: strips are refined until two estimates agree
   (surface estimation, Papaefstathiou et al. 1994, figure 5). Argument: repetitions. */
#include <stdio.h>
#include <stdlib.h>

static const double coefficient[6] = {3.0, -2.0, 0.5, 0.25, -0.125, 0.03125};

static double polynomial(double x) {
  double sum = 0;
  for (int i = 5; i >= 0; i--) sum = sum * x + coefficient[i];
  return sum;
}

/* The surface below the curve between a and b, refined `level` times: level 0 is the edge, a single trapezium. */
static double surface(double a, double b, int level) {
  double result;
  if (level == 0) {
    /* perfcast: region edge */
    double left = polynomial(a), right = polynomial(b);
    result = 0.5 * (b - a) * (left + right);
    /* perfcast: end */
  } else {
    int points = 1;
    /* perfcast: region power */
    for (int i = 1; i < level; i++)
      points = points * 2;
    /* perfcast: end */
    /* perfcast: region vinit */
    double width = (b - a) / points, x = a + 0.5 * width, sum = 0;
    /* perfcast: end */
    for (int i = 0; i < points; i++) {
      /* perfcast: region srf */
      double y = coefficient[5];
      y = y * x + coefficient[4];
      y = y * x + coefficient[3];
      y = y * x + coefficient[2];
      y = y * x + coefficient[1];
      y = y * x + coefficient[0];
      sum = sum + y;
      x = x + width;
      /* perfcast: end */
    }
    /* perfcast: region result */
    result = width * sum;
    /* perfcast: end */
  }
  return result;
}

int main(int argc, char **argv) {
  int repetitions = argc > 1 ? atoi(argv[1]) : 20;
  double total = 0;
  for (int r = 0; r < repetitions; r++)
    for (int strip = 0; strip < 100; strip++) {
      double last = surface(strip, strip + 1, 0);
      for (int level = 1; level < 12; level++) {
        double now = surface(strip, strip + 1, level), change = now - last;
        last = now;
        if (change < 1e-10 && change > -1e-10) break;
      }
      total += last;
    }
  printf("%.6f\n", total);
  return 0;
}
