#pragma once

#include <cmath>
#include <numbers>

namespace perfcast {

// 2 to the power of x, to the same digit on every instruction set. The C libraries' exp2 differ in the last one, compilers turn
// pow(2, x) into exp2, and exp is the same everywhere.
inline double two_to_the(double x) {
  double whole = std::floor(x);
  return std::ldexp(std::exp((x - whole) * std::numbers::ln2), static_cast<int>(whole));
}

}  // namespace perfcast
