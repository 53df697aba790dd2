#include "engine/memory/hot_addresses.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace perfcast::engine {

std::optional<HotAddresses> HotAddresses::fit(const std::vector<DistanceBin>& met) {
  constexpr double matters = 0.02, echo = 0.005, most = 32, tolerance = 0.1, echo_tolerance = 0.35;
  const auto first = std::ranges::find_if(met, [](const DistanceBin& bin) { return bin.share > matters; });
  if (first == met.end()) return {};
  const auto second = std::find_if(first + 1, met.end(), [](const DistanceBin& bin) { return bin.share > echo; });
  if (second == met.end()) return {};
  HotAddresses hot;
  hot.shortest_ = first->distance, hot.step_ = second->distance - first->distance;
  if (hot.shortest_ > hot.step_) return {};
  // Once N p^2, and an echo of N p^2 (1-p).
  const double p = 1 - second->share / first->share, count = std::round(first->share / (p * p));
  if (p <= 0 || count < 1 || count > most) return {};
  hot.chance_ = std::sqrt(first->share / count);
  const double expected = first->share * (1 - hot.chance_);
  if (hot.chance_ * count > 1 + tolerance || std::abs(second->share - expected) > echo_tolerance * expected) return {};
  hot.chance_ = std::min(hot.chance_, 1 / count);
  hot.drawn_.resize(static_cast<std::size_t>(count));
  return hot;
}

std::vector<DistanceBin> HotAddresses::others(std::vector<DistanceBin> met) const {
  for (DistanceBin& bin : met) {
    const double executions = (bin.distance - shortest_) / step_;
    if (executions < 0 || executions != std::floor(executions)) continue;
    bin.share = std::max(0.0, bin.share - share() * chance_ * std::pow(1 - chance_, executions));
  }
  return met;
}

int HotAddresses::draw(double chance, std::uint64_t stores) {
  constexpr std::uint64_t far = 1 << 20;  // further back than any core looks
  const std::size_t k = std::min(static_cast<std::size_t>(chance / chance_), drawn_.size() - 1);
  const auto before = std::exchange(drawn_[k], stores);
  if (!before) return 0;
  const auto lag = static_cast<std::uint64_t>(step_ - shortest_);
  return stores > *before + lag ? static_cast<int>(std::min(stores - *before - lag, far)) : 0;
}

}  // namespace perfcast::engine
