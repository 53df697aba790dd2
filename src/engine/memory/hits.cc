#include "engine/memory/hits.h"

#include <algorithm>
#include <cmath>

namespace perfcast::engine {
namespace {

constexpr double edge_steepness = 6.3;  // ln 9 / ln sqrt 2: see the header

// Shares of reuses by level, when all that is known is that they lie between two distances in lines.
std::vector<double> spread_over_levels(double nearest, double farthest, const MemoryModel& memory) {
  std::vector<double> shares(memory.levels.size(), 0.0);
  nearest = std::max(1.0, nearest), farthest = std::max(2 * nearest, farthest);
  double from = std::log(nearest), range = std::log(farthest) - from;
  for (std::size_t i = 0; i < shares.size(); i++) {
    const auto& capacity = memory.levels[i].capacity_bytes;
    bool last = i + 1 == shares.size() || !capacity;
    double to = last ? std::log(farthest) : std::clamp(std::log(capacity->value / memory.line_bytes), from, std::log(farthest));
    shares[i] = (to - from) / range, from = to;
  }
  return shares;
}

}  // namespace

double hit_probability(double distance, double capacity_lines) {
  if (capacity_lines <= 0) return 0;
  if (distance <= 0) return 1;
  return 1 / (1 + std::pow(distance / capacity_lines, edge_steepness));
}

Served served_by(const Access& access, const MemoryModel& memory, double footprint_bytes) {
  std::size_t levels = memory.levels.size();
  Served served{std::vector<double>(levels, 0.0), std::vector<double>(levels, 0.0)};
  if (levels == 0) return served;
  for (const DistanceBin& bin : access.lines) {
    double within = 0;  // probability that this level or a nearer one has it
    for (std::size_t i = 0; i < levels; i++) {
      const auto& capacity = memory.levels[i].capacity_bytes;
      bool last = i + 1 == levels || !capacity;
      double reaches = last ? 1 : std::max(within, hit_probability(bin.distance, capacity->value / memory.line_bytes));
      served.near[i] += bin.share * bin.near * (reaches - within);
      served.alone[i] += bin.share * (1 - bin.near) * (reaches - within);
      within = reaches;
    }
  }
  double unseen = access.unknown + access.cold;
  if (access.lines.empty() && access.pages.empty()) {
    served.alone[0] += unseen;
  } else if (unseen > 0) {
    double farthest_seen = std::max(access.unknown_from, access.lines.empty() ? 1 : access.lines.back().distance);
    auto shares = spread_over_levels(farthest_seen, footprint_bytes / memory.line_bytes, memory);
    for (std::size_t i = 0; i < levels; i++) {
      served.near[i] += unseen * shares[i] * access.cold_near;
      served.alone[i] += unseen * shares[i] * (1 - access.cold_near);
    }
  }
  return served;
}

double page_miss_share(const Access& access, double entries) {
  double share = 0;
  for (const DistanceBin& bin : access.pages) share += bin.share * (1 - hit_probability(bin.distance, entries));
  return share;
}

}  // namespace perfcast::engine
