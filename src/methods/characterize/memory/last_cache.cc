// The last cache is shared: others push lines out of it, so that a slow walk sees a smaller one than a fast one does.
#include <cmath>

#include "methods/characterize/memory/campaign.h"
#include "methods/characterize/memory/levels.h"

namespace perfcast::characterize {

// Time per line of a stream, by size; no point where it is the same in the last cache and in memory, or memory is short.
std::vector<CurvePoint> MemoryCampaign::stream_curve(double below) {
  constexpr double clear = 1.4;
  std::vector<CurvePoint> curve;
  for (double bytes = 2 * below; bytes <= largest_ * 1.01; bytes *= std::sqrt(2.0)) {
    Buffer buffer(static_cast<std::size_t>(bytes) / 4096 * 4096, false);
    if (!buffer.valid()) return {};
    double time = passes(bytes / line, [&] { read_streams(buffer.begin(), buffer.bytes(), 1); }).value;
    curve.push_back({bytes, curve.empty() ? time : std::max(time, curve.back().y)});
  }
  if (curve.size() < 4 || curve.back().y < clear * curve.front().y) return {};
  return curve;
}

// A shared last cache can be too busy to keep the lines of a slow chase and still serve a fast stream: then its
// size is where the bandwidth, not the latency, drops.
void MemoryCampaign::cache_seen_by_streams() {
  const double below = model_.levels[model_.levels.size() - 2].capacity_bytes->value;
  const std::vector<CurvePoint> curve = stream_curve(below);
  if (curve.empty()) return;
  double capacity = crossing(curve, curve.front().y, curve.back().y);
  if (capacity < 3 * below) return;
  MemoryLevel level;
  level.name = "L" + std::to_string(model_.levels.size());
  level.capacity_bytes = measured(capacity, 0.2 * capacity);
  level.capacity_bytes->note = "seen by streams; a slow chase does not find its lines again";
  level.nominal_bytes = documented(nominal_.back());
  double latency = chase_time(std::round(2.5 * below / line) * line, true).value;
  level.latency_ns = measured(std::min(latency, model_.levels.back().latency_ns->value), 0.1 * latency);
  model_.levels.insert(model_.levels.end() - 1, level);
}

// What the slow ring took for a small cache may be one that forgets. A stream comes round tens of times as soon, so that
// less has to be taken out of what it sees.
void MemoryCampaign::whole_size(MemoryLevel& cache, double below, double fast, double gone) {
  auto& capacity = *cache.capacity_bytes;
  if (!cache.nominal_bytes || capacity.value >= cache.nominal_bytes->value) return;
  auto behind = [&](double bytes, double near, double far) {
    return line * size_behind_retention(bytes / line, near, far, model_.retention_ns->value, cache.nominal_bytes->value / line);
  };
  double whole = behind(capacity.value, fast, gone);
  if (const std::vector<CurvePoint> curve = stream_curve(below); !curve.empty())
    if (const double seen = crossing(curve, curve.front().y, curve.back().y); seen > 0)
      whole = std::max(whole, behind(seen, curve.front().y, curve.back().y));
  if (whole <= capacity.value) return;
  capacity = measured(whole, whole / 4);
  capacity.note = "less for a slow ring, whose lines others push out while it goes round";
}

// Touch what fits the last cache, push it out of the one below, wait, and see how much of it is still there. A busy
// shared cache loses it within milliseconds; its latency is what loads take that come soon enough.
void MemoryCampaign::retention() {
  if (model_.levels.size() < 3) return;
  auto& cache = model_.levels[model_.levels.size() - 2];
  double below = model_.levels[model_.levels.size() - 3].capacity_bytes->value;
  const double size = value_or(cache.nominal_bytes, cache.capacity_bytes->value);
  auto bytes = static_cast<std::size_t>(std::min(1.5 * below, 0.2 * size));
  Buffer kept(bytes, true), pushing(static_cast<std::size_t>(2 * below), true);
  if (!kept.valid() || !pushing.valid()) return;
  char* cell = make_ring(kept.begin(), bytes / line, line, false);
  std::vector<CurvePoint> curve;
  for (double wait_ns : {0.0, 5e5, 1e6, 2e6, 4e6, 8e6, 1.6e7}) {
    std::vector<double> times;
    for (int repeat = 0; repeat < slices_; repeat++) {
      read_streams(kept.begin(), bytes, 1), read_streams(kept.begin(), bytes, 1);
      read_streams(pushing.begin(), pushing.bytes(), 1);
      for (double start = now_ns(); now_ns() - start < wait_ns;) {}
      double start = now_ns();
      cell = chase(cell, 500);
      times.push_back((now_ns() - start) / 500);
    }
    curve.push_back({wait_ns + 2e5, quantile(times, wait_ns > 0 ? 0.5 : 0.25)});
  }
  double gone = model_.levels.back().latency_ns->value, fast = curve.front().y;
  if (fast > 0.95 * gone) return;
  double slow = cache.latency_ns->value;
  if (fast < 0.9 * slow) cache.latency_ns = measured(fast, 0.05 * fast);
  for (std::size_t i = 1; i < curve.size(); i++)  // half of the lines lost: half-way in time, not on a log scale
    if (double half = (fast + gone) / 2; curve[i - 1].y <= half && curve[i].y > half) {
      double at = curve[i - 1].x + (half - curve[i - 1].y) / (curve[i].y - curve[i - 1].y) * (curve[i].x - curve[i - 1].x);
      model_.retention_ns = measured(at, at / 3);
      break;
    }
  if (model_.retention_ns) whole_size(cache, below, fast, gone);
}

}  // namespace perfcast::characterize
