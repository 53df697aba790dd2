#include "methods/characterize/instructions/windows.h"

#include <algorithm>

namespace perfcast::instructions {

std::optional<double> step_position(const std::vector<WindowPoint>& points) {
  // Over some intervals, as a step is seldom sharp; what the fillers themselves cost is taken off.
  constexpr std::size_t reach = 3;
  constexpr double filler_cycles = 0.3;
  double best = 0, position = 0;
  for (std::size_t i = 0; i + 1 < points.size(); i++) {
    const std::size_t end = std::min(i + reach, points.size() - 1);
    const auto &low = points[i], &high = points[end];
    const double rise = high.cycles - low.cycles - filler_cycles * (high.n - low.n);
    if (rise <= best) continue;
    best = rise;
    const double middle = (low.cycles + high.cycles) / 2;
    for (std::size_t k = i; k < end; k++)
      if (points[k].cycles <= middle && points[k + 1].cycles > middle)
        position = points[k].n + (middle - points[k].cycles) / (points[k + 1].cycles - points[k].cycles) * (points[k + 1].n - points[k].n);
  }
  if (points.empty() || best < 0.1 * points.back().cycles) return {};
  return position;
}

std::vector<WindowPoint> window_points(const FormTable& table, const Timings& timings, const std::string& name) {
  std::vector<WindowPoint> points;
  for (auto& c : table.cases)
    if (c.kind == "window" && c.name == name)
      for (int n : c.parameters)
        if (auto cycles = timings.cycles("window/" + name + "/" + std::to_string(n))) points.push_back({n, *cycles});
  std::ranges::sort(points, {}, &WindowPoint::n);
  return points;
}

}  // namespace perfcast::instructions
