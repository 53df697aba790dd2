// The blocks that a block leads to.
#pragma once

#include <set>

#include "record/profile.h"

namespace perfcast {

inline std::set<int> successors(const Block& block) {
  std::set<int> to;
  for (const Edge& edge : block.next) to.insert(edge.to);
  return to;
}

}  // namespace perfcast
