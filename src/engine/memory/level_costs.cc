#include "engine/memory/level_costs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "record/points.h"

namespace perfcast::engine {
namespace {

// A table keyed by numbers, between its entries on a log scale; `fallback` when it is empty.
double interpolated(const MeasurementTable& table, double key, double fallback) {
  Points points = points_of(table, [](const Measurement& m) { return m.value; });
  std::erase_if(points, [](const auto& point) { return point.first < 1; });
  if (points.empty()) return fallback;
  for (auto& point : points) point.first = std::log(point.first);
  double x = std::clamp(std::log(std::max(1.0, key)), points.front().first, points.back().first);
  std::size_t i = 1;
  while (i + 1 < points.size() && points[i].first < x) i++;
  if (points.size() == 1) return points[0].second;
  double share = (x - points[i - 1].first) / (points[i].first - points[i - 1].first);
  return points[i - 1].second + share * (points[i].second - points[i - 1].second);
}

// The entry of a table of strides that behaves like this one. What counts first is the power of two in it, which says
// how few sets of the cache it visits, then its size, which says how many pages.
double like_stride(const MeasurementTable& table, double bytes, double fallback) {
  auto power_of_two = [](double stride) {
    constexpr double farthest = 1e15;
    auto whole = std::max<std::int64_t>(1, std::llround(std::min(std::abs(stride), farthest)));
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

}  // namespace

LevelCosts::LevelCosts(const MemoryLevel& level, double first_latency)
    : level_(level), latency_(std::max(0.0, value_or(level.latency_ns, first_latency) - first_latency)) {}

StreamTime LevelCosts::streams(const StreamLines& lines, double streams) const {
  constexpr double many = 8;  // as many as hide each other's starts
  double all = all_streams(lines, streams), busy = std::min(all, all_streams(lines, many));
  return {busy, all - busy};
}

double LevelCosts::all_streams(const StreamLines& lines, double streams) const {
  double read = interpolated(level_.read_ns, streams, latency_ / 8);
  double write = interpolated(level_.write_ns, streams, read);
  double copy = std::min(read + write, interpolated(level_.copy_ns, streams / 2, read + write));
  double one = interpolated(level_.read_ns, 1, read);
  double update = std::max(read, value_or(level_.update_ns, 1.5 * one) + read - one);  // measured with one stream
  double changed = std::min(lines.changed, lines.read), pairs = std::min(lines.read - changed, lines.written);
  return update * changed + copy * pairs + read * (lines.read - changed - pairs) + write * (lines.written - pairs);
}

double LevelCosts::stride(double bytes, bool store) const {
  return like_stride(store ? level_.stride_write_ns : level_.stride_ns, bytes, random(store));
}

double LevelCosts::random(bool store) const {
  double read = value_or(level_.random_read_ns, latency_ / parallel());
  return store ? std::max(read, value_or(level_.random_update_ns, read)) : read;
}

double LevelCosts::random_write(double stores) const {
  return std::max(random(true), interpolated(level_.random_write_ns, stores, 0));
}

double LevelCosts::parallel() const { return value_or(level_.parallel_misses, 8); }

}  // namespace perfcast::engine
