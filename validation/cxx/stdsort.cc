// Algorithms of the C++ library on records: sort, stable_sort, nth_element, binary search, unique,
// accumulate, heap, with lambdas.
// Check: each algorithm's own law (order, stability, position, count).
// Argument: thousands of records.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <queue>
#include <vector>

#include "../common.h"

namespace {

struct Record {
  uint32_t key;
  float weight;
  int index;
};

}  // namespace

int main(int argc, char** argv) {
  int n = 1000 * size_argument(argc, argv, 500);
  uint64_t seed = 109;
  std::vector<Record> records(static_cast<std::size_t>(n));
  int index = 0;
  std::generate(records.begin(), records.end(), [&] {
    auto key = static_cast<uint32_t>(next_random(&seed) % 1000000);
    return Record{key, static_cast<float>(next_unit(&seed)), index++};
  });
  auto by_key = [](const Record& a, const Record& b) { return a.key < b.key; };
  auto by_weight = [](const Record& a, const Record& b) { return a.weight < b.weight; };

  auto stable = records;
  std::stable_sort(stable.begin(), stable.end(), by_key);
  bool good = std::is_sorted(stable.begin(), stable.end(), [](const Record& a, const Record& b) {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
  });

  auto light = records;
  auto middle = light.begin() + n / 2;
  std::nth_element(light.begin(), middle, light.end(), by_weight);
  float median = middle->weight;
  std::sort(light.begin(), light.end(), by_weight);
  good = good && light[static_cast<std::size_t>(n) / 2].weight == median;

  auto hits = std::count_if(records.begin(), records.end(), [&](const Record& r) {
    auto [low, high] = std::equal_range(stable.begin(), stable.end(), r, by_key);
    return std::any_of(low, high, [&](const Record& s) { return s.index == r.index; });
  });
  good = good && hits == n;

  std::priority_queue<uint32_t> largest;
  for (const auto& r : records) {
    largest.push(r.key);
    if (largest.size() > 5000) largest.pop();
  }
  good = good && largest.top() == stable[4999].key;

  auto sum = std::accumulate(stable.begin(), stable.end(), uint64_t{0},
                             [](uint64_t s, const Record& r) { return s + r.key; });
  auto last = std::unique(stable.begin(), stable.end(), [](const Record& a, const Record& b) { return a.key == b.key; });
  std::printf("stdsort: median %.4f, %td different keys, mean %.1f\n", static_cast<double>(median),
              last - stable.begin(), static_cast<double>(sum) / n);
  return verdict(good);
}
