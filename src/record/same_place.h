// Loops that begin at one place of the source: those of a macro, or of a statement on arrays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace perfcast {

// For each of some loops, which know their parents: how many of the same place lie in it.
template <class Loops>
std::vector<int> same_place_inside(const Loops& loops) {
  std::vector<int> inside(loops.size(), 0);
  for (const auto& loop : loops) {
    int number = 0;
    for (auto up = loop.parent; up; up = loops[static_cast<std::size_t>(*up)].parent) {
      auto around = static_cast<std::size_t>(*up);
      if (loops[around].at == loop.at) inside[around] = std::max(inside[around], ++number);
    }
  }
  return inside;
}

}  // namespace perfcast
