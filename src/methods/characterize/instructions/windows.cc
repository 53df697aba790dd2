#include "methods/characterize/instructions/windows.h"

#include <algorithm>

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
