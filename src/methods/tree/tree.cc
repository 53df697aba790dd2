#include "methods/tree/tree.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <iterator>

#include "base/text.h"
#include "engine/source_costs.h"
#include "methods/tree/build.h"
#include "methods/tree/processors.h"
#include "methods/tree/recost.h"

namespace perfcast::tree {
namespace {

bool same_word(const std::string& a, const std::string& b) {
  return std::ranges::equal(a, b, [](char x, char y) { return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y)); });
}

// A tree under construction: the record, its expanded skeleton, and what can be upgraded.
struct Draft {
  UseTree tree;
  Skeleton skeleton;
  std::vector<Upgradable> upgradables;
  int processors = 0;  // of levels of parallelism
};

// What steps buy together.
using Buy = std::function<Upgrade(const std::vector<Step>&)>;

Result<Draft> draft_of(const Observed& observed, const std::string& usual_skeleton, const TreeOptions& options,
                       const std::vector<std::string>& far_levels = {}) {
  TRY(Skeleton skeleton, find_skeleton(options.skeleton.empty() ? usual_skeleton : options.skeleton));
  if (options.clock) skeleton.clock = *options.clock;
  Draft draft;
  draft.skeleton = expand(skeleton, observed);
  CHECK_OK(check_siblings(draft.skeleton.root, skeleton.name));
  UseTree& tree = draft.tree;
  tree.program = observed.program, tree.machine = observed.machine, tree.skeleton = skeleton.name;
  tree.made_by = made_here(), tree.clock = skeleton.clock, tree.unit = observed.unit;
  tree.remarks = observed.remarks;
  tree.root = decorate(draft.skeleton, observed);
  tree.peak_rate = peak_rate_of(tree.root, observed);
  auto broken = broken_fan_outs(tree.root);
  ensure(broken.empty(), "what is observed is conserved at every fan-out");
  tree.signature = signature_of(tree.root);
  // Those of inner nodes too: time that is known to be of a node and of none of its children.
  auto residues = [](auto&& self, const UseNode& node) -> double {
    double sum = node.children.empty() ? 0 : node.residue;
    for (const UseNode& child : node.children) sum += self(self, child);
    return sum;
  };
  if (const double in_no_leaf = residues(residues, tree.root); tree.root.seconds > 0 && std::abs(in_no_leaf) > 0.02 * tree.root.seconds)
    tree.remarks.push_back(percent_text(in_no_leaf / tree.root.seconds) + " of the time lies in no leaf of this skeleton");
  draft.upgradables = upgradables_of(draft.skeleton, tree.root, far_levels);
  return draft;
}

Result<Upgradable> find_upgradable(const Draft& draft, const std::string& name) {
  for (const auto& u : draft.upgradables)
    if (same_word(u.name, name)) return u;
  auto node = find_node(draft.tree.root, name);
  if (node)
    for (const auto& u : draft.upgradables)
      if (u.name == node->path) return u;
  std::string changes;
  for (const auto& change : draft.skeleton.changes) changes += (changes.empty() ? "" : ", ") + change.name;
  Error error = node ? Error{"nothing to upgrade", name, {}, Trouble::usage} : node.error();
  if (!changes.empty()) error.try_this += "; or " + changes;
  return std::unexpected(error);
}

// The steps of each upgrade that is asked for: one, or the cells of a table of processors.
struct Asked {
  UpgradeWord word;
  std::vector<Step> steps;
};
Result<std::vector<Asked>> asked_steps(const Draft& draft, const TreeOptions& options) {
  std::vector<Asked> asked;
  for (const auto& text : options.upgrades) {
    TRY(UpgradeWord word, parse_upgrade(text));
    std::vector<Step> steps;
    if (word.processors.empty()) {
      TRY(Upgradable what, find_upgradable(draft, word.name));
      what.name = word.name;
      steps.emplace_back(std::move(what), word.factor);
    } else if (draft.processors == 0) {
      return wrong_usage("\"" + text + "\": this tree knows no single processors", "a tree of levels of parallelism (perfcast.demand)");
    } else {
      TRY(steps, processor_steps(word, draft.processors));
    }
    asked.push_back({std::move(word), std::move(steps)});
  }
  return asked;
}

// All single upgrades that are worth a look: several nodes may ask for one change; the skeleton's own changes come first.
std::vector<Step> candidates_of(const Draft& draft, double factor) {
  constexpr double negligible = 0.003;
  std::vector<Step> candidates = usual_replacements(draft.processors, factor);
  std::vector<std::string> seen;
  if (!candidates.empty()) seen.push_back("processors");
  for (bool named : {true, false})
    for (const auto& u : draft.upgradables) {
      if (u.named != named || u.change.empty() || std::ranges::find(seen, u.change) != seen.end()) continue;
      seen.push_back(u.change);
      double share = 0;
      for (const auto& path : u.nodes)
        if (auto node = find_node(draft.tree.root, path)) share += node->node->share;
      if (u.nodes.empty() || share >= negligible) candidates.emplace_back(u, factor);
    }
  return candidates;
}

// Best first.
std::vector<Upgrade> ranking_of(const Draft& draft, double factor, const Buy& buy, std::vector<Step>* order) {
  std::vector<std::pair<Upgrade, Step>> list;
  for (Step& step : candidates_of(draft, factor)) {
    Upgrade upgrade = buy({step});
    const bool by_law = step.first.nodes.empty() && step.first.processors.count == 0;
    if (by_law && (!upgrade.costed_again || (draft.processors > 0 && upgrade.speedup == 1))) continue;  // acts on nothing here
    list.emplace_back(std::move(upgrade), std::move(step));
  }
  std::ranges::sort(list, [](const auto& a, const auto& b) {
    return a.first.speedup != b.first.speedup ? a.first.speedup > b.first.speedup : a.first.change < b.first.change;
  });
  std::vector<Upgrade> ranking;
  for (auto& [upgrade, step] : list) {
    ranking.push_back(std::move(upgrade));
    order->push_back(std::move(step));
  }
  return ranking;
}

// Both act on single nodes, of which one lies below the other, or both replace processors: crossing them would count the
// same gain twice.
bool one_in_the_other(const Upgradable& a, const Upgradable& b) {
  if (a.processors.count > 0 && b.processors.count > 0) return true;
  if (a.nodes.size() != 1 || b.nodes.size() != 1) return false;
  return a.nodes[0] == b.nodes[0] || a.nodes[0].starts_with(b.nodes[0] + "/") || b.nodes[0].starts_with(a.nodes[0] + "/");
}

std::optional<CrossedUpgrades> crossed_of(const std::vector<Step>& steps, const Buy& buy) {
  if (steps.size() < 2) return {};
  CrossedUpgrades crossed;
  std::size_t n = steps.size();
  crossed.speedup.assign(n, std::vector<double>(n, 1));
  for (std::size_t i = 0; i < n; i++) {
    crossed.changes.push_back(text_of(steps[i]));
    for (std::size_t j = i; j < n; j++) {
      std::vector<Step> both = i == j ? std::vector{steps[i]} : std::vector{steps[i], steps[j]};
      crossed.speedup[i][j] = crossed.speedup[j][i] = buy(both).speedup;
    }
  }
  return crossed;
}

Status add_upgrades(Draft& draft, const TreeOptions& options, const Buy& buy) {
  if (!is_factor(options.rank_factor)) return wrong_usage("upgrades are ranked by a factor from 0.001 to 1000", "--rank-factor 2");
  TRY(std::vector<Asked> asked, asked_steps(draft, options));
  UseTree& tree = draft.tree;
  std::vector<Step> crossed, order;
  for (const auto& [word, steps] : asked) {
    std::vector<Upgrade> cells;
    cells.reserve(steps.size());
    for (const auto& step : steps) cells.push_back(buy({step}));
    if (steps.size() > 1) tree.processors = processor_table(word, cells);
    std::ranges::move(cells, std::back_inserter(tree.upgrades));
    std::ranges::copy(steps, std::back_inserter(crossed));
  }
  if (options.rank) tree.ranking = ranking_of(draft, options.rank_factor, buy, &order);
  if (asked.size() < 2) {
    crossed.clear();
    for (std::size_t i = 0; i < order.size() && static_cast<int>(crossed.size()) < options.crossed; i++)
      if (tree.ranking[i].speedup > 1.005 && std::ranges::none_of(crossed, [&](const Step& s) { return one_in_the_other(s.first, order[i].first); }))
        crossed.push_back(order[i]);
  }
  tree.crossed = crossed_of(crossed, buy);
  return {};
}

// By the arithmetic of the tree, and costed again where that is possible.
Buy buy_by(const UseNode& root, Recost recost) {
  return [&root, recost = std::move(recost)](const std::vector<Step>& steps) { return upgrade_tree(root, steps, recost); };
}

// What a tree of one core cannot show.
void say_what_is_left_out(const Profile& profile, UseTree& tree) {
  if (!profile.messages.is_null())
    tree.remarks.push_back("the computation alone, without messages: perfcast dilate measures what they take");
  if (!profile.parallel.is_null())
    tree.remarks.push_back("the work of all threads, one after the other: perfcast dilate --threads measures how it divides among them");
}

// Operations run one after the other in this model: what one of them gains, the program gains.
Result<UseTree> source_tree(const Profile& profile, const Machine& machine, const TreeOptions& options) {
  TRY(Observed observed, observe_source(profile, machine));
  TRY(Draft draft, draft_of(observed, "source", options));
  const UseNode root = draft.tree.root;
  Recost linear = [&root](const std::vector<Step>& steps) -> std::optional<NewTree> {
    return NewTree{root, steps, "operations are taken to run one after the other", true};
  };
  CHECK_OK(add_upgrades(draft, options, buy_by(root, linear)));
  say_what_is_left_out(profile, draft.tree);
  return draft.tree;
}

}  // namespace

Result<UseTree> make_tree(const Profile& profile, const Machine& machine, const TreeOptions& options) {
  bool by_source = options.skeleton == "source" || !profile.machine || !machine.core;
  if (by_source && profile.source && !engine::is_design(profile)) return source_tree(profile, machine, options);
  if (!profile.machine)
    return unfit("the profile has neither machine code nor source operations to make a tree of", profile.program, "perfcast analyze its source");
  if (!machine.core) return unfit("the machine has no core to make a tree of", machine.name, "perfcast characterize, or another --machine");
  engine::SimulationOptions simulation;
  if (options.instructions) simulation.instructions = *options.instructions;
  TRY(engine::CompiledCost cost, engine::compiled_cost(profile, machine, simulation));
  std::vector<std::string> far_levels;
  if (machine.memory)
    for (std::size_t i = 1; i < machine.memory->levels.size(); i++) far_levels.push_back(machine.memory->levels[i].name);
  TRY(Draft draft, draft_of(observe_compiled(cost, profile, machine, options.alone), "core", options, far_levels));
  const Costed costed{profile, machine, cost.core, draft.tree.root.seconds, draft.skeleton, simulation, options.alone};
  CHECK_OK(add_upgrades(draft, options, buy_by(draft.tree.root, recost_compiled(costed))));
  say_what_is_left_out(profile, draft.tree);
  return draft.tree;
}

Result<UseTree> make_tree(const DemandProfile& profile, const TreeOptions& options) {
  double sum = 0;
  for (const auto& mode : profile.modes) {
    if (mode.active < 1 || mode.demand < 0) return unfit("a mode has no active processor or a negative demand", profile.program);
    sum += mode.demand;
  }
  if (!(std::abs(sum - 1) < 1e-6))
    return unfit("the demands add up to " + number_text(sum) + ", not to 1", profile.program, "demand is a part of all work");
  if (profile.loss < 0 || profile.loss >= 1) return unfit("the loss of capacity is not a fraction", profile.program);
  if (profile.processors < 1 || profile.processors > most_processors) return unfit("not a number of processors", profile.program);
  if (profile.ceiling && *profile.ceiling < 1) return unfit("the interconnect allows less than one processor", profile.program);
  if (profile.seconds.value_or(1) <= 0 || profile.synchronisation < 0) return unfit("a time is not above 0", profile.program);
  for (const auto& mode : profile.modes)
    if (mode.active > profile.processors || capacity_of(mode.active, profile.loss, profile.ceiling) < 1e-9)
      return unfit("mode " + std::to_string(mode.active) + " has more processors than there are, or no capacity", profile.program);
  TRY(Draft draft, draft_of(observe_demand(profile), "parallel", options));
  draft.processors = profile.processors;
  CHECK_OK(add_upgrades(draft, options, [&](const std::vector<Step>& steps) { return upgrade_levels(draft.tree.root, profile, steps); }));
  return draft.tree;
}

// The parts of the time are what the tree is made of.
static Status check_times(const Dilation& dilation) {
  constexpr double tolerance = 0.05;
  const DilationPoint& first = dilation.points.front();
  const DilatedTimes& t = first.times;
  const double all = accounted_seconds(t);
  if (std::min({t.user, t.system, t.send, t.wait_receive, t.collective, t.other}) < 0 || !(first.elapsed > 0) || all > (1 + tolerance) * first.elapsed)
    return unfit("the parts of the time, together " + number_text(all) + " s, are negative or more than the " + number_text(first.elapsed) + " s that elapsed",
                 dilation.program + ": points/0/times", "repeat it with perfcast dilate");
  return {};
}

// What a faster network gains was measured: b (1 - 1/D) of the law E/D = a + b/D that was fitted to all valid points. The
// law, not single points, which carry their own noise: a larger upgrade must not seem worse than a smaller one.
static std::optional<NewTree> by_dilation(const Dilation& dilation, const UseNode& root, const std::vector<Step>& steps) {
  if (!dilation.transport_share) return {};
  NewTree result{root, {}, "by the law E/D = a + b/D of the dilation", false};
  FasterNodes network, faster;
  double by_network = 1, asked = 1, largest = 1;
  for (const Step& step : steps) {
    const auto& [what, factor] = step;
    if (what.change != "transport") {
      result.left.push_back(step);
      continue;
    }
    for (const auto& node : what.nodes) {
      faster.emplace_back(node, factor);
      if (what.named) network.emplace_back(node, factor);
    }
    if (what.named) by_network *= factor;
    asked = std::max(asked, factor);
  }
  if (result.left.size() == steps.size()) return {};
  for (const DilationPoint& point : dilation.points)
    if (point.valid) largest = std::max(largest, point.d);
  if (asked > largest) result.assumption += ", beyond the " + number_text(largest) + " times that were measured";
  // What the law says and the nodes do not hold: sends that are no transport, calls of other kinds that are.
  const double by_law = (1 - std::clamp(*dilation.transport_share, 0.0, 1.0) * (1 - 1 / by_network)) * root.seconds;
  const double beside = by_law - sped_up(root, network).seconds;
  result.root = sped_up(root, faster);
  result.root.seconds += beside, result.root.residue += beside;
  return result;
}

// Where the dilation could not tell transport from logical delay, a faster network serves something between none and all of the
// waiting: it acts on the node that holds both, instead of on one below it that is empty.
static void take_all_waiting(Draft& draft) {
  for (auto& upgradable : draft.upgradables) {
    if (upgradable.change != "transport") continue;
    for (auto& path : upgradable.nodes) {
      const auto slash = path.rfind('/');
      auto node = find_node(draft.tree.root, path);
      if (node && node->node->seconds == 0 && slash != std::string::npos) path.resize(slash);
    }
  }
  draft.tree.remarks.push_back("the dilation could not tell logical delay from transport: a faster network gains something between nothing (worst) and what "
                               "it would gain if all waiting were transport (best)");
}

Result<UseTree> make_tree(const Dilation& dilation, const TreeOptions& options) {
  if (dilation.demand) return make_tree(*dilation.demand, options);
  if (dilation.points.empty()) return unfit("the dilation has no points", dilation.program);
  CHECK_OK(check_times(dilation));
  TRY(Draft draft, draft_of(observe_dilation(dilation), "message-passing", options));
  if (!dilation.transport_share) take_all_waiting(draft);
  Recost measured = [&](const std::vector<Step>& steps) { return by_dilation(dilation, draft.tree.root, steps); };
  CHECK_OK(add_upgrades(draft, options, buy_by(draft.tree.root, measured)));
  for (auto* list : {&draft.tree.upgrades, &draft.tree.ranking})
    for (auto& upgrade : *list) upgrade.redistribution.clear();
  return draft.tree;
}

}  // namespace perfcast::tree
