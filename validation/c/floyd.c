// All shortest paths (Floyd 1962, Warshall 1962) of a random directed graph.
// Check: the distances obey the triangle inequality on the edges, and equal Bellman-Ford's from one
// start.
// Argument: number of vertices.
#include "../common.h"

static int n, *edge, *distance;

static int bellman_ford_agrees(int from) {
  int* d = malloc((size_t)n * sizeof *d);
  if (!d) return 0;
  for (int i = 0; i < n; i++) d[i] = i == from ? 0 : 1 << 28;
  for (int changed = 1; changed;) {
    changed = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        if (d[i] + edge[i * n + j] < d[j]) {
          d[j] = d[i] + edge[i * n + j];
          changed = 1;
        }
  }
  int same = 1;
  for (int i = 0; i < n; i++) same = same && d[i] == distance[from * n + i];
  free(d);
  return same;
}

int main(int argc, char** argv) {
  n = size_argument(argc, argv, 800);
  edge = malloc((size_t)n * (size_t)n * sizeof *edge);
  distance = malloc((size_t)n * (size_t)n * sizeof *distance);
  if (!edge || !distance) return verdict(0);
  uint64_t seed = 59;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      uint64_t r = next_random(&seed);
      int length = r % 16 == 0 ? 1 + (int)(r >> 40) % 1000 : 1 << 28;
      edge[i * n + j] = distance[i * n + j] = i == j ? 0 : length;
    }
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++) {
      int first = distance[i * n + k];
      for (int j = 0; j < n; j++) {
        int through = first + distance[k * n + j];
        if (through < distance[i * n + j]) distance[i * n + j] = through;
      }
    }
  int64_t sum = 0;
  for (int i = 0; i < n * n; i++) sum += distance[i];
  int good = bellman_ford_agrees(0) && bellman_ford_agrees(n / 2);
  printf("floyd: %d vertices, mean distance %.3f\n", n, (double)sum / n / n);
  free(edge), free(distance);
  return verdict(good);
}
