#include "methods/scale/uneven.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "record/imbalance.h"

namespace perfcast::scale {
namespace {

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// 1 + a f(P) by least squares of relative errors, and what is left.
struct Fit {
  double a = 0, left = 0;
};
Fit fit(const Unevenness& points, double (*f)(double)) {
  double top = 0, bottom = 0;
  for (const auto& [p, uneven] : points) top += (uneven - 1) * f(p) / (uneven * uneven), bottom += f(p) * f(p) / (uneven * uneven);
  Fit result{bottom > 0 ? std::max(0.0, top / bottom) : 0, 0};
  for (const auto& [p, uneven] : points) result.left += std::pow((1 + result.a * f(p)) / uneven - 1, 2);
  return result;
}

}  // namespace

Unevenness of_threads(const ThreadProfile& threads) {
  double all = 0;
  for (const ThreadRegion& region : threads.regions) all += sum(region.seconds);
  Unevenness points;
  if (all <= 0) return points;
  // What many threads told is kept for powers of two; else only the recorded number tells.
  const bool told = std::ranges::any_of(threads.regions, [](const ThreadRegion& region) { return region.uneven.size() > 1; });
  for (double p : told ? std::vector<double>{2, 4, 8, 16} : std::vector<double>{static_cast<double>(threads.threads)}) {
    double uneven = 0;
    for (const ThreadRegion& region : threads.regions) uneven += imbalance_at(region, p) * sum(region.seconds) / all;
    points.emplace_back(p, uneven);
  }
  return points;
}

Unevenness of_ranks(const MessageProfile& messages) {
  Unevenness points;
  for (const Skeleton& run : messages.runs) {
    if (run.parameters != messages.runs.front().parameters || run.ranks < 2 || run.totals.empty()) continue;
    double all = 0, busiest = 0;
    for (const RankTotals& rank : run.totals) all += rank.compute, busiest = std::max(busiest, rank.compute);
    if (all > 0) points.emplace_back(run.ranks, busiest * static_cast<double>(run.totals.size()) / all);
  }
  return points;
}

std::string uneven_form(const Unevenness& points) {
  constexpr double even = 1.1, nearly_alone = 0.9;
  if (std::ranges::none_of(points, [](const auto& point) { return point.first > 1 && point.second > even; })) return "1";
  const Fit limited = fit(points, [](double p) { return 1 - 1 / p; }), growing = fit(points, [](double p) { return p - 1; });
  // One number of processors fits both: nearly all by one is a part done alone.
  const bool alone = points.size() > 1 ? growing.left < limited.left : points.front().second > nearly_alone * points.front().first;
  return alone ? fmt::format("1 + {:.4g}*(P - 1)", growing.a) : fmt::format("1 + {:.4g}*(1 - 1/P)", limited.a);
}

}  // namespace perfcast::scale
