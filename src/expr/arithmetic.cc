#include "expr/arithmetic.h"

#include <limits>
#include <numeric>

#include "base/assert.h"

namespace perfcast::expr {
namespace {

__extension__ using Wide = __int128;  // beyond ISO C++, in both compilers
constexpr Wide largest = std::numeric_limits<std::int64_t>::max() / 2;

Wide greatest_divisor(Wide a, Wide b) {
  if (a < 0) a = -a;
  while (b != 0) a %= b, std::swap(a, b);
  return a;
}

// The fraction in lowest terms, or the nearest double where it does not fit.
Number reduced(Wide top, Wide bottom) {
  if (bottom < 0) top = -top, bottom = -bottom;
  if (Wide divisor = greatest_divisor(top, bottom); divisor > 1) top /= divisor, bottom /= divisor;
  double value = static_cast<double>(top) / static_cast<double>(bottom);
  if (top > largest || top < -largest || bottom > largest) return {0, 1, value, false};
  return {static_cast<std::int64_t>(top), static_cast<std::int64_t>(bottom), value, true};
}

}  // namespace

Number whole(std::int64_t value) { return {value, 1, static_cast<double>(value), true}; }
Number fraction(std::int64_t top, std::int64_t bottom) {
  ensure(bottom != 0, "a fraction with denominator 0");
  return reduced(top, bottom);
}
Number approximate(double value) {
  if (value == std::floor(value) && std::abs(value) < 9e15) return whole(static_cast<std::int64_t>(value));
  return {0, 1, value, false};
}

Number add(const Number& a, const Number& b) {
  if (!a.exact || !b.exact) return approximate(a.value + b.value);
  return reduced(Wide(a.top) * b.bottom + Wide(b.top) * a.bottom, Wide(a.bottom) * b.bottom);
}
Number multiply(const Number& a, const Number& b) {
  if (!a.exact || !b.exact) return approximate(a.value * b.value);
  return reduced(Wide(a.top) * b.top, Wide(a.bottom) * b.bottom);
}
Number divide(const Number& a, const Number& b) {
  ensure(b.value != 0, "a division by 0");
  if (!a.exact || !b.exact) return approximate(a.value / b.value);
  return reduced(Wide(a.top) * b.bottom, Wide(a.bottom) * b.top);
}
Number negate(const Number& a) { return {-a.top, a.bottom, -a.value, a.exact}; }

}  // namespace perfcast::expr
