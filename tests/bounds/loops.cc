// C++: containers, iterators, virtual calls.
#include <cstdio>
#include <memory>
#include <numeric>
#include <vector>
#define LOOP __attribute__((noinline))

LOOP int accumulate_ints(const std::vector<int>& x) { return std::accumulate(x.begin(), x.end(), 0); }
LOOP double accumulate_reals(const std::vector<double>& x) {
  double s = 0;
  for (double v : x) s += v;
  return s;
}
struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
};
struct Square : Shape {
  double side = 2;
  LOOP double area() const override { return side * side; }
};
struct Disc : Shape {
  double radius = 1;
  LOOP double area() const override { return 3.14 * radius * radius; }
};
LOOP double areas(const std::vector<std::unique_ptr<Shape>>& shapes) {
  double s = 0;
  for (const auto& shape : shapes) s += shape->area();
  return s;
}
struct Counter {
  long total = 0;
  std::vector<long> values;
  LOOP void add_up() {
    for (std::size_t i = 0; i < values.size(); i++) total += values[i];
  }
};
// Inlined twice into one function: the sum of integers can be reordered, that of reals not.
template <class T>
inline T product(const std::vector<T>& x, const std::vector<T>& y) {
  T s = 0;
  for (std::size_t i = 0; i < x.size(); i++) s += x[i] * y[i];
  return s;
}
LOOP double products(const std::vector<int>& x, const std::vector<double>& y) { return product(x, x) + product(y, y); }

int main() {
  std::vector<int> ints(1000, 3);
  std::vector<double> reals(1000, 0.5);
  std::vector<std::unique_ptr<Shape>> shapes;
  for (int i = 0; i < 1000; i++)
    if (i % 2) shapes.push_back(std::make_unique<Square>());
    else shapes.push_back(std::make_unique<Disc>());
  Counter counter;
  counter.values.assign(1000, 7);
  double out = 0;
  for (int r = 0; r < 400; r++) out += accumulate_ints(ints) + accumulate_reals(reals) + areas(shapes) + products(ints, reals), counter.add_up();
  std::printf("%g\n", out + static_cast<double>(counter.total));
}
