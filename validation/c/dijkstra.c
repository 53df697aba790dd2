// Shortest paths from one vertex (Dijkstra 1959) of a large sparse random graph, with a binary heap
// of pairs; old pairs are skipped when they surface.
// Check: at the end no edge can shorten a distance, and every vertex has an edge that attains its own.
// Argument: thousands of vertices, eight edges each.
#include "../common.h"

enum { DEGREE = 8, FAR = 1 << 30 };
typedef struct { int distance, vertex; } Pair;
static Pair* heap;
static int heap_size;

static void push(Pair x) {
  int i = ++heap_size;
  for (; i > 1 && heap[i / 2].distance > x.distance; i /= 2) heap[i] = heap[i / 2];
  heap[i] = x;
}

static Pair pop(void) {
  Pair top = heap[1], x = heap[heap_size--];
  int i = 1;
  for (int child; (child = 2 * i) <= heap_size; i = child) {
    if (child < heap_size && heap[child + 1].distance < heap[child].distance) child++;
    if (heap[child].distance >= x.distance) break;
    heap[i] = heap[child];
  }
  heap[i] = x;
  return top;
}

int main(int argc, char** argv) {
  int n = 1000 * size_argument(argc, argv, 500), edges = n * DEGREE;
  int* target = malloc((size_t)edges * sizeof *target);
  int* length = malloc((size_t)edges * sizeof *length);
  int* distance = malloc((size_t)n * sizeof *distance);
  char* attained = calloc((size_t)n, 1);
  heap = malloc((size_t)(edges + 2) * sizeof *heap);
  if (!target || !length || !distance || !attained || !heap) return verdict(0);
  uint64_t seed = 61;
  for (int e = 0; e < edges; e++) {
    target[e] = (int)(next_random(&seed) % (uint64_t)n);
    length[e] = 1 + (int)(next_random(&seed) % 10000);
  }
  for (int v = 0; v < n; v++) {
    distance[v] = FAR;
    target[v * DEGREE] = (v + 1) % n;  // a ring makes every vertex reachable
  }
  push((Pair){distance[0] = 0, 0});
  while (heap_size) {
    Pair top = pop();
    if (top.distance > distance[top.vertex]) continue;
    for (int e = top.vertex * DEGREE; e < (top.vertex + 1) * DEGREE; e++) {
      int d = top.distance + length[e];
      if (d < distance[target[e]]) push((Pair){distance[target[e]] = d, target[e]});
    }
  }
  int good = attained[0] = 1, farthest = 0;
  for (int e = 0; e < edges; e++) {
    int through = distance[e / DEGREE] + length[e];
    good = good && through >= distance[target[e]];
    if (through == distance[target[e]]) attained[target[e]] = 1;
  }
  for (int v = 0; v < n; v++) {
    good = good && attained[v];
    if (distance[v] > farthest) farthest = distance[v];
  }
  printf("dijkstra: %d vertices, farthest %d\n", n, farthest);
  free(target), free(length), free(distance), free(attained), free(heap);
  return verdict(good);
}
