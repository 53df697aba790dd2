// All placements of n queens that do not attack each other: recursion with bit masks.
// Check: the counts for boards of 1 to 14 are known.
// Argument: side of the board, at most 14.
#include "../common.h"

static const int known[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596};

static int place(unsigned free_columns, unsigned left, unsigned right, unsigned all) {
  if (!free_columns) return 1;
  int count = 0;
  for (unsigned open = free_columns & ~(left | right); open; open &= open - 1) {
    unsigned bit = open & -open;
    count += place(free_columns & ~bit, ((left | bit) << 1) & all, (right | bit) >> 1, all);
  }
  return count;
}

int main(int argc, char** argv) {
  int n = size_argument(argc, argv, 14), good = n >= 1 && n <= 14;
  for (int side = 1; good && side <= n; side++) {
    unsigned all = (1u << side) - 1;
    good = place(all, 0, 0, all) == known[side];
  }
  printf("queens: board %d, %d solutions\n", n, good ? known[n] : -1);
  return verdict(good);
}
