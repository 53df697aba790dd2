// Fast Fourier transform: radix two, decimation in time, complex double, strided twiddle table.
// Check: Parseval's identity, and the inverse transform gives the signal back.
// Argument: number of transforms of 2^14 points.
#include <math.h>

#include "../common.h"

enum { BITS = 14, N = 1 << BITS };
typedef struct { double re, im; } Complex;
static Complex signal[N], work[N], twiddle[N / 2];

static void reverse_order(Complex* x) {
  for (unsigned i = 0, j = 0; i < N; i++) {
    if (i < j) {
      Complex t = x[i];
      x[i] = x[j];
      x[j] = t;
    }
    unsigned bit = N >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j |= bit;
  }
}

// sign -1 forth, +1 back (without the division by N).
static void transform(Complex* x, double sign) {
  reverse_order(x);
  for (int half = 1, stride = N / 2; half < N; half *= 2, stride /= 2)
    for (int start = 0; start < N; start += 2 * half)
      for (int k = 0; k < half; k++) {
        Complex w = twiddle[k * stride], *p = x + start + k, *q = p + half;
        double wi = -sign * w.im;
        double re = w.re * q->re - wi * q->im, im = w.re * q->im + wi * q->re;
        q->re = p->re - re, q->im = p->im - im;
        p->re += re, p->im += im;
      }
}

int main(int argc, char** argv) {
  int times = size_argument(argc, argv, 1000);
  const double pi = 3.14159265358979323846;
  uint64_t seed = 11;
  for (int k = 0; k < N / 2; k++) twiddle[k] = (Complex){cos(2 * pi * k / N), -sin(2 * pi * k / N)};
  double worst = 0, time_power = 0, frequency_power = 0;
  for (int i = 0; i < N; i++) {
    signal[i] = (Complex){next_unit(&seed) - 0.5, next_unit(&seed) - 0.5};
    time_power += signal[i].re * signal[i].re + signal[i].im * signal[i].im;
    work[i] = signal[i];
  }
  for (int n = 0; n < times / 2; n++) {
    transform(work, -1);
    if (n == 0)
      for (int i = 0; i < N; i++) frequency_power += work[i].re * work[i].re + work[i].im * work[i].im;
    transform(work, 1);
    for (int i = 0; i < N; i++) work[i].re /= N, work[i].im /= N;
  }
  for (int i = 0; i < N; i++)
    worst = fmax(worst, hypot(work[i].re - signal[i].re, work[i].im - signal[i].im));
  double parseval = fabs(frequency_power / N / time_power - 1);
  printf("fft: round-trip error %.1e, Parseval %.1e\n", worst, parseval);
  return verdict(worst < 1e-10 && parseval < 1e-12);
}
