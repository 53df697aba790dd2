#include "engine/memory/hits.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/memory/conflicts.h"

namespace perfcast::engine {
namespace {

constexpr double edge_steepness = 6.3;  // ln 9 / ln sqrt 2: see the header
constexpr double loss_steepness = 2.8;

// What is left beyond an edge at 1 that is as soft as this.
double left_at(double distance, double steepness) { return 1 / (1 + std::pow(distance, steepness)); }

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

// Share that the last cache, though large enough, has lost to others by the time lines are reused that lie so far away, spread
// as above.
double lost_share(double nearest, double farthest, const MemoryModel& memory, const ProgramReuse& program) {
  constexpr int steps = 8;
  const MemoryLevel& last_cache = memory.levels[memory.levels.size() - 2];
  const MemoryLevel& before = memory.levels[memory.levels.size() - 3];
  if (before.capacity_bytes) nearest = std::max(nearest, before.capacity_bytes->value / memory.line_bytes);
  if (last_cache.capacity_bytes) farthest = std::min(farthest, last_cache.capacity_bytes->value / memory.line_bytes);
  nearest = std::max(1.0, nearest), farthest = std::max(nearest, farthest);
  double lost = 0;
  for (int k = 0; k < steps; k++) {
    const double distance = nearest * std::pow(farthest / nearest, (k + 0.5) / steps);
    lost += (1 - last_cache_holds(memory, distance, program.times->ns(distance, program.run_ns))) / steps;
  }
  return lost;
}

// The first cache is chosen into by the program's own addresses, so a long walk in steps that share a factor with the page
// uses a part of it. The caches behind it are chosen into by addresses of memory, which are as good as chance.
double first_cache_reached(const Access& access, const MemoryModel& memory, int copies) {
  auto step = usual_step(access);
  return step ? std::min(1.0, copies * share_of_cache(*step, memory)) : 1;
}

}  // namespace

std::optional<double> usual_step(const Access& access) {
  constexpr double usually = 0.6;
  return access.stride_share > usually ? access.stride_bytes : std::nullopt;
}

double hit_probability(double distance, double capacity_lines) {
  if (capacity_lines <= 0) return 0;
  if (distance <= 0) return 1;
  return left_at(distance / capacity_lines, edge_steepness);
}

double last_cache_holds(const MemoryModel& memory, double distance, double ns) {
  if (memory.levels.size() < 2) return 0;
  const auto& capacity = memory.levels[memory.levels.size() - 2].capacity_bytes;
  if (!capacity || capacity->value <= 0) return 0;
  const double own = distance * memory.line_bytes / capacity->value;
  const double others = memory.retention_ns && memory.retention_ns->value > 0 ? ns / memory.retention_ns->value : 0;
  if (own + others <= 0) return 1;
  return left_at(own + others, (own * edge_steepness + others * loss_steepness) / (own + others));
}

Walk walk_of(const Access& access) { return {access.line, access.store, access.bytes, access.count, access.stride_bytes.value_or(0)}; }

std::vector<int> copies_among(std::span<const Access> accesses) {
  std::map<Walk, int> same;
  for (const Access& access : accesses) same[walk_of(access)]++;
  std::vector<int> copies;
  copies.reserve(accesses.size());
  for (const Access& access : accesses) copies.push_back(same[walk_of(access)]);
  return copies;
}

Served served_by(const Access& access, const MemoryModel& memory, const ProgramReuse& program, int copies) {
  std::size_t levels = memory.levels.size();
  Served served{std::vector<double>(levels, 0.0), std::vector<double>(levels, 0.0)};
  if (levels == 0) return served;
  auto add = [&](std::size_t level, double share, double near) {
    served.near[level] += share * near, served.alone[level] += share * (1 - near);
  };
  const double reached = first_cache_reached(access, memory, copies);
  for (const DistanceBin& bin : access.lines) {
    double within = 0;  // probability that this level or a nearer one has it
    for (std::size_t i = 0; i < levels; i++) {
      const auto& capacity = memory.levels[i].capacity_bytes;
      bool last = i + 1 == levels || !capacity;
      double here = last ? 1 : hit_probability(bin.distance, (i == 0 ? reached : 1) * capacity->value / memory.line_bytes);
      if (levels > 3 && i + 2 == levels && program.times) here = last_cache_holds(memory, bin.distance, program.times->ns(bin.distance, program.run_ns));
      double reaches = std::max(within, here);
      add(i, bin.share * (reaches - within), bin.near);
      within = reaches;
    }
  }
  double unseen = access.unknown + access.cold;
  if (access.lines.empty() && access.pages.empty()) {
    served.alone[0] += unseen;
  } else if (unseen > 0) {
    double farthest_seen = std::max(access.unknown_from, access.lines.empty() ? 1 : access.lines.back().distance);
    const double footprint_lines = program.footprint_bytes / memory.line_bytes;
    auto shares = spread_over_levels(farthest_seen, footprint_lines, memory);
    if (levels > 3 && program.times) {
      double lost = shares[levels - 2] * lost_share(farthest_seen, footprint_lines, memory, program);
      shares[levels - 2] -= lost, shares[levels - 1] += lost;
    }
    for (std::size_t i = 0; i < levels; i++) add(i, unseen * shares[i], access.cold_near);
  }
  return served;
}

double page_miss_share(const Access& access, double entries) {
  double share = 0;
  for (const DistanceBin& bin : access.pages) share += bin.share * (1 - hit_probability(bin.distance, entries));
  return share;
}

PageWalks page_walks(const Access& access, const Translation& t) {
  PageWalks walks;
  if (!t.second_entries || !t.walk_ns) return walks;
  double near = t.walk_ns->value, far = std::max(near, value_or(t.far_walk_ns, near));
  double near_parallel = value_or(t.walk_parallel_ns, near / 4);
  double far_parallel = std::max(near_parallel, value_or(t.far_walk_parallel_ns, near_parallel));
  for (const DistanceBin& bin : access.pages) {
    double share = bin.share * (1 - hit_probability(bin.distance, t.second_entries->value));
    double away = std::log(std::max(1.0, bin.distance) / Translation::near_pages) / std::log(1.0 * Translation::far_pages / Translation::near_pages);
    away = std::clamp(away, 0.0, 1.0);
    walks.share += share;
    walks.dependent_ns += share * (near + away * (far - near)), walks.parallel_ns += share * (near_parallel + away * (far_parallel - near_parallel));
  }
  if (walks.share > 0) walks.dependent_ns /= walks.share, walks.parallel_ns /= walks.share;
  return walks;
}

}  // namespace perfcast::engine
