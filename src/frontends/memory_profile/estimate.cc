#include "frontends/memory_profile/estimate.h"

#include <array>
#include <cmath>

namespace perfcast::memory_profile {
namespace {

// Finest distance each stratum of sampling can tell: 32 times its largest weight (1, 16, 64).
constexpr double finest_distance[strata] = {0, 512, 2048};
// Touches that make an estimate.
constexpr double enough = 16;

}  // namespace

double distance_of_bin(int bin) {
  // Bins split each octave of distance + 1 into four equal parts (data/runtime/memory_profile.c).
  double octave = std::exp2(bin / 4), part = bin % 4;
  return octave * (1 + (part + 0.5) / 4) - 1;
}

Distribution estimate(const Observed& observed) {
  Distribution result;
  int bins = static_cast<int>(observed.seen.size());
  std::array<double, strata> at_risk{};
  for (int b = 0; b < bins; b++)
    for (int s = 0; s < strata; s++) at_risk[s] += observed.seen[b][s] + observed.censored[b][s];
  double alive = 1, risk_after_last_event = 0;
  for (int b = 0; b < bins && alive > 0; b++) {
    double events = 0, risk = 0, finer_risk = 0;
    for (int s = 0; s < strata; s++) {
      // Coarse sampling speaks of short distances only where nothing finer was seen.
      bool too_coarse = distance_of_bin(b) < finest_distance[s] && finer_risk > enough;
      finer_risk += at_risk[s];
      if (too_coarse) continue;
      // Half of those censored in this bin have left before its events.
      risk += at_risk[s] - 0.5 * observed.censored[b][s];
      events += observed.seen[b][s];
    }
    for (int s = 0; s < strata; s++) at_risk[s] -= observed.seen[b][s] + observed.censored[b][s];
    if (events <= 0 || risk <= 0) {
      // As long as a good part of what is left was watched this far without a reuse, the unknown lies beyond.
      if (risk > 0.25 * risk_after_last_event) result.beyond_from = distance_of_bin(b);
      continue;
    }
    double leaving = alive * std::min(1.0, events / risk);
    result.bins.push_back({distance_of_bin(b), leaving, 0});
    alive -= leaving;
    risk_after_last_event = std::max(0.0, risk - events), result.beyond_from = distance_of_bin(b);
  }
  result.beyond = alive < 1e-9 ? 0 : alive;
  return result;
}

Distribution whole_run(const Observed& observed) {
  Distribution result;
  double total = 0;
  for (std::size_t b = 0; b < observed.seen.size(); b++)
    for (int s = 0; s < strata; s++) total += observed.seen[b][static_cast<std::size_t>(s)] + observed.censored[b][static_cast<std::size_t>(s)];
  if (!(total > 0)) return result;
  for (std::size_t b = 0; b < observed.seen.size(); b++) {
    double seen = 0;
    for (int s = 0; s < strata; s++) seen += observed.seen[b][static_cast<std::size_t>(s)], result.beyond += observed.censored[b][static_cast<std::size_t>(s)] / total;
    if (seen > 0) result.bins.push_back({distance_of_bin(static_cast<int>(b)), seen / total, 0}), result.beyond_from = distance_of_bin(static_cast<int>(b));
  }
  return result;
}

}  // namespace perfcast::memory_profile
