#include "methods/tree/upgrade.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "base/text.h"

namespace perfcast::tree {
namespace {

std::optional<double> number_of(std::string text) {
  if (text.ends_with('x')) text.pop_back();
  double value = 0;
  auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (trouble != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

void list_nodes(const SkeletonNode& node, const std::string& path, std::vector<Upgradable>& list) {
  for (const auto& child : node.children) {
    std::string place = path.empty() ? child.name : path + "/" + child.name;
    list.push_back({place, {place}, child.change == "rate" ? "rate:" + place : child.change, false});
    list_nodes(child, place, list);
  }
}

std::string replace_star(std::string text, const std::string& star) {
  if (auto at = text.find('*'); at != std::string::npos) text.replace(at, 1, star);
  return text;
}

// Leaves whose seconds moved although the upgrade does not act on them.
std::vector<Redistribution> moved(const UseNode& before, const UseNode& after, const std::vector<Step>& steps) {
  std::map<std::string, Redistribution> leaves;
  for (const auto& entry : signature_of(before)) leaves[entry.leaf].before = entry.share * before.seconds;
  for (const auto& entry : signature_of(after)) leaves[entry.leaf].after = entry.share * after.seconds;
  std::vector<Redistribution> list;
  for (auto& [path, leaf] : leaves) {
    bool own = false;
    for (const auto& [what, factor] : steps)
      for (const auto& node : what.nodes) own = own || path == node || path.starts_with(node + "/");
    leaf.leaf = path;
    if (!own && std::abs(leaf.after - leaf.before) > 0.01 * before.seconds) list.push_back(leaf);
  }
  std::ranges::sort(list, std::greater<>(), [](const Redistribution& r) { return std::abs(r.after - r.before); });
  constexpr std::size_t enough = 4;
  if (list.size() > enough) list.resize(enough);
  return list;
}

}  // namespace

Result<UpgradeWord> parse_upgrade(const std::string& text) {
  const char* form = "--upgrade NODE=FACTOR, as DRAM=2, or processors=4@3 for four processors three times as fast";
  auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return wrong_usage("\"" + text + "\" is not an upgrade", form);
  UpgradeWord word;
  word.name = text.substr(0, equals);
  std::string value = text.substr(equals + 1);
  auto at = value.find('@');
  if (at == std::string::npos) {
    auto factor = number_of(value);
    if (!factor || !is_factor(*factor)) return wrong_usage("\"" + value + "\" in \"" + text + "\" is not a factor from 0.001 to 1000", form);
    word.factor = *factor;
    return word;
  }
  if (word.name != "processors") return wrong_usage("\"" + text + "\": only processors are replaced a few at a time", form);
  for (const auto& part : split(value.substr(0, at), ',')) {
    auto k = number_of(part);
    if (!k || *k != std::floor(*k) || *k < 1 || *k > most_processors) return wrong_usage("\"" + part + "\" in \"" + text + "\" is not a number of processors", form);
    word.processors.push_back(static_cast<int>(*k));
  }
  for (const auto& part : split(value.substr(at + 1), ',')) {
    auto s = number_of(part);
    if (!s || !is_factor(*s)) return wrong_usage("\"" + part + "\" in \"" + text + "\" is not a speed from 0.001 to 1000", form);
    word.speeds.push_back(*s);
  }
  return word;
}

std::vector<Upgradable> upgradables_of(const Skeleton& expanded, const UseNode& root, const std::vector<std::string>& far_levels) {
  std::vector<Upgradable> list;
  list_nodes(expanded.root, "", list);
  for (const auto& change : expanded.changes) {
    auto add = [&](const std::string& star) {
      Upgradable u{replace_star(change.name, star), {}, replace_star(change.change, star), true};
      for (const auto& name : change.nodes)
        if (auto found = find_node(root, replace_star(name, star))) u.nodes.push_back(found->path);
      list.push_back(std::move(u));
    };
    if (change.name.find('*') == std::string::npos) add("");
    else
      for (const auto& level : far_levels) add(level);
  }
  return list;
}

std::string text_of(const Step& step) {
  const auto& [what, factor] = step;
  const int count = what.processors.count;
  return what.name + "=" + (count > 0 ? std::to_string(count) + "@" + number_text(what.processors.speed) : number_text(factor));
}

void name_steps(Upgrade& upgrade, const std::vector<Step>& steps) {
  for (const Step& step : steps) upgrade.change += (upgrade.change.empty() ? "" : " ") + text_of(step);
  if (steps.size() == 1 && steps[0].first.nodes.size() == 1) upgrade.node = steps[0].first.nodes[0];
}

bool is_factor(double factor) { return factor >= 1e-3 && factor <= 1e3; }

void fill_tolerance(Upgrade& upgrade, double seconds) {
  const double best = upgrade.best > 0 ? seconds / upgrade.best : 1, worst = upgrade.worst > 0 ? seconds / upgrade.worst : 1;
  upgrade.improvement = (best + worst) / 2;
  upgrade.tolerance = (best - worst) / (best + worst);
}

Upgrade upgrade_tree(const UseNode& root, const std::vector<Step>& steps, const Recost& recost) {
  Upgrade upgrade;
  FasterNodes faster, slower;  // at best nobody waits for a slower part
  for (const auto& [what, factor] : steps)
    for (const auto& node : what.nodes) (factor < 1 ? slower : faster).emplace_back(node, factor);
  name_steps(upgrade, steps);
  upgrade.best = sped_up(root, faster).seconds, upgrade.worst = sped_up(root, slower).seconds;
  fill_tolerance(upgrade, root.seconds);
  upgrade.seconds = upgrade.improvement > 0 ? root.seconds / upgrade.improvement : root.seconds;
  if (recost)
    if (auto changed = recost(steps)) {
      FasterNodes left;
      for (const auto& [what, factor] : changed->left)
        for (const auto& node : what.nodes) left.emplace_back(node, factor);
      // What is left to arithmetic is taken halfway between its best and worst schedule, as when it stands alone.
      const double best = sped_up(changed->root, left).seconds, gain = best > 0 ? changed->root.seconds / best : 1;
      const double after = changed->seconds.value_or(changed->root.seconds);
      upgrade.costed_again = upgrade.seconds = changed->one_after_the_other ? best : after / ((1 + gain) / 2);
      upgrade.redistribution = moved(root, changed->root, steps);
      upgrade.remark = changed->assumption;
    }
  upgrade.interval = {std::min(upgrade.best, upgrade.seconds), std::max(upgrade.worst, upgrade.seconds)};
  upgrade.speedup = upgrade.seconds > 0 ? root.seconds / upgrade.seconds : 1;
  return upgrade;
}

}  // namespace perfcast::tree
