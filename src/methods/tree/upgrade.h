// Upgrades of a tree: by the arithmetic of the tree alone, with the best and the worst schedule, and by costing the
// program again on a changed machine.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "methods/tree/build.h"

namespace perfcast::tree {

struct UpgradeWord {
  std::string name;
  double factor = 1;
  std::vector<int> processors;    // k of "k@s"
  std::vector<double> speeds;
};
// From 0.001 to 1000: beyond that nothing changes any more but the time and memory a simulation takes.
bool is_factor(double factor);
inline constexpr int most_processors = 1'000'000;
// "DRAM=2", "processors=4@3", "processors=4,2,1@3,5,9".
Result<UpgradeWord> parse_upgrade(const std::string& text);

// So many processors, so much faster.
struct FastProcessors {
  int count = 0;
  double speed = 1;
};

// Something that can be made faster: a node, or a change that acts on several.
struct Upgradable {
  std::string name;
  std::vector<std::string> nodes;  // paths
  std::string change;              // change.h; empty: the tree's arithmetic alone
  bool named = false;              // one of the skeleton's changes, not a node
  FastProcessors processors = {};  // where some are replaced, of levels of parallelism
};
// All of an expanded skeleton, changes of levels spelled out for these levels of memory.
std::vector<Upgradable> upgradables_of(const Skeleton& expanded, const UseNode& root, const std::vector<std::string>& far_levels);

using Step = std::pair<Upgradable, double>;  // by this factor
std::string text_of(const Step& step);       // "DRAM=2", "processors=4@3"

// The tree after the steps, where that can be found out, and what had to be assumed.
struct NewTree {
  UseNode root;
  std::vector<Step> left;            // steps that could only be taken by arithmetic
  std::string assumption;
  bool one_after_the_other = false;  // what a node gains the program gains: arithmetic is exact
  std::optional<double> seconds = {};  // where that is not the root's
};
using Recost = std::function<std::optional<NewTree>(const std::vector<Step>&)>;

// Best schedule: everything below the nodes is served faster by the factor; worst: nothing is. With a factor below 1 the
// other way round.
Upgrade upgrade_tree(const UseNode& root, const std::vector<Step>& steps, const Recost& recost = {});

// What is changed, and the node where it is one.
void name_steps(Upgrade& upgrade, const std::vector<Step>& steps);

// The paper's cell: middle and tolerance of the improvements with the worst and the best schedule, [1, B] of an upgrade.
void fill_tolerance(Upgrade& upgrade, double seconds);

}  // namespace perfcast::tree
