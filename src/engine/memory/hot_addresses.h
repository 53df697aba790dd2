// The few addresses that a load by data goes to again and again: the counter of the most frequent key. Distances drawn one by one would cut
// their chains, for who is counted most is counted again, whoever else comes between. N addresses, each with chance p in every
// execution, meet their own last store k executions back with N p^2 (1-p)^(k-1); where the distances seen fit that, addresses are
// drawn in place of distances. Runs of one address and fixed distances do not fit, and need not: there distances tell all.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "record/access.h"

namespace perfcast::engine {

class HotAddresses {
 public:
  // `met`: shares by how many stores ago the value was stored, by distance.
  static std::optional<HotAddresses> fit(const std::vector<DistanceBin>& met);
  // What is left of `met` without them.
  std::vector<DistanceBin> others(std::vector<DistanceBin> met) const;

  double step() const { return step_; }           // stores from one execution to the next
  double share() const { return chance_ * static_cast<double>(drawn_.size()); }  // of all executions
  // The address that `chance` (below share()) falls on: how many stores ago it was stored to, after so many in all; 0: never.
  int draw(double chance, std::uint64_t stores);

 private:
  double chance_ = 0, shortest_ = 1, step_ = 1;
  std::vector<std::optional<std::uint64_t>> drawn_;  // by address: after how many stores, the last time
};

}  // namespace perfcast::engine
