// The Conway-Baskett puzzle (Saavedra 1988, section 5.2.1): pack 13 blocks 4x2x1, three 3x1x1, one
// 2x2x1 and one 2x2x2 into a cube of side five. Recursive depth-first search that goes on after a
// solution until it has made n placements; baskett.f does the same with its own stack.
// Check: each solution fills the cube; the unwound search leaves it empty.
// Argument: thousands of placements.
#include <string.h>

#include "../common.h"

enum { PIECES = 13, CELLS = 512, BLOCKS = 18 };
static const int size[PIECES][4] = {  // sides, class
    {4, 2, 1, 0}, {2, 1, 4, 0}, {1, 4, 2, 0}, {2, 4, 1, 0}, {4, 1, 2, 0}, {1, 2, 4, 0}, {3, 1, 1, 1},
    {1, 3, 1, 1}, {1, 1, 3, 1}, {2, 2, 1, 2}, {2, 1, 2, 2}, {1, 2, 2, 2}, {2, 2, 2, 3}};
static int left[4] = {13, 3, 1, 1};
static char cube[CELLS], shape[PIECES][CELLS];
static int last[PIECES];
static int trials, limit, solutions, good = 1;

static int fits(int piece, int at) {
  if (at + last[piece] >= CELLS) return 0;
  for (int k = 0; k <= last[piece]; k++)
    if (shape[piece][k] && cube[at + k]) return 0;
  return 1;
}

static void put(int piece, int at, char value) {
  for (int k = 0; k <= last[piece]; k++)
    if (shape[piece][k]) cube[at + k] = value;
  left[size[piece][3]] += value ? -1 : 1;
}

static void search(int at, int depth) {
  if (depth == BLOCKS) {
    solutions++;
    good = good && !memchr(cube, 0, CELLS);
    return;
  }
  while (cube[at]) at++;
  for (int piece = 0; piece < PIECES && trials < limit; piece++)
    if (left[size[piece][3]] && fits(piece, at)) {
      trials++;
      put(piece, at, 1);
      search(at, depth + 1);
      put(piece, at, 0);
    }
}

int main(int argc, char** argv) {
  limit = 1000 * size_argument(argc, argv, 900);
  memset(cube, 1, sizeof cube);
  for (int i = 1; i <= 5; i++)
    for (int j = 1; j <= 5; j++)
      for (int k = 1; k <= 5; k++) cube[i + 8 * j + 64 * k] = 0;
  for (int p = 0; p < PIECES; p++)
    for (int i = 0; i < size[p][0]; i++)
      for (int j = 0; j < size[p][1]; j++)
        for (int k = 0; k < size[p][2]; k++) {
          shape[p][i + 8 * j + 64 * k] = 1;
          last[p] = i + 8 * j + 64 * k;
        }
  search(0, 0);
  int empty = 0;
  for (int i = 0; i < CELLS; i++) empty += !cube[i];
  printf("baskett: %d trials, %d solutions\n", trials, solutions);
  return verdict(good && solutions > 0 && empty == 125);
}
