#include "record/imbalance.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "record/points.h"

namespace perfcast {
namespace {

double uneven(double iterations, double threads) { return iterations > 0 ? std::ceil(iterations / threads) * threads / iterations : 1; }

// Beyond the largest number of threads, what a few do alone stays as long as it is.
double recorded_at(const std::map<std::string, double>& recorded, double threads) {
  const Points known = points_of(recorded, std::identity());
  if (known.empty()) return 1;
  double more = 0;
  if (const auto n = known.size(); n > 1 && threads > known[n - 1].first)
    more = std::max(0.0, (known[n - 1].second - known[n - 2].second) / (known[n - 1].first - known[n - 2].first)) * (threads - known[n - 1].first);
  return std::max(1.0, between(known, threads) + more);
}

}  // namespace

double imbalance_at(const ThreadRegion& region, double threads) {
  if (threads <= 1 || region.seconds.empty()) return 1;
  if (!region.uneven.empty()) return recorded_at(region.uneven, threads);
  const double recorded = static_cast<double>(region.seconds.size());
  const double mean = std::accumulate(region.seconds.begin(), region.seconds.end(), 0.0) / recorded;
  const double iterations = region.entries > 0 ? region.iterations / region.entries : 0;
  const double seen = mean > 0 ? *std::ranges::max_element(region.seconds) / mean : 1;
  return std::max(1.0, seen / uneven(iterations, recorded)) * uneven(iterations, threads);
}

}  // namespace perfcast
