// The 0-1 knapsack problem twice: dynamic programming over capacities, and branch and bound with the
// fractional bound (Dantzig 1957).
// Check: both give the same best value, and the chosen items fit and have that value.
// Argument: number of items.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "../common.h"

namespace {

struct Item {
  int weight, value;
};

int by_table(const std::vector<Item>& items, int capacity) {
  std::vector<int> table(static_cast<std::size_t>(capacity) + 1, 0);
  int* best = table.data();
  for (const auto& item : items)
    for (int c = capacity; c >= item.weight; --c) {
      int with = best[c - item.weight] + item.value;
      if (with > best[c]) best[c] = with;
    }
  return table.back();
}

class Branch {
 public:
  explicit Branch(std::vector<Item> items) : items_(std::move(items)), taken_(items_.size(), 0) {
    std::sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
      return static_cast<int64_t>(a.value) * b.weight > static_cast<int64_t>(b.value) * a.weight;
    });
  }
  int solve(int capacity) {
    descend(0, capacity, 0);
    return best_;
  }
  int64_t visited() const { return visited_; }
  bool consistent(int capacity) const {
    int weight = 0, value = 0;
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (chosen_[i] != 0) weight += items_[i].weight, value += items_[i].value;
    return weight <= capacity && value == best_;
  }

 private:
  // Value if the rest could be cut.
  double bound(std::size_t i, int room) const {
    double sum = 0;
    for (; i < items_.size() && items_[i].weight <= room; ++i) {
      room -= items_[i].weight;
      sum += items_[i].value;
    }
    return i < items_.size() ? sum + static_cast<double>(items_[i].value) * room / items_[i].weight : sum;
  }

  void descend(std::size_t i, int room, int value) {
    ++visited_;
    if (value > best_) {
      best_ = value;
      chosen_ = taken_;
    }
    if (i == items_.size() || value + bound(i, room) < best_ + 1) return;
    if (items_[i].weight <= room) {
      taken_[i] = 1;
      descend(i + 1, room - items_[i].weight, value + items_[i].value);
      taken_[i] = 0;
    }
    descend(i + 1, room, value);
  }

  std::vector<Item> items_;
  std::vector<char> taken_, chosen_;
  int best_ = 0;
  int64_t visited_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  int n = size_argument(argc, argv, 600);
  uint64_t seed = 149;
  bool good = true;
  int64_t visited = 0;
  int best = 0;
  for (int round = 0; round < 30; ++round) {
    std::vector<Item> items;
    int total = 0;
    for (int i = 0; i < n; ++i) {
      int weight = 20 + static_cast<int>(next_random(&seed) % 300);
      items.push_back({weight, weight + static_cast<int>(next_random(&seed) % 60)});
      total += weight;
    }
    int capacity = total / 3;
    Branch branch(items);
    best = branch.solve(capacity);
    good = good && best == by_table(items, capacity) && branch.consistent(capacity);
    visited += branch.visited();
  }
  std::printf("knapsack: last value %d, %lld branches\n", best, static_cast<long long>(visited));
  return verdict(good);
}
