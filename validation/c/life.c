// Conway's game of life, 64 cells per word: neighbours are counted by bit-sliced adders.
// Check: a glider on a torus comes back shifted by one cell after four generations, and a random
// board agrees with a cell-by-cell count for one generation.
// Argument: number of generations of a 1024 x 1024 torus.
#include <string.h>

#include "../common.h"

enum { ROWS = 1024, WORDS = ROWS / 64 };
static uint64_t board[2][ROWS][WORDS];

static uint64_t west(const uint64_t* row, int w) { return row[w] << 1 | row[(w + WORDS - 1) % WORDS] >> 63; }
static uint64_t east(const uint64_t* row, int w) { return row[w] >> 1 | row[(w + 1) % WORDS] << 63; }

static void generation(uint64_t (*old)[WORDS], uint64_t (*new)[WORDS]) {
  for (int r = 0; r < ROWS; r++) {
    const uint64_t *up = old[(r + ROWS - 1) % ROWS], *here = old[r], *down = old[(r + 1) % ROWS];
    for (int w = 0; w < WORDS; w++) {
      const uint64_t cells[8] = {west(up, w),   up[w],         east(up, w),   west(here, w),
                                 east(here, w), west(down, w), down[w],       east(down, w)};
      uint64_t one = 0, two = 0, four = 0;  // the count, modulo 8, in three bit planes
      for (int k = 0; k < 8; k++) {
        uint64_t carry = one & cells[k];
        one ^= cells[k];
        four ^= two & carry;
        two ^= carry;
      }
      new[r][w] = two & ~four & (one | here[w]);
    }
  }
}

static int cell(uint64_t (*b)[WORDS], int r, int c) {
  r = (r + ROWS) % ROWS, c = (c + ROWS) % ROWS;
  return (int)(b[r][c / 64] >> c % 64 & 1);
}

static int agrees(void) {
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < ROWS; c++) {
      int count = -cell(board[0], r, c);
      for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) count += cell(board[0], r + i, c + j);
      int alive = count == 3 || (count == 2 && cell(board[0], r, c));
      if (alive != cell(board[1], r, c)) return 0;
    }
  return 1;
}

static int glider_flies(void) {
  memset(board, 0, sizeof board);
  board[0][5][0] = 2, board[0][6][0] = 4, board[0][7][0] = 7;
  for (int g = 0; g < 4; g++) generation(board[g % 2], board[1 - g % 2]);
  return board[0][6][0] == 4 && board[0][7][0] == 8 && board[0][8][0] == 14;
}

int main(int argc, char** argv) {
  int generations = size_argument(argc, argv, 4000), alive = 0;
  int good = glider_flies();
  uint64_t seed = 79;
  for (int r = 0; r < ROWS; r++)
    for (int w = 0; w < WORDS; w++) board[0][r][w] = next_random(&seed) & next_random(&seed);
  generation(board[0], board[1]);
  good = good && agrees();
  for (int g = 0; g < generations; g++) generation(board[g % 2], board[1 - g % 2]);
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < ROWS; c++) alive += cell(board[generations % 2], r, c);
  printf("life: %d alive after %d generations\n", alive, generations);
  return verdict(good && alive > 0);
}
