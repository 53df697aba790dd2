/* Training of one fully connected layer on samples spread over the ranks; gradients are summed over all. Arguments: inputs,
   outputs, samples, rounds. */
#include "parallel.h"

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int in = argument(argc, argv, 1, 256), out = argument(argc, argv, 2, 64), samples = argument(argc, argv, 3, 128), rounds = argument(argc, argv, 4, 20);
  int mine = samples / ranks;
  double *weight = zeros((size_t)in * out), *gradient = zeros((size_t)in * out), *x = zeros((size_t)mine * in), *y = zeros((size_t)mine * out), *error = zeros((size_t)mine * out);
  for (int s = 0; s < mine; s++) {
    for (int i = 0; i < in; i++) x[(size_t)s * in + i] = ((s + rank * mine) * 17 + i * 29) % 97 / 97.0;
    for (int o = 0; o < out; o++) y[(size_t)s * out + o] = ((s + rank * mine) * 13 + o * 7) % 89 / 89.0;
  }
  double loss = 0;
  for (int r = 0; r < rounds; r++) {
    double local = 0;
#pragma omp parallel for reduction(+ : local)
    for (int s = 0; s < mine; s++)
      for (int o = 0; o < out; o++) {
        double sum = 0;
        for (int i = 0; i < in; i++) sum += weight[(size_t)o * in + i] * x[(size_t)s * in + i];
        double e = sum - y[(size_t)s * out + o];
        error[(size_t)s * out + o] = e, local += e * e;
      }
#pragma omp parallel for
    for (int o = 0; o < out; o++) {
      for (int i = 0; i < in; i++) gradient[(size_t)o * in + i] = 0;
      for (int s = 0; s < mine; s++) {
        double e = error[(size_t)s * out + o];
        for (int i = 0; i < in; i++) gradient[(size_t)o * in + i] += e * x[(size_t)s * in + i];
      }
    }
#ifdef USE_MPI
    MPI_Allreduce(MPI_IN_PLACE, gradient, in * out, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#endif
    for (int k = 0; k < in * out; k++) weight[k] -= 0.5 / samples / in * gradient[k];
    loss = sum_of(local);
  }
  if (rank == 0) printf("%.9g\n", loss);
  end();
  return 0;
}
