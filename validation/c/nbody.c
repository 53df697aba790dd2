// Gravitating bodies in three dimensions, every pair, softened forces, leapfrog steps.
// Check: energy is kept to 10^-4 and momentum to rounding (Newton's third law).
// Argument: number of steps of 128 bodies.
#include <math.h>

#include "../common.h"

enum { BODIES = 128 };
typedef struct { double x[3], v[3], a[3], mass; } Body;
static Body body[BODIES];
static const double softening = 0.05;

// Accelerations of all bodies; returns the potential energy.
static double attract(void) {
  double potential = 0;
  for (int i = 0; i < BODIES; i++) body[i].a[0] = body[i].a[1] = body[i].a[2] = 0;
  for (int i = 0; i < BODIES; i++)
    for (int j = i + 1; j < BODIES; j++) {
      double d[3], r2 = softening * softening;
      for (int k = 0; k < 3; k++) {
        d[k] = body[j].x[k] - body[i].x[k];
        r2 += d[k] * d[k];
      }
      double inverse = 1 / sqrt(r2), cube = inverse * inverse * inverse;
      for (int k = 0; k < 3; k++) {
        body[i].a[k] += body[j].mass * cube * d[k];
        body[j].a[k] -= body[i].mass * cube * d[k];
      }
      potential -= body[i].mass * body[j].mass * inverse;
    }
  return potential;
}

static double kinetic(void) {
  double sum = 0;
  for (int i = 0; i < BODIES; i++)
    for (int k = 0; k < 3; k++) sum += 0.5 * body[i].mass * body[i].v[k] * body[i].v[k];
  return sum;
}

static void kick(double dt) {
  for (int i = 0; i < BODIES; i++)
    for (int k = 0; k < 3; k++) body[i].v[k] += dt * body[i].a[k];
}

int main(int argc, char** argv) {
  int steps = size_argument(argc, argv, 4000);
  const double dt = 1e-4;
  uint64_t seed = 5;
  for (int i = 0; i < BODIES; i++) {
    body[i].mass = 1.0 / BODIES;
    for (int k = 0; k < 3; k++) body[i].x[k] = next_unit(&seed) - 0.5, body[i].v[k] = next_unit(&seed) - 0.5;
  }
  double before[3] = {0, 0, 0}, drift = 0, potential = attract();
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < BODIES; i++) before[k] += body[i].mass * body[i].v[k];
  double start = potential + kinetic();
  for (int s = 0; s < steps; s++) {
    kick(dt / 2);
    for (int i = 0; i < BODIES; i++)
      for (int k = 0; k < 3; k++) body[i].x[k] += dt * body[i].v[k];
    potential = attract();
    kick(dt / 2);
  }
  for (int k = 0; k < 3; k++) {
    double after = 0;
    for (int i = 0; i < BODIES; i++) after += body[i].mass * body[i].v[k];
    drift = fmax(drift, fabs(after - before[k]));
  }
  double change = fabs((potential + kinetic() - start) / start);
  printf("nbody: energy %.6f, change %.1e, momentum drift %.1e\n", start, change, drift);
  return verdict(change < 1e-4 && drift < 1e-11);
}
