#include "engine/memory/memory_time.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>

namespace perfcast::engine {
namespace {

// The entry of a table keyed by numbers that is nearest on a log scale; `fallback` when the table is empty.
double nearest(const MeasurementTable& table, double key, double fallback) {
  double best = fallback, best_distance = INFINITY;
  for (const auto& [text, measurement] : table) {
    double distance = std::abs(std::log(std::max(1.0, std::atof(text.c_str()))) - std::log(std::max(1.0, key)));
    if (distance < best_distance) best_distance = distance, best = measurement.value;
  }
  return best;
}
// The entry of a table of strides that behaves like this one. What counts first is the power of two in it, which says
// how few sets of the cache it visits, then its size, which says how many pages.
double like_stride(const MeasurementTable& table, double bytes, double fallback) {
  auto power_of_two = [](double stride) {
    auto whole = std::max<std::int64_t>(1, std::abs(std::llround(stride)));
    return std::clamp(static_cast<double>(whole & -whole), 64.0, 4096.0);
  };
  double best = fallback, best_distance = INFINITY;
  for (const auto& [text, measurement] : table) {
    double stride = std::max(1.0, std::atof(text.c_str()));
    double distance = 4 * std::abs(std::log(power_of_two(stride) / power_of_two(bytes))) +
                      std::abs(std::log(stride / std::max(64.0, std::abs(bytes))));
    if (distance < best_distance) best_distance = distance, best = measurement.value;
  }
  return best;
}
double value_or(const std::optional<Measurement>& m, double fallback) { return m ? m->value : fallback; }

// Numbers of one level, with what to use where it lacks one.
struct LevelCosts {
  LevelCosts(const MemoryLevel& level, double first_latency)
      : level(level), latency(std::max(0.0, value_or(level.latency_ns, first_latency) - first_latency)) {}
  double read(int streams) const { return nearest(level.read_ns, streams, latency / 8); }
  double write(int streams) const { return nearest(level.write_ns, streams, read(streams)); }
  double write_back() const { return std::max(0.0, value_or(level.update_ns, 1.5 * read(1)) - read(1)); }
  double stride(double bytes, bool store) const {
    return like_stride(store ? level.stride_write_ns : level.stride_ns, bytes, random());
  }
  double random() const { return value_or(level.random_read_ns, latency / parallel()); }
  double parallel() const { return value_or(level.parallel_misses, 8); }
  const MemoryLevel& level;
  double latency;  // beyond that of the first level
};

enum class Shape { stream, strided, random, dependent };

bool is_strided(const Access& access, int line_bytes) {
  return access.stride_bytes && access.stride_share > 0.6 && std::abs(*access.stride_bytes) > line_bytes;
}

Shape shape_of(const Access& access, const MemoryModel& memory) {
  if (access.kind == AddressKind::chase || access.kind == AddressKind::dependent) return Shape::dependent;
  if (is_strided(access, memory.line_bytes)) return Shape::strided;
  return Shape::random;
}

// Lines an access touches anew per execution when it moves by a constant step.
double new_lines(const Access& access, int line_bytes) {
  return access.stride_bytes ? std::min(1.0, std::abs(*access.stride_bytes) / line_bytes) : 1.0;
}

class Region {
 public:
  Region(std::span<const Access> accesses, const MemoryModel& memory, const RegionContext& context)
      : accesses_(accesses), memory_(memory), context_(context) {
    result_.level_ns.assign(memory.levels.size(), 0.0);
    first_latency_ = memory.levels.empty() ? 0 : value_or(memory.levels[0].latency_ns, 0);
    for (const Access& access : accesses) served_.push_back(served_by(access, memory, context.footprint_bytes));
  }

  RegionMemory run() {
    if (memory_.levels.size() < 2) return result_;
    count_streams();
    for (std::size_t i = 1; i < memory_.levels.size(); i++) level(i);
    walks();
    return result_;
  }

 private:
  // Streams that come from beyond the first level at the same time.
  void count_streams() {
    double most = 0;
    for (std::size_t a = 0; a < accesses_.size(); a++) most = std::max(most, near_lines(a));
    for (std::size_t a = 0; a < accesses_.size(); a++)
      if (near_lines(a) > 0.3 * most && most > 0) (accesses_[a].store ? write_streams_ : read_streams_)++;
    read_streams_ = std::max(read_streams_, 1), write_streams_ = std::max(write_streams_, 1);
  }
  double near_lines(std::size_t a) const {
    double share = 0;
    for (std::size_t i = 1; i < served_[a].near.size(); i++) share += served_[a].near[i];
    return share * accesses_[a].count;
  }

  void level(std::size_t i) {
    LevelCosts costs(memory_.levels[i], first_latency_);
    double random_lines = 0, read_lines = 0, stream_before = result_.stream_ns, strided_before = result_.strided_ns;
    for (std::size_t a = 0; a < accesses_.size(); a++) {
      const Access& access = accesses_[a];
      double near = access.count * served_[a].near[i], alone = access.count * served_[a].alone[i];
      if (near + alone <= 0) continue;
      result_.lines += near + alone;
      result_.unknown_lines += access.count * access.unknown * (served_[a].near[i] + served_[a].alone[i] > 0);
      Shape shape = shape_of(access, memory_);
      if (shape == Shape::strided) {
        result_.strided_ns += (near + alone) * costs.stride(*access.stride_bytes, access.store);
        continue;
      }
      result_.stream_ns += near * (access.store ? costs.write(write_streams_) : costs.read(read_streams_));
      if (!access.store) read_lines += near + alone;
      if (shape == Shape::dependent) result_.dependent_ns += alone * costs.latency;
      else random_lines += alone;
    }
    write_backs(costs, read_lines);
    double before = result_.random_ns;
    if (random_lines > 0) {
      double spacing = std::max(1.0, context_.instructions / random_lines);
      double window = value_or(context_.floating ? memory_.window_instructions_fp : memory_.window_instructions, 200);
      double overlap = std::min(costs.parallel(), 1 + window / spacing);
      result_.random_ns += random_lines * std::max(costs.random(), costs.latency / overlap);
    }
    result_.level_ns[i] += result_.random_ns - before + result_.stream_ns - stream_before + result_.strided_ns - strided_before;
  }

  // A store that finds its line because a load has just brought it still makes the line dirty: it goes back. Accesses
  // of one step and count are copies of one that the compiler unrolled: together they walk over the lines once.
  void write_backs(const LevelCosts& costs, double read_lines) {
    if (read_lines <= 0) return;
    struct Walk { double lines = 0, far = 0; };
    std::map<std::tuple<bool, double, double>, Walk> walks;
    for (std::size_t a = 0; a < accesses_.size(); a++) {
      if (!accesses_[a].stride_bytes) continue;
      Walk& walk = walks[{accesses_[a].store, *accesses_[a].stride_bytes, accesses_[a].count}];
      walk.lines = accesses_[a].count * new_lines(accesses_[a], memory_.line_bytes);
      walk.far += near_lines(a);
    }
    double touched = 0, changed = 0;
    for (const auto& [key, walk] : walks) (std::get<0>(key) ? changed : touched) += std::get<0>(key) ? std::max(0.0, walk.lines - walk.far) : walk.lines;
    if (touched > 0) result_.write_back_ns += std::min(changed, touched) * std::min(1.0, read_lines / touched) * costs.write_back();
  }

  void walks() {
    const Translation& t = memory_.translation;
    if (!t.second_entries || !t.walk_ns) return;
    for (std::size_t a = 0; a < accesses_.size(); a++) {
      const Access& access = accesses_[a];
      Shape shape = shape_of(access, memory_);
      if (shape == Shape::strided) continue;  // the table of strides holds them
      double misses = access.count * page_miss_share(access, t.second_entries->value);
      if (shape == Shape::dependent) {
        result_.dependent_ns += misses * t.walk_ns->value, result_.walk_ns += misses * t.walk_ns->value;
      } else if (!last_level_serves(a)) {
        // Throughput of the last level was measured on pages far apart and holds the walks already.
        double each = value_or(t.walk_parallel_ns, t.walk_ns->value / 4);
        result_.random_ns += misses * each, result_.walk_ns += misses * each;
      }
    }
  }
  bool last_level_serves(std::size_t a) const {
    double beyond = 0;
    for (std::size_t i = 1; i < served_[a].alone.size(); i++) beyond += served_[a].alone[i];
    return served_[a].alone.back() > 0.5 * beyond;
  }

  std::span<const Access> accesses_;
  const MemoryModel& memory_;
  const RegionContext& context_;
  std::vector<Served> served_;
  double first_latency_ = 0;
  int read_streams_ = 0, write_streams_ = 0;
  RegionMemory result_;
};

}  // namespace

RegionMemory region_memory(std::span<const Access> accesses, const MemoryModel& memory, const RegionContext& context) {
  return Region(accesses, memory, context).run();
}

double join_core_and_memory(double core_ns, const RegionMemory& memory) {
  double overlapping = memory.overlapping_ns();
  double joined = overlapping <= 0 ? core_ns
                                   : std::pow(std::pow(core_ns, overlap_norm) + std::pow(overlapping, overlap_norm), 1 / overlap_norm);
  return joined + memory.dependent_ns;
}

}  // namespace perfcast::engine
