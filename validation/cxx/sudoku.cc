// Sudoku by backtracking on the cell with the fewest candidates; puzzles are made by taking digits
// away from relabelled and shuffled solutions.
// Check: each solution keeps the givens and has every digit once per row, column and box.
// Argument: number of puzzles.
#include <array>
#include <bitset>
#include <cstdio>
#include <utility>

#include "../common.h"

namespace {

using Grid = std::array<int, 81>;  // 0 is empty

class Solver {
 public:
  explicit Solver(const Grid& puzzle) : grid_(puzzle) {
    for (int cell = 0; cell < 81; ++cell)
      if (grid_[cell] != 0) toggle(cell, grid_[cell]);
  }
  const Grid& grid() const { return grid_; }
  int64_t visited() const { return visited_; }

  bool solve() {
    ++visited_;
    int best = -1, fewest = 10;
    for (int cell = 0; cell < 81; ++cell)
      if (grid_[cell] == 0) {
        int count = static_cast<int>(candidates(cell).count());
        if (count < fewest) fewest = count, best = cell;
      }
    if (best < 0) return true;
    auto open = candidates(best);
    for (int digit = 1; digit <= 9; ++digit)
      if (open[digit]) {
        grid_[best] = digit;
        toggle(best, digit);
        if (solve()) return true;
        toggle(best, digit);
      }
    grid_[best] = 0;
    return false;
  }

 private:
  using Digits = std::bitset<10>;
  static int box(int cell) { return cell / 27 * 3 + cell % 9 / 3; }
  Digits candidates(int cell) const {
    return ~(row_[cell / 9] | column_[cell % 9] | box_[box(cell)]) & Digits(0x3fe);
  }
  void toggle(int cell, int digit) {
    row_[cell / 9].flip(digit);
    column_[cell % 9].flip(digit);
    box_[box(cell)].flip(digit);
  }

  Grid grid_;
  std::array<Digits, 9> row_{}, column_{}, box_{};
  int64_t visited_ = 0;
};

// A valid grid with digits relabelled and rows swapped inside their bands, then `holes` holes.
Grid make_puzzle(uint64_t& seed, int holes) {
  std::array<int, 9> label{1, 2, 3, 4, 5, 6, 7, 8, 9}, order{0, 1, 2, 3, 4, 5, 6, 7, 8};
  for (int i = 8; i > 0; --i) std::swap(label[i], label[next_random(&seed) % (i + 1)]);
  for (int band = 0; band < 9; band += 3)
    for (int i = 2; i > 0; --i) std::swap(order[band + i], order[band + next_random(&seed) % (i + 1)]);
  Grid grid{};
  for (int r = 0; r < 9; ++r)
    for (int c = 0; c < 9; ++c) grid[9 * r + c] = label[(order[r] * 3 + order[r] / 3 + c) % 9];
  for (int made = 0; made < holes;) {
    auto cell = next_random(&seed) % 81;
    made += grid[cell] != 0;
    grid[cell] = 0;
  }
  return grid;
}

bool valid(const Grid& puzzle, const Grid& grid) {
  for (int cell = 0; cell < 81; ++cell)
    if (grid[cell] < 1 || (puzzle[cell] != 0 && puzzle[cell] != grid[cell])) return false;
  for (int unit = 0; unit < 9; ++unit) {
    int row = 0, column = 0, box = 0;
    for (int k = 0; k < 9; ++k) {
      row |= 1 << grid[9 * unit + k];
      column |= 1 << grid[9 * k + unit];
      box |= 1 << grid[27 * (unit / 3) + 3 * (unit % 3) + 9 * (k / 3) + k % 3];
    }
    if (row != 0x3fe || column != 0x3fe || box != 0x3fe) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  int puzzles = size_argument(argc, argv, 6000);
  uint64_t seed = 131;
  int64_t visited = 0;
  bool good = true;
  for (int i = 0; i < puzzles; ++i) {
    Grid puzzle = make_puzzle(seed, 56);
    Solver solver(puzzle);
    good = solver.solve() && valid(puzzle, solver.grid()) && good;
    visited += solver.visited();
  }
  std::printf("sudoku: %d puzzles, %lld positions\n", puzzles, static_cast<long long>(visited));
  return verdict(good);
}
