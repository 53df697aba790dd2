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

namespace {

// What one stratum says: the share of touches that was not reused up to a bin, and how many speak of it.
struct Survival {
  std::vector<double> alive, risk;
};

Survival survival_of(const Observed& observed, std::size_t stratum) {
  Survival result;
  double at_risk = 0, alive = 1;
  for (std::size_t b = 0; b < observed.seen.size(); b++) at_risk += observed.seen[b][stratum] + observed.censored[b][stratum];
  for (std::size_t b = 0; b < observed.seen.size(); b++) {
    const double events = observed.seen[b][stratum], censored = observed.censored[b][stratum];
    const double risk = std::max(0.0, at_risk - 0.5 * censored);  // half of those censored in this bin have left before its events
    if (events > 0 && risk > 0) alive *= 1 - std::min(1.0, events / risk);
    result.alive.push_back(alive), result.risk.push_back(risk);
    at_risk -= events + censored;
  }
  return result;
}

}  // namespace

// Each stratum is followed from distance zero on, since a touch whose distance is blurred across the finest one that its
// stratum can tell is still a reuse; they are averaged, by how many are watched, where they are fine enough to speak.
Distribution estimate(const Observed& observed) {
  Distribution result;
  std::array<Survival, strata> of;
  for (std::size_t s = 0; s < strata; s++) of[s] = survival_of(observed, s);
  double alive = 1, risk_after_last_event = 0;
  for (std::size_t b = 0; b < observed.seen.size() && alive > 0; b++) {
    const double distance = distance_of_bin(static_cast<int>(b));
    double risk = 0, surviving = 0, events = 0, finer_risk = 0;
    for (std::size_t s = 0; s < strata; s++) {
      const double watched = of[s].risk[b];
      // Coarse sampling speaks of short distances only where nothing finer was seen.
      if (distance < finest_distance[s] && finer_risk > enough) continue;
      finer_risk += watched;
      risk += watched, surviving += watched * of[s].alive[b], events += observed.seen[b][s];
    }
    const double leaving = risk > 0 ? alive - surviving / risk : 0;
    if (leaving <= 0) {
      // As long as a good part of what is left was watched this far without a reuse, the unknown lies beyond.
      if (risk > 0.25 * risk_after_last_event) result.beyond_from = distance;
      continue;
    }
    result.bins.push_back({distance, leaving, 0});
    alive -= leaving;
    risk_after_last_event = std::max(0.0, risk - events), result.beyond_from = distance;
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
