// Breadth-first search on a random graph in CSR form, from several starts: irregular memory access.
// Check: every vertex is reached, levels of neighbours differ by at most one, each vertex has a nearer
// neighbour, and the search from the other end finds the same distance.
// Argument: thousands of vertices.
#include <string.h>

#include "../common.h"

static int n, *start, *neighbour, *level, *queue;

// Make a symmetric graph: a ring and three random edges per vertex.
static void make_graph(int* from, int* to, int edges) {
  for (int e = 0; e < edges; e++) start[from[e] + 1]++, start[to[e] + 1]++;
  for (int v = 0; v < n; v++) start[v + 1] += start[v];
  int* fill = malloc((size_t)n * sizeof *fill);
  if (!fill) exit(3);
  memcpy(fill, start, (size_t)n * sizeof *fill);
  for (int e = 0; e < edges; e++) {
    neighbour[fill[from[e]]++] = to[e];
    neighbour[fill[to[e]]++] = from[e];
  }
  free(fill);
}

static int search(int from) {
  int head = 0, tail = 0;
  for (int v = 0; v < n; v++) level[v] = -1;
  level[from] = 0;
  queue[tail++] = from;
  while (head < tail) {
    int v = queue[head++];
    for (int e = start[v]; e < start[v + 1]; e++)
      if (level[neighbour[e]] < 0) {
        level[neighbour[e]] = level[v] + 1;
        queue[tail++] = neighbour[e];
      }
  }
  return tail;
}

static int consistent(void) {
  for (int v = 0; v < n; v++) {
    int nearer = level[v] == 0;
    for (int e = start[v]; e < start[v + 1]; e++) {
      int step = level[v] - level[neighbour[e]];
      if (step > 1 || step < -1) return 0;
      nearer |= step == 1;
    }
    if (!nearer) return 0;
  }
  return 1;
}

int main(int argc, char** argv) {
  n = 1000 * size_argument(argc, argv, 400);
  int edges = 4 * n, good = 1, back = 0;
  int* space = calloc((size_t)n * 3 + 1 + (size_t)edges * 4, sizeof *space);
  if (!space) return verdict(0);
  start = space, level = start + n + 1, queue = level + n, neighbour = queue + n;
  int *from = neighbour + 2 * edges, *to = from + edges;
  uint64_t seed = 67;
  for (int e = 0; e < edges; e++) {
    from[e] = e % n;
    to[e] = e < n ? (e + 1) % n : (int)(next_random(&seed) % (uint64_t)n);
  }
  make_graph(from, to, edges);
  for (int k = 0; k < 8; k++) {
    int source = (int)(next_random(&seed) % (uint64_t)n);
    good = good && search(source) == n;
    int there = level[0];
    if (k == 0) {
      good = good && consistent();
      search(0);
      back = level[source];
      good = good && there == back;
    }
  }
  printf("bfs: %d vertices, distance of the first pair %d\n", n, back);
  free(space);
  return verdict(good);
}
