#include "engine/memory/memory_time.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "engine/memory/level_costs.h"

namespace perfcast::engine {
namespace {

// What levels beyond the first serve of shares by level.
double beyond_first(const std::vector<double>& shares) { return shares.empty() ? 0 : std::accumulate(shares.begin() + 1, shares.end(), 0.0); }

class Region {
 public:
  Region(std::span<const Access> accesses, const MemoryModel& memory, const RegionContext& context)
      : accesses_(accesses), memory_(memory), context_(context) {
    for (auto* by_level : {&result_.level_ns, &result_.level_moved, &result_.level_waited, &result_.serial_ns})
      by_level->assign(memory.levels.size(), 0.0);
    first_latency_ = memory.levels.empty() ? 0 : value_or(memory.levels[0].latency_ns, 0);
    const std::vector<int> copies = copies_among(accesses);
    served_.reserve(accesses.size());
    for (std::size_t a = 0; a < accesses.size(); a++) served_.push_back(served_by(accesses[a], memory, context.program, copies[a]));
  }

  RegionMemory run() {
    if (memory_.levels.size() < 2) return result_;
    count_streams();
    count_copies();
    count_stores();
    for (std::size_t i = 1; i < memory_.levels.size(); i++) level(i);
    walks();
    return result_;
  }

 private:
  // Streams that come from beyond the first level at the same time. Copies of one access that the compiler unrolled
  // take turns in touching the lines of one stream.
  void count_streams() {
    double most = 0;
    std::map<std::pair<double, double>, int> same;  // by step and count
    for (std::size_t a = 0; a < accesses_.size(); a++) most = std::max(most, near_lines(a));
    for (std::size_t a = 0; a < accesses_.size(); a++)
      if (most > 0 && near_lines(a) > 0.3 * most) same[{accesses_[a].stride_bytes.value_or(0), accesses_[a].count}]++;
    for (const auto& [walk, number] : same) streams_ += number / std::max(1.0, std::abs(walk.first) / memory_.line_bytes);
    streams_ = std::max(streams_, 1.0);
  }
  // Of a strided access that the compiler unrolled, each copy makes a step over the others.
  void count_copies() {
    std::map<Walk, int> same;
    constexpr double itself = 0.1;  // of its touches, that are no hits of a line which a neighbour brought
    for (std::size_t a = 0; a < accesses_.size(); a++)
      if (beyond_first(served_[a].alone) > itself) same[walk_of(accesses_[a])]++;
    for (const Access& access : accesses_) copies_.push_back(std::max(1, same[walk_of(access)]));
  }
  // Of how many stores one brings a line that no prefetcher expects.
  void count_stores() {
    double stores = 0, lines = 0;
    for (std::size_t a = 0; a < accesses_.size(); a++) {
      if (!accesses_[a].store) continue;
      stores += accesses_[a].count, lines += accesses_[a].count * beyond_first(served_[a].alone);
    }
    stores_per_line_ = lines > 0 ? stores / lines : 1;
  }
  double near_lines(std::size_t a) const { return beyond_first(served_[a].near) * accesses_[a].count; }

  // Lines a store changes that this level or one beyond it has to take back.
  double changed_lines(const Access& access, std::size_t level) const {
    const auto& nearer = memory_.levels[level - 1].capacity_bytes;
    double share = 0;
    for (const DistanceBin& bin : access.dirtied)
      share += bin.share * (nearer ? 1 - hit_probability(bin.distance, nearer->value / memory_.line_bytes) : 1);
    return share * access.count;
  }

  void level(std::size_t i) {
    LevelCosts costs(memory_.levels[i], first_latency_);
    StreamLines lines;
    double random_lines = 0, random_floor = 0, strided = 0, alone_lines = 0, changed = 0;
    for (std::size_t a = 0; a < accesses_.size(); a++) {
      const Access& access = accesses_[a];
      double near = access.count * served_[a].near[i], alone = access.count * served_[a].alone[i];
      if (access.store) changed += changed_lines(access, i) - changed_beyond(access, i);
      if (near + alone <= 0) continue;
      result_.lines += near + alone;
      result_.unknown_lines += std::min(near + alone, access.count * access.unknown);
      (access.store ? lines.written : lines.read) += near;
      double steady = steady_share(access, memory_);
      if (steady > 0) strided += steady * alone * costs.stride(*access.stride_bytes / copies_[a], access.store);
      result_.level_moved[i] += near + (access.store ? 1 : steady) * alone;
      alone *= 1 - steady;
      if (!access.store) result_.level_waited[i] += alone, result_.serial_ns[i] += alone * costs.latency();
      if (shape_of(access, memory_) == Shape::dependent && !access.store && !context_.waits_in_core) {
        result_.dependent_ns += alone * costs.latency();
      } else {
        random_lines += access.store ? 0 : alone, random_floor += alone * (access.store ? costs.random_write(stores_per_line_) : costs.random(false));
        if (access.store) alone_lines += alone;
      }
    }
    // What is changed beyond what stores brought themselves, loads have brought: streams first.
    lines.changed = std::clamp(changed - lines.written - alone_lines, 0.0, lines.read);
    double to_random = std::clamp(changed - lines.written - alone_lines - lines.changed, 0.0, random_lines);
    random_floor += to_random * (costs.random(true) - costs.random(false));
    auto [stream, starting] = costs.streams(lines, streams_);
    double random = std::max(random_floor, context_.waits_in_core ? 0 : waiting(random_lines, costs));
    result_.starting_ns += starting, result_.stream_ns += stream, result_.strided_ns += strided, result_.random_ns += random;
    result_.level_ns[i] += stream + starting + strided + random;
  }
  double changed_beyond(const Access& access, std::size_t level) const {
    return level + 1 < memory_.levels.size() ? changed_lines(access, level + 1) : 0;
  }

  // Latency of independent misses over those that fit the window together.
  double waiting(double lines, const LevelCosts& costs) const {
    if (lines <= 0) return 0;
    double spacing = std::max(1.0, context_.instructions / lines);
    double window = value_or(context_.floating ? memory_.window_instructions_fp : memory_.window_instructions, 200);
    return lines * costs.latency() / std::min(costs.parallel(), 1 + window / spacing);
  }

  // Walks of independent accesses partly hide behind the lines they wait for. The table of strides holds those of lines
  // from beyond the second level.
  void walks() {
    double walks_ns = 0;
    for (std::size_t a = 0; a < accesses_.size(); a++) {
      const Access& access = accesses_[a];
      PageWalks walks = page_walks(access, memory_.translation);
      Shape shape = shape_of(access, memory_);
      double times = access.count * walks.share, steady = steady_share(access, memory_);
      for (std::size_t i = 2; i < served_[a].alone.size(); i++) times -= steady * access.count * walks.share * served_[a].alone[i];
      if (!access.store) result_.serial_walks_ns += times * (shape == Shape::dependent ? walks.dependent_ns : walks.parallel_ns);
      if (shape == Shape::dependent && !access.store && !context_.waits_in_core) result_.dependent_ns += times * walks.dependent_ns;
      else walks_ns += times * walks.parallel_ns;
    }
    constexpr double q = MemoryModel::walk_overlap;
    double lines_ns = result_.random_ns + result_.strided_ns;
    result_.walk_ns = std::pow(std::pow(lines_ns, q) + std::pow(walks_ns, q), 1 / q) - lines_ns;
  }

  std::span<const Access> accesses_;
  const MemoryModel& memory_;
  const RegionContext& context_;
  std::vector<Served> served_;
  std::vector<int> copies_;
  double first_latency_ = 0, streams_ = 0, stores_per_line_ = 1;
  RegionMemory result_;
};

}  // namespace

Shape shape_of(const Access& access, const MemoryModel& memory) {
  if (access.kind == AddressKind::chase || access.kind == AddressKind::dependent) return Shape::dependent;
  auto step = usual_step(access);
  return step && std::abs(*step) > memory.line_bytes ? Shape::strided : Shape::random;
}

double steady_share(const Access& access, const MemoryModel& memory) {
  auto step = usual_step(access);
  if (!step || std::abs(*step) <= memory.line_bytes) return 0;
  if (shape_of(access, memory) == Shape::strided) return 1;
  constexpr double farthest = 2048;  // half a page, in which that prefetcher stays
  return std::abs(*step) <= farthest ? access.stride_share : 0;
}

RegionMemory region_memory(std::span<const Access> accesses, const MemoryModel& memory, const RegionContext& context) {
  return Region(accesses, memory, context).run();
}

double join_core_and_memory(double core_ns, const RegionMemory& memory) {
  constexpr double q = MemoryModel::core_overlap;
  double overlapping = memory.overlapping_ns();
  double joined = overlapping <= 0 ? core_ns : std::pow(std::pow(core_ns, q) + std::pow(overlapping, q), 1 / q);
  return joined + memory.starting_ns + memory.dependent_ns;
}

}  // namespace perfcast::engine
