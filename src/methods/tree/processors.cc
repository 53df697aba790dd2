#include "methods/tree/processors.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"

namespace perfcast::tree {
namespace {

// The processors of a machine after some were replaced, the fastest first.
std::vector<FastProcessors> after_replacing(std::vector<FastProcessors> fast, int processors) {
  std::ranges::sort(fast, std::greater<>(), &FastProcessors::speed);
  int left = processors;
  for (auto& some : fast) some.count = std::min(some.count, left), left -= some.count;
  fast.push_back({left, 1});
  std::ranges::sort(fast, std::greater<>(), &FastProcessors::speed);
  return fast;
}

// What `active` of them are worth, in old ones, taken from the beginning of the list.
double units_of(int active, const std::vector<FastProcessors>& list) {
  double units = 0;
  for (const auto& some : list) {
    const int taken = std::min(active, some.count);
    units += taken * some.speed, active -= taken;
  }
  return units;
}

struct Capacities {
  double best = 0, worst = 0;
};

// Of a mode with so many active. With the best schedule it takes the fast ones first, and uses as much of them as helps:
// beyond its peak at -1/ln(1 - loss) the capacity law falls. With the worst it uses nothing of what is new, unless all are: then no
// schedule can avoid it. Slow ones cannot be left aside, and are taken first.
Capacities capacities_of(int active, const std::vector<FastProcessors>& machine, const DemandProfile& profile) {
  auto capacity = [&](double units) { return capacity_of(units, profile.loss, profile.ceiling); };
  const double peak = profile.loss > 0 ? -1 / std::log1p(-profile.loss) : std::numeric_limits<double>::infinity();
  std::vector<FastProcessors> slow_first = machine;
  std::erase_if(slow_first, [](const FastProcessors& some) { return some.count == 0; });
  std::ranges::reverse(slow_first);
  const double avoidable = std::max(1.0, slow_first.front().speed);
  for (auto& some : slow_first) some.speed = std::min(some.speed, avoidable);
  const double most = units_of(active, machine), least = units_of(active, slow_first);
  auto helpful = [&](double units) { return capacity(std::clamp(peak, std::min<double>(active, least), units)); };
  return {helpful(most), least > active ? helpful(least) : std::min(capacity(least), capacity(std::min<double>(most, active)))};
}

}  // namespace

Result<std::vector<Step>> processor_steps(const UpgradeWord& word, int processors) {
  std::vector<Step> steps;
  for (int k : word.processors) {
    if (k > processors) return wrong_usage("there are only " + std::to_string(processors) + " processors to replace", "processors=1@3");
    for (double s : word.speeds) steps.emplace_back(Upgradable{word.name, {}, "processors", true, {k, s}}, s);
  }
  return steps;
}

std::vector<Step> usual_replacements(int processors, double factor) {
  std::vector<Step> steps;
  for (int k : {1, processors / 2, processors})
    if (k > 0 && k <= processors && (steps.empty() || k > steps.back().first.processors.count))
      steps.emplace_back(Upgradable{"processors", {}, "processors", true, {k, factor}}, factor);
  return steps;
}

Upgrade upgrade_levels(const UseNode& root, const DemandProfile& profile, const std::vector<Step>& steps) {
  Upgrade upgrade;
  name_steps(upgrade, steps);
  DemandProfile changed = profile;
  std::vector<FastProcessors> fast;
  FasterNodes best, worst;
  bool schedules = false;  // how work is scheduled makes a difference
  for (const auto& [what, factor] : steps) {
    if (what.change == "loss") {
      changed.loss = std::min(0.999, changed.loss / factor);
      if (profile.loss <= 0) upgrade.remark = "no loss by interference is known";
    } else if (what.change == "ceiling") {
      if (changed.ceiling) *changed.ceiling = std::max(1.0, *changed.ceiling * factor);
      else upgrade.remark = "no ceiling of the interconnect is known";
    } else if (what.change == "processors") {
      fast.push_back(what.processors.count > 0 ? what.processors : FastProcessors{profile.processors, factor}), schedules = true;
    } else {
      for (const auto& node : what.nodes) (factor < 1 ? worst : best).emplace_back(node, factor);
      schedules = true;
    }
  }
  const std::vector<FastProcessors> machine = after_replacing(fast, profile.processors);
  double old_law = 0, best_law = 0, worst_law = 0;  // in units of one processor's time for the whole work
  bool drawn = true;
  for (const DemandMode& mode : profile.modes) {
    const Capacities capacities = capacities_of(mode.active, machine, changed);
    const double now = capacity_of(mode.active, profile.loss, profile.ceiling);
    const std::string node = "levels/" + std::to_string(mode.active);
    drawn = drawn && find_node(root, node).has_value();
    best.emplace_back(node, capacities.best / now), worst.emplace_back(node, capacities.worst / now);
    old_law += mode.demand / now, best_law += mode.demand / capacities.best, worst_law += mode.demand / capacities.worst;
  }
  upgrade.best = sped_up(root, best).seconds, upgrade.worst = sped_up(root, worst).seconds;
  // A skeleton that draws no levels: what they gain is known all the same.
  if (!drawn) {
    const double levels = root.seconds - profile.synchronisation;
    upgrade.best = std::max(0.0, upgrade.best - levels * (1 - best_law / old_law));
    upgrade.worst = std::max(0.0, upgrade.worst - levels * (1 - worst_law / old_law));
  }
  fill_tolerance(upgrade, root.seconds);
  upgrade.seconds = upgrade.improvement > 0 ? root.seconds / upgrade.improvement : root.seconds, upgrade.speedup = upgrade.improvement;
  if (!schedules) upgrade.costed_again = upgrade.seconds;
  upgrade.interval = {std::min(upgrade.best, upgrade.seconds), std::max(upgrade.worst, upgrade.seconds)};
  return upgrade;
}

ProcessorTable processor_table(const UpgradeWord& word, const std::vector<Upgrade>& cells) {
  ProcessorTable table{word.processors, word.speeds, {}, {}};
  for (std::size_t i = 0; i < cells.size(); i++) {
    if (i % word.speeds.size() == 0) table.improvement.emplace_back(), table.tolerance.emplace_back();
    table.improvement.back().push_back(cells[i].improvement), table.tolerance.back().push_back(cells[i].tolerance);
  }
  return table;
}

}  // namespace perfcast::tree
