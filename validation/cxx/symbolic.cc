// Symbolic differentiation: expression trees of shared immutable nodes, virtual functions,
// recursion, many small allocations.
// Check: the derivative agrees with a central difference, for random expressions.
// Argument: number of expressions.
#include <cmath>
#include <cstdio>
#include <memory>

#include "../common.h"

namespace {

class Node;
using Expression = std::shared_ptr<const Node>;

class Node {
 public:
  virtual ~Node() = default;
  virtual double value(double x) const = 0;
  virtual Expression derivative() const = 0;
  virtual int size() const = 0;
};

class Constant final : public Node {
 public:
  explicit Constant(double c) : c_(c) {}
  double value(double) const override { return c_; }
  Expression derivative() const override { return std::make_shared<Constant>(0); }
  int size() const override { return 1; }

 private:
  double c_;
};

class Variable final : public Node {
 public:
  double value(double x) const override { return x; }
  Expression derivative() const override { return std::make_shared<Constant>(1); }
  int size() const override { return 1; }
};

class Sum final : public Node {
 public:
  Sum(Expression a, Expression b) : a_(std::move(a)), b_(std::move(b)) {}
  double value(double x) const override { return a_->value(x) + b_->value(x); }
  Expression derivative() const override { return std::make_shared<Sum>(a_->derivative(), b_->derivative()); }
  int size() const override { return 1 + a_->size() + b_->size(); }

 private:
  Expression a_, b_;
};

class Product final : public Node {
 public:
  Product(Expression a, Expression b) : a_(std::move(a)), b_(std::move(b)) {}
  double value(double x) const override { return a_->value(x) * b_->value(x); }
  Expression derivative() const override {
    return std::make_shared<Sum>(std::make_shared<Product>(a_->derivative(), b_),
                                 std::make_shared<Product>(a_, b_->derivative()));
  }
  int size() const override { return 1 + a_->size() + b_->size(); }

 private:
  Expression a_, b_;
};

// sin(a + phase): the cosine is a phase of a quarter turn.
class Sine final : public Node {
 public:
  Sine(Expression a, double phase) : a_(std::move(a)), phase_(phase) {}
  double value(double x) const override { return std::sin(a_->value(x) + phase_); }
  Expression derivative() const override {
    return std::make_shared<Product>(std::make_shared<Sine>(a_, phase_ + 1.57079632679489662), a_->derivative());
  }
  int size() const override { return 1 + a_->size(); }

 private:
  Expression a_;
  double phase_;
};

Expression random_expression(uint64_t& seed, int depth) {
  auto choice = next_random(&seed) % 8;
  if (depth == 0 || choice == 0) {
    if (choice % 2 == 0) return std::make_shared<Variable>();
    return std::make_shared<Constant>(next_unit(&seed));
  }
  if (choice < 3) return std::make_shared<Sine>(random_expression(seed, depth - 1), next_unit(&seed));
  auto a = random_expression(seed, depth - 1), b = random_expression(seed, depth - 1);
  if (choice < 6) return std::make_shared<Sum>(a, b);
  return std::make_shared<Product>(a, b);
}

}  // namespace

int main(int argc, char** argv) {
  int n = size_argument(argc, argv, 4000);
  uint64_t seed = 113;
  int64_t nodes = 0;
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    auto f = random_expression(seed, 7);
    auto slope = f->derivative();
    nodes += f->size() + slope->size();
    double x = next_unit(&seed), h = 1e-5;
    double difference = (f->value(x + h) - f->value(x - h)) / (2 * h), exact = slope->value(x);
    double curvature = std::fabs(slope->derivative()->derivative()->value(x));
    worst = std::fmax(worst, std::fabs(difference - exact) / (1 + std::fabs(f->value(x)) + std::fabs(exact) + curvature));
  }
  std::printf("symbolic: %lld nodes, largest error %.1e\n", static_cast<long long>(nodes), worst);
  return verdict(worst < 1e-6);
}
