// Which loads come behind stores to the same place of other pages. Drawn from what was seen of the load's counterpart in the IR,
// since how pieces of memory lie to each other within their pages is not in the code.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "record/profile.h"

namespace perfcast::engine {

class LoadAliases {
 public:
  explicit LoadAliases(const Profile& profile);
  // For the next execution of this load (indices into the machine graph): bit 0 for the last store, bit 1 for the one before, and so on.
  std::uint64_t draw(int function, int block, int instruction);

 private:
  std::map<std::tuple<int, int, int>, std::vector<DistanceBin>> loads_;
  std::uint64_t state_ = 0x9E3779B97F4A7C15ull;
};

}  // namespace perfcast::engine
