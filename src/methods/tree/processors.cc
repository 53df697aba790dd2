#include "methods/tree/processors.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"

namespace perfcast::tree {
namespace {

// What `active` processors are worth, in old ones, when `first` of them, worth `speed` each, are taken before the others.
double units_of(int active, int first, double speed, double others) {
  return std::min(active, first) * speed + std::max(active - first, 0) * others;
}

struct Capacities {
  double best = 0, worst = 0;
};

// Of a mode with so many active after `fast` were replaced. With the best schedule the mode takes the fast ones first, and
// uses as much of them as helps: beyond its peak at -1/ln(1 - loss) the capacity law falls. With the worst it uses none of
// what is new. Slow ones cannot be left aside: at best they are taken last, at worst first.
Capacities capacities_of(const DemandMode& mode, int fast, double speed, const DemandProfile& profile) {
  auto capacity = [&](double units) { return capacity_of(units, profile.loss, profile.ceiling); };
  const double fast_first = units_of(mode.active, fast, speed, 1);
  if (speed < 1) {
    const auto [worst, best] = std::minmax({capacity(units_of(mode.active, profile.processors - fast, 1, speed)), capacity(fast_first)});
    return {best, worst};
  }
  const double peak = profile.loss > 0 ? -1 / std::log1p(-profile.loss) : std::numeric_limits<double>::infinity();
  return {capacity(std::clamp<double>(peak, mode.active, fast_first)), capacity(mode.active)};
}

}  // namespace

Status add_processors(UseTree& tree, const DemandProfile& profile, const UpgradeWord& word) {
  double relative = 0;
  for (const auto& mode : profile.modes) relative += mode.demand / capacity_of(mode.active, profile.loss, profile.ceiling);
  const double unit = (tree.root.seconds - profile.synchronisation) / relative;  // one processor's time for the whole work
  ProcessorTable table{word.processors, word.speeds, {}, {}};
  for (int k : word.processors) {
    if (k > profile.processors)
      return wrong_usage("there are only " + std::to_string(profile.processors) + " processors to replace", "processors=1@3");
    table.improvement.emplace_back(), table.tolerance.emplace_back();
    for (double s : word.speeds) {
      Upgrade upgrade;
      upgrade.change = word.name + "=" + std::to_string(k) + "@" + number_text(s);
      upgrade.best = upgrade.worst = profile.synchronisation;
      for (const auto& mode : profile.modes) {
        const Capacities capacities = capacities_of(mode, k, s, profile);
        upgrade.best += unit * mode.demand / capacities.best, upgrade.worst += unit * mode.demand / capacities.worst;
      }
      fill_tolerance(upgrade, tree.root.seconds);
      upgrade.seconds = tree.root.seconds / upgrade.improvement, upgrade.speedup = upgrade.improvement;
      upgrade.interval = {upgrade.best, upgrade.worst};
      table.improvement.back().push_back(upgrade.improvement), table.tolerance.back().push_back(upgrade.tolerance);
      tree.upgrades.push_back(std::move(upgrade));
    }
  }
  if (word.processors.size() * word.speeds.size() > 1) tree.processors = std::move(table);
  return {};
}

}  // namespace perfcast::tree
