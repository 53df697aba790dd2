// European options by the formula of Black and Scholes (1973), and by Monte Carlo with Box-Muller
// normals for one of them: exp, log, sqrt, erfc, sin and cos of the mathematical library.
// Check: call minus put is S - K exp(-rT) (put-call parity), and Monte Carlo meets the formula.
// Argument: thousands of options.
#include <math.h>

#include "../common.h"

static double normal(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }

static double price(double s, double k, double rate, double sigma, double t, int call) {
  double root = sigma * sqrt(t), d1 = (log(s / k) + (rate + 0.5 * sigma * sigma) * t) / root, d2 = d1 - root;
  double discounted = k * exp(-rate * t);
  return call ? s * normal(d1) - discounted * normal(d2) : discounted * normal(-d2) - s * normal(-d1);
}

static double monte_carlo(int paths, uint64_t* seed) {
  const double pi = 3.14159265358979323846;
  double sum = 0;
  for (int i = 0; i < paths; i++) {
    double u = 1 - next_unit(seed), v = next_unit(seed);
    double radius = sqrt(-2 * log(u)), z[2] = {radius * cos(2 * pi * v), radius * sin(2 * pi * v)};
    for (int k = 0; k < 2; k++) {
      double end = 100 * exp(0.05 - 0.5 * 0.04 + 0.2 * z[k]);
      sum += end > 105 ? end - 105 : 0;
    }
  }
  return exp(-0.05) * sum / (2.0 * paths);
}

int main(int argc, char** argv) {
  int n = 1000 * size_argument(argc, argv, 1500);
  uint64_t seed = 73;
  double worst = 0, total = 0;
  for (int i = 0; i < n; i++) {
    double s = 50 + 100 * next_unit(&seed), k = 50 + 100 * next_unit(&seed), t = 0.1 + 2 * next_unit(&seed);
    double rate = 0.1 * next_unit(&seed), sigma = 0.1 + 0.4 * next_unit(&seed);
    double call = price(s, k, rate, sigma, t, 1), put = price(s, k, rate, sigma, t, 0);
    worst = fmax(worst, fabs(call - put - s + k * exp(-rate * t)));
    total += call;
  }
  double formula = price(100, 105, 0.05, 0.2, 1, 1), sampled = monte_carlo(n, &seed);
  printf("options: mean %.4f, parity %.1e, formula %.4f, sampled %.4f\n", total / n, worst, formula, sampled);
  return verdict(worst < 1e-9 && fabs(formula - sampled) < 40 / sqrt(n));
}
