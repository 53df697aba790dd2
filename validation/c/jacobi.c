// Jacobi iteration for Laplace's equation on a square, two arrays in turn, too large for the caches
// near the core.
// Check: the harmonic polynomial x^2 - y^2 is a fixed point of the mean of four neighbours; started
// from it with noise added inside, the noise must die at the rate of a random walk.
// Argument: number of sweeps over 1024 x 1024 points.
#include <math.h>

#include "../common.h"

enum { N = 1024 };
static double grid[2][N][N];

static double exact(int i, int j) {
  double x = (double)i / N, y = (double)j / N;
  return x * x - y * y;
}

// Root of the summed square difference from the harmonic function.
static double distance(double (*u)[N]) {
  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) sum += (u[i][j] - exact(i, j)) * (u[i][j] - exact(i, j));
  return sqrt(sum);
}

int main(int argc, char** argv) {
  int sweeps = size_argument(argc, argv, 250);
  uint64_t seed = 23;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      int inside = i > 0 && j > 0 && i < N - 1 && j < N - 1;
      grid[0][i][j] = grid[1][i][j] = exact(i, j) + (inside ? next_unit(&seed) - 0.5 : 0);
    }
  double before = distance(grid[0]);
  for (int s = 0; s < sweeps; s++) {
    double(*u)[N] = grid[s % 2], (*v)[N] = grid[1 - s % 2];
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
  }
  double after = distance(grid[sweeps % 2]);
  printf("jacobi: distance %.3f, then %.3f\n", before, after);
  // White noise under the mean of four decays as 1 / sqrt(pi * sweeps).
  return verdict(after < 1.5 * before / sqrt(3.14159 * sweeps));
}
