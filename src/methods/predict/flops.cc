#include "methods/predict/flops.h"

#include <map>

#include "record/operations.h"

namespace perfcast::predict {
namespace {

// Table 1. An integer power is a multiplication or two; a real power is "exponential, sine, etc.".
constexpr double add_or_multiply = 1, compare = 1, divide_or_root = 4, elementary = 8;

const std::map<std::string, double>& of_routine() {
  static const std::map<std::string, double> table = [] {
    std::map<std::string, double> t;
    for (auto name : {"EXP", "LOG", "SIN", "TAN"}) t[std::string(name) + "S"] = t[std::string(name) + "D"] = elementary;
    for (auto name : {"SQRS", "SQRD", "sqrt", "sqrtf"}) t[name] = divide_or_root;
    for (auto name : {"exp", "log", "sin", "tan", "pow", "atan", "atan2", "cos", "acos", "asin", "sinh", "cosh", "tanh",
                      "log10", "log2", "exp2", "cbrt", "hypot", "fmod", "expf", "logf", "sinf", "tanf", "powf", "atanf",
                      "cosf"})
      t[name] = elementary;
    for (auto name : {"fabs", "fabsf", "floor", "floorf", "ceil"}) t[name] = add_or_multiply;
    return t;
  }();
  return table;
}

}  // namespace

double flops_of(const std::string& operation) {
  if (auto it = of_routine().find(operation); it != of_routine().end()) return it->second;
  // OPERATION, RS or RD, L or G.
  if (operation.size() != 4 || operation[1] != 'R' || (operation[2] != 'S' && operation[2] != 'D')) return 0;
  if (operation[3] != 'L' && operation[3] != 'G') return 0;
  switch (operation[0]) {
    case 'A': case 'M': case 'E': case 'N': return add_or_multiply;
    case 'C': return compare;
    case 'D': return divide_or_root;
    case 'X': return elementary;
    default: return 0;
  }
}

}  // namespace perfcast::predict
