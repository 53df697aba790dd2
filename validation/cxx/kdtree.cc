// Nearest neighbours with a k-d tree (Bentley 1975) of random points: templates, recursion with
// pruning, nth_element to build.
// Check: a sample of the queries agrees with the search through all points.
// Argument: thousands of points.
#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <vector>

#include "../common.h"

namespace {

template <int D>
class Tree {
 public:
  using Point = std::array<double, D>;

  explicit Tree(std::vector<Point> points) : points_(std::move(points)) { build(0, points_.size(), 0); }

  // Squared distance from q to the nearest point.
  double nearest(const Point& q) const {
    double best = std::numeric_limits<double>::max();
    search(q, 0, points_.size(), 0, best);
    return best;
  }
  double nearest_of_all(const Point& q) const {
    double best = std::numeric_limits<double>::max();
    for (const auto& p : points_) best = std::min(best, distance(p, q));
    return best;
  }

 private:
  static double distance(const Point& p, const Point& q) {
    double sum = 0;
    for (int k = 0; k < D; ++k) sum += (p[k] - q[k]) * (p[k] - q[k]);
    return sum;
  }

  // The median of [low, high) along the axis is the root of the two halves.
  void build(std::size_t low, std::size_t high, int axis) {
    if (high - low < 2) return;
    auto middle = low + (high - low) / 2;
    auto at = [this](std::size_t i) { return points_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(low), at(middle), at(high),
                     [axis](const Point& a, const Point& b) { return a[axis] < b[axis]; });
    build(low, middle, (axis + 1) % D);
    build(middle + 1, high, (axis + 1) % D);
  }

  void search(const Point& q, std::size_t low, std::size_t high, int axis, double& best) const {
    if (low >= high) return;
    auto middle = low + (high - low) / 2;
    best = std::min(best, distance(points_[middle], q));
    double offset = q[axis] - points_[middle][axis];
    bool left = offset < 0;
    int next = (axis + 1) % D;
    left ? search(q, low, middle, next, best) : search(q, middle + 1, high, next, best);
    if (offset * offset < best) left ? search(q, middle + 1, high, next, best) : search(q, low, middle, next, best);
  }

  std::vector<Point> points_;
};

template <int D>
bool trial(int n, uint64_t& seed) {
  using Point = typename Tree<D>::Point;
  auto random_point = [&seed] {
    Point p;
    for (auto& x : p) x = next_unit(&seed);
    return p;
  };
  std::vector<Point> points(static_cast<std::size_t>(n));
  std::generate(points.begin(), points.end(), random_point);
  Tree<D> tree(std::move(points));
  double total = 0;
  bool good = true;
  for (int i = 0; i < n; ++i) {
    Point q = random_point();
    double found = tree.nearest(q);
    total += found;
    if (i % (n / 40) == 0) good = good && found == tree.nearest_of_all(q);
  }
  std::printf("kdtree: %d dimensions, mean squared distance %.3e\n", D, total / n);
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  int n = 1000 * size_argument(argc, argv, 130);
  uint64_t seed = 137;
  bool flat = trial<2>(n, seed), solid = trial<3>(n, seed);
  return verdict(flat && solid);
}
