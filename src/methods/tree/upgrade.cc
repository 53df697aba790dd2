#include "methods/tree/upgrade.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "base/text.h"

namespace perfcast::tree {
namespace {

std::optional<double> positive_number(std::string text) {
  if (text.ends_with('x')) text.pop_back();
  double value = 0;
  auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (trouble != std::errc() || end != text.data() + text.size() || !(value > 0) || !std::isfinite(value)) return {};
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
    auto factor = positive_number(value);
    if (!factor) return wrong_usage("\"" + value + "\" in \"" + text + "\" is not a positive factor", form);
    word.factor = *factor;
    return word;
  }
  for (const auto& part : split(value.substr(0, at), ',')) {
    auto k = positive_number(part);
    if (!k || *k != std::floor(*k)) return wrong_usage("\"" + part + "\" in \"" + text + "\" is not a number of processors", form);
    word.processors.push_back(static_cast<int>(*k));
  }
  for (const auto& part : split(value.substr(at + 1), ',')) {
    auto s = positive_number(part);
    if (!s) return wrong_usage("\"" + part + "\" in \"" + text + "\" is not a speed", form);
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

void fill_tolerance(Upgrade& upgrade, double seconds) {
  double best = upgrade.best > 0 ? seconds / upgrade.best : 1;
  upgrade.improvement = (1 + best) / 2;
  upgrade.tolerance = (best - 1) / (best + 1);
}

Upgrade upgrade_tree(const UseNode& root, const std::vector<Step>& steps, const Recost& recost) {
  Upgrade upgrade;
  std::vector<std::pair<std::string, double>> faster;
  for (const auto& [what, factor] : steps) {
    upgrade.change += (upgrade.change.empty() ? "" : " ") + what.name + "=" + number_text(factor);
    for (const auto& node : what.nodes) faster.emplace_back(node, factor);
  }
  if (steps.size() == 1 && steps[0].first.nodes.size() == 1) upgrade.node = steps[0].first.nodes[0];
  upgrade.best = seconds_with(root, faster), upgrade.worst = root.seconds;
  if (upgrade.best > upgrade.worst) std::swap(upgrade.best, upgrade.worst);
  fill_tolerance(upgrade, root.seconds);
  upgrade.seconds = upgrade.improvement > 0 ? root.seconds / upgrade.improvement : root.seconds;
  if (recost)
    if (auto changed = recost(steps)) {
      std::vector<std::pair<std::string, double>> left;
      for (const auto& [what, factor] : changed->left)
        for (const auto& node : what.nodes) left.emplace_back(node, factor);
      // What is left to arithmetic is taken halfway between its best and worst schedule, as when it stands alone.
      const double best = seconds_with(changed->root, left), gain = best > 0 ? changed->root.seconds / best : 1;
      upgrade.costed_again = upgrade.seconds = changed->one_after_the_other ? best : changed->root.seconds / ((1 + gain) / 2);
      upgrade.redistribution = moved(root, changed->root, steps);
      upgrade.remark = changed->assumption;
    }
  upgrade.interval = {std::min(upgrade.best, upgrade.seconds), std::max(upgrade.worst, upgrade.seconds)};
  upgrade.speedup = upgrade.seconds > 0 ? root.seconds / upgrade.seconds : 1;
  return upgrade;
}

}  // namespace perfcast::tree
