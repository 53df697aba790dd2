// Long sequences with repetitions as loops: whenever the last L items equal the L before them, or the body of a loop that
// stands before them, they are folded. Computation times are averaged over the passes; everything else must be equal.
#pragma once

#include <cstddef>
#include <vector>

#include "record/skeleton.h"

namespace perfcast::mpi {

class Folder {
 public:
  explicit Folder(std::size_t longest_body = 512) : longest_(longest_body) {}
  void add(Step step);
  std::vector<Step> finish();

 private:
  struct Item {
    Step step;              // of a loop: times only
    double seconds = 0;     // summed
    double merged = 1;      // how many steps these are
    std::size_t hash = 0;
    std::vector<Item> body;
  };
  static bool equal(const Item& a, const Item& b);
  static void merge(Item& into, const Item& other);
  static std::size_t hash_of(const Step& step);
  static void rehash(Item& loop);
  static std::vector<Step> steps_of(const std::vector<Item>& items);
  bool fold_once();

  std::size_t longest_;
  std::vector<Item> items_;
};

// Folded as it is; if more than `most` steps remain, once more with sizes that need not be equal (their mean is kept).
std::vector<Step> fold(const std::vector<Step>& steps, std::size_t most = 4000);

}  // namespace perfcast::mpi
