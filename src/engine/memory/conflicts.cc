#include "engine/memory/conflicts.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace perfcast::engine {

double share_of_cache(double step_bytes, const MemoryModel& memory) {
  auto step = static_cast<std::int64_t>(std::llround(std::abs(step_bytes)));
  if (memory.line_bytes <= 0 || memory.page_bytes <= memory.line_bytes || step < memory.line_bytes) return 1;
  auto factor = std::gcd(step, static_cast<std::int64_t>(memory.page_bytes));
  return static_cast<double>(memory.line_bytes) / static_cast<double>(std::max<std::int64_t>(factor, memory.line_bytes));
}

Access with_conflicts(const Access& access, double step_bytes, const MemoryModel& memory) {
  Access seen = access;
  const double share = share_of_cache(step_bytes, memory);
  if (share >= 1) return seen;
  double farthest = 1e300;
  std::size_t caches = 0;
  for (const MemoryLevel& level : memory.levels)
    if (level.capacity_bytes) caches++;
  constexpr double well_inside = 0.25;  // of the last cache, which a hash fills evenly
  if (caches >= 3) farthest = well_inside * memory.levels[caches - 1].capacity_bytes->value / memory.line_bytes;
  for (DistanceBin& bin : seen.lines) bin.distance = std::max(bin.distance, std::min(bin.distance / share, farthest));
  return seen;
}

}  // namespace perfcast::engine
