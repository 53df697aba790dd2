#include "methods/characterize/instructions/port_fit.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace perfcast::instructions {
namespace {

constexpr double good = 0.06;         // misfit of an explanation that is believed
// A known start is doubted only when the stream alone is so much faster or slower: pairs alone are too easily
// disturbed, and ports settle into one pattern or another, up to 1.4 times as slow as the best.
constexpr double faster = 0.87, slower = 1.45;
constexpr double alone_weight = 3;    // the stream alone is measured best
constexpr double worth_it = 0.75;     // a change must take away a quarter of the misfit
constexpr double distance_cost = 0.004;  // per port that differs from the start

std::uint32_t all_ports(std::span<const Demand> demands) {
  std::uint32_t ports = 0;
  for (auto& demand : demands) ports |= demand.ports;
  return ports;
}

double distance(std::span<const Demand> a, std::span<const Demand> b) {
  const double ports = std::popcount(all_ports(a) ^ all_ports(b));
  return distance_cost * (ports + std::abs(double(a.size()) - double(b.size())));
}

}  // namespace

double port_bound(std::span<const Demand> demands) {
  std::vector<std::uint32_t> unions;
  for (auto& demand : demands) {
    if (!demand.ports) continue;
    const std::size_t before = unions.size();
    for (std::size_t i = 0; i < before; i++) unions.push_back(unions[i] | demand.ports);
    unions.push_back(demand.ports);
    std::ranges::sort(unions);
    unions.erase(std::unique(unions.begin(), unions.end()), unions.end());
  }
  double bound = 0;
  for (auto set : unions) {
    double work = 0;
    for (auto& demand : demands)
      if (demand.ports && (demand.ports & ~set) == 0) work += demand.cycles;
    bound = std::max(bound, work / std::popcount(set));
  }
  return bound;
}

double misfit(std::span<const Demand> demands, const PortEvidence& evidence) {
  double sum = 0, weights = 0;
  std::vector<Demand> together;
  for (auto& timing : evidence.timings) {
    together.assign(demands.begin(), demands.end());
    together.insert(together.end(), timing.other.begin(), timing.other.end());
    const double slots = evidence.slots + timing.other_slots;
    const double expected = std::max(port_bound(together), slots / evidence.rename_width);
    const double weight = timing.other.empty() ? alone_weight : 1;
    // Ports bound at rename lose up to a seventh against the ideal: too fast an explanation is worse than too slow.
    const double off = std::log(timing.cycles / expected);
    sum += weight * (off > 0 ? std::max(0.0, off - (timing.other.empty() ? 0.02 : 0.1)) : -off);
    weights += weight;
  }
  return weights > 0 ? sum / weights : 0;
}

PortFit fit_ports(const std::vector<Demand>& start, std::span<const std::uint32_t> sets, const PortEvidence& evidence,
                  int most) {
  PortFit best{start, misfit(start, evidence), false};
  const double alone = evidence.timings.empty() ? 1 : evidence.timings.front().cycles;
  const double expected = std::max(port_bound(start), evidence.slots / evidence.rename_width);
  if (!start.empty() && (best.misfit <= good || (alone > faster * expected && alone < slower * expected))) return best;
  const bool divides = start.empty() || std::ranges::any_of(start, [](const Demand& demand) { return demand.cycles > 1; });
  const double from = start.empty() ? 1e9 : best.misfit * worth_it;
  double best_score = from;
  auto consider = [&](std::vector<Demand> demands) {
    const double miss = misfit(demands, evidence), score = miss + distance(demands, start);
    if ((start.empty() || miss <= good) && score < best_score - 1e-9) best_score = score, best = {std::move(demands), miss, true};
  };
  for (auto a : sets) {
    for (int count = 1; count <= most; count++) consider(std::vector<Demand>(static_cast<std::size_t>(count), Demand{a, 1}));
    const double kept = std::round(alone * std::popcount(a));
    if (divides && kept >= 3 && std::popcount(a) <= 2) consider({Demand{a, kept}});  // not pipelined
    for (auto b : sets)
      if (a != b && most > 1) {
        if (a < b) consider({Demand{a, 1}, Demand{b, 1}});
        if (most > 2) consider({Demand{a, 1}, Demand{a, 1}, Demand{b, 1}});
      }
  }
  return best;
}

}  // namespace perfcast::instructions
