#include "engine/memory/hits.h"

#include <cmath>

namespace perfcast::engine {
namespace {

constexpr double edge_steepness = 6.3;  // ln 9 / ln sqrt 2: see the header

std::size_t level_that_holds(double bytes, const MemoryModel& memory) {
  for (std::size_t i = 0; i < memory.levels.size(); i++)
    if (!memory.levels[i].capacity_bytes || bytes <= memory.levels[i].capacity_bytes->value) return i;
  return memory.levels.empty() ? 0 : memory.levels.size() - 1;
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
  std::size_t far = level_that_holds(footprint_bytes, memory);
  served.near[far] += unseen * access.cold_near;
  served.alone[far] += unseen * (1 - access.cold_near);
  return served;
}

double page_miss_share(const Access& access, double entries) {
  double share = 0;
  for (const DistanceBin& bin : access.pages) share += bin.share * (1 - hit_probability(bin.distance, entries));
  return share;
}

}  // namespace perfcast::engine
