// Binary search tree kept in balance by random priorities (treap; Aragon and Seidel 1989): insert,
// look up, erase; one malloc per node, pointers followed at random.
// Check: the tree holds the right keys in order, and its depth is logarithmic.
// Argument: thousands of keys.
#include "../common.h"

typedef struct Node { struct Node* child[2]; uint32_t key, priority; } Node;
static uint64_t seed = 43;

static Node* rotate(Node* node, int side) {
  Node* up = node->child[side];
  node->child[side] = up->child[!side];
  up->child[!side] = node;
  return up;
}

static Node* insert(Node* node, uint32_t key) {
  if (!node) {
    node = calloc(1, sizeof *node);
    if (!node) exit(3);
    node->key = key;
    node->priority = (uint32_t)next_random(&seed);
    return node;
  }
  if (key == node->key) return node;
  int side = key > node->key;
  node->child[side] = insert(node->child[side], key);
  return node->child[side]->priority > node->priority ? rotate(node, side) : node;
}

static Node* merge(Node* a, Node* b) {
  if (!a || !b) return a ? a : b;
  if (a->priority > b->priority) {
    a->child[1] = merge(a->child[1], b);
    return a;
  }
  b->child[0] = merge(a, b->child[0]);
  return b;
}

static Node* erase(Node* node, uint32_t key) {
  if (!node) return NULL;
  if (node->key == key) {
    Node* rest = merge(node->child[0], node->child[1]);
    free(node);
    return rest;
  }
  int side = key > node->key;
  node->child[side] = erase(node->child[side], key);
  return node;
}

static int contains(const Node* node, uint32_t key) {
  while (node && node->key != key) node = node->child[key > node->key];
  return node != NULL;
}

// Counts nodes in order; clears *good when the keys do not rise. Returns the depth.
static int walk(const Node* node, int64_t* previous, int* count, int* good) {
  if (!node) return 0;
  int left = walk(node->child[0], previous, count, good);
  *good = *good && (int64_t)node->key > *previous;
  *previous = node->key;
  ++*count;
  int right = walk(node->child[1], previous, count, good);
  return 1 + (left > right ? left : right);
}

int main(int argc, char** argv) {
  int n = 1000 * size_argument(argc, argv, 180), hits = 0, count = 0, good = 1;
  Node* root = NULL;
  // An odd multiplier permutes 32-bit integers: distinct keys in scattered order.
  for (int i = 0; i < n; i++) root = insert(root, (uint32_t)i * 2654435761u);
  for (int i = 0; i < 2 * n; i++) hits += contains(root, (uint32_t)i * 2654435761u);
  for (int i = 0; i < n; i += 2) root = erase(root, (uint32_t)i * 2654435761u);
  int64_t previous = -1;
  int depth = walk(root, &previous, &count, &good);
  printf("treap: %d hits, %d nodes left, depth %d\n", hits, count, depth);
  while (root) root = erase(root, root->key);
  return verdict(good && hits == n && count == n / 2 && depth < 80);
}
