#include "methods/characterize/instructions/windows.h"

#include <algorithm>
#include <cmath>

#include "base/statistics.h"

namespace perfcast::instructions {

std::optional<double> step_position(const std::vector<WindowPoint>& points) {
  // Over some intervals, as a step is seldom sharp; what the fillers themselves cost is taken off.
  constexpr std::size_t reach = 3;
  constexpr double filler_cycles = 0.3, last_step = 0.6;
  auto rise = [&](std::size_t i) {
    const auto& high = points[std::min(i + reach, points.size() - 1)];
    return high.cycles - points[i].cycles - filler_cycles * (high.n - points[i].n);
  };
  double best = 0;
  for (std::size_t i = 0; i + 1 < points.size(); i++) best = std::max(best, rise(i));
  if (points.empty() || best < 0.1 * points.back().cycles) return {};
  // From three chains to two is a step as well: the last of the high ones is from two to one.
  std::size_t at = points.size() - 1;
  while (at > 0 && rise(at) < last_step * best) at--;
  while (at > 0 && rise(at - 1) >= rise(at)) at--;
  const std::size_t end = std::min(at + reach, points.size() - 1);
  const double middle = (points[at].cycles + points[end].cycles) / 2;
  for (std::size_t k = at; k < end; k++)
    if (points[k].cycles <= middle && points[k + 1].cycles > middle)
      return points[k].n + (middle - points[k].cycles) / (points[k + 1].cycles - points[k].cycles) * (points[k + 1].n - points[k].n);
  return points[at].n;
}

// Let q iterations fit into the buffer, n be q rounded up. The first slot of an iteration needs one that lies n - q into the
// iteration n before it. That retires behind the whole chain of the one before, as all do, in order and so many in a cycle:
//   (n + 1) cycles = latency + held + (n - q) slots / retired in a cycle
// Farther into an iteration its own chain decides: such loops tell nothing.
std::optional<HeldSlots> held_slots(const std::vector<ChainsInWindow>& loops, double reorder_buffer, double rename_width) {
  constexpr double clearly_more = 1.05, farthest = 0.65, scatter = 3;
  constexpr std::size_t enough = 4;
  constexpr double own = 3.5;  // of what is found, as the engine takes from rename to retirement (pipeline_test)
  std::vector<double> x, y;
  for (const ChainsInWindow& loop : loops) {
    const double fit = reorder_buffer / loop.slots, n = std::ceil(fit);
    if (loop.cycles < clearly_more * loop.slots / rename_width || n - fit > farthest) continue;
    x.push_back((n - fit) * loop.slots), y.push_back((n + 1) * loop.cycles - loop.latency);
  }
  if (x.size() < enough) return {};
  double mean_x = mean(x), mean_y = mean(y), xx = 0, xy = 0, off = 0;
  for (std::size_t i = 0; i < x.size(); i++) xx += (x[i] - mean_x) * (x[i] - mean_x), xy += (x[i] - mean_x) * (y[i] - mean_y);
  if (xx <= 0 || xy <= 0) return {};
  const double slope = xy / xx, held = mean_y - slope * mean_x;
  for (std::size_t i = 0; i < x.size(); i++) off = std::max(off, std::abs(y[i] - held - slope * x[i]));
  if (off > scatter) return {};
  return HeldSlots{std::max(0.0, held - own), 1 / slope};
}

constexpr double told = 0.03;  // of its value a point may spread; more and it was disturbed

std::vector<WindowPoint> window_points(const FormTable& table, const Timings& timings, const std::string& name) {
  std::vector<WindowPoint> points;
  for (auto& c : table.cases)
    if (c.kind == "window" && c.name == name)
      for (int n : c.parameters)
        if (const Timing* timing = timings.find("window/" + name + "/" + std::to_string(n)); timing && timing->kept && timing->spread <= told * timing->cycles)
          points.push_back({n, timing->cycles});
  std::ranges::sort(points, {}, &WindowPoint::n);
  return points;
}

}  // namespace perfcast::instructions
