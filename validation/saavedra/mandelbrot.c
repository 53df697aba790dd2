// The Mandelbrot set on a grid (Saavedra 1988, section 5.2.1), with real arithmetic and the test
// for the main cardioid and disc left out, so that every point iterates.
// Check: symmetry about the real axis, and the known area 1.5066 within the limit of the grid.
// Argument: width of the grid.
#include <math.h>

#include "../common.h"

enum { STEPS = 400 };

static int escape(double cx, double cy) {
  double x = 0, y = 0, xx = 0, yy = 0;
  int step = 0;
  for (; step < STEPS && xx + yy <= 4; step++) {
    y = 2 * x * y + cy;
    x = xx - yy + cx;
    xx = x * x;
    yy = y * y;
  }
  return step;
}

int main(int argc, char** argv) {
  int nx = size_argument(argc, argv, 1100), ny = nx / 4 * 2;
  double dx = 3.0 / nx, dy = 2.5 / ny;
  int64_t half[2] = {0, 0};
  int inside = 0;
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++) {
      int steps = escape(-2.1 + (i + 0.5) * dx, (j - (ny - 1) / 2.0) * dy);
      half[2 * j >= ny] += steps;
      inside += steps == STEPS;
    }
  double area = inside * dx * dy;
  printf("mandelbrot: %lld steps, area %.4f\n", (long long)(half[0] + half[1]), area);
  return verdict(half[0] == half[1] && fabs(area - 1.515) < 0.02);
}
