// Quantities with types, so that the compiler checks the units. `Cycles{3} + Seconds{1}` does not compile.
#pragma once

#include <compare>

namespace perfcast {

template <class Unit>
struct Quantity {
  double value = 0;

  auto operator<=>(const Quantity&) const = default;
  Quantity& operator+=(Quantity other) { value += other.value; return *this; }
  Quantity& operator-=(Quantity other) { value -= other.value; return *this; }
  friend Quantity operator+(Quantity a, Quantity b) { return {a.value + b.value}; }
  friend Quantity operator-(Quantity a, Quantity b) { return {a.value - b.value}; }
  friend Quantity operator*(Quantity a, double factor) { return {a.value * factor}; }
  friend Quantity operator*(double factor, Quantity a) { return {a.value * factor}; }
  friend Quantity operator/(Quantity a, double divisor) { return {a.value / divisor}; }
  friend double operator/(Quantity a, Quantity b) { return a.value / b.value; }
};

using Seconds = Quantity<struct SecondUnit>;
using Nanoseconds = Quantity<struct NanosecondUnit>;
using Cycles = Quantity<struct CycleUnit>;
using Bytes = Quantity<struct ByteUnit>;

inline Seconds to_seconds(Nanoseconds t) { return {t.value * 1e-9}; }
inline Nanoseconds to_nanoseconds(Seconds t) { return {t.value * 1e9}; }
inline Nanoseconds to_nanoseconds(Cycles c, double clock_ghz) { return {c.value / clock_ghz}; }
inline Seconds to_seconds(Cycles c, double clock_ghz) { return {c.value / clock_ghz * 1e-9}; }

}  // namespace perfcast
