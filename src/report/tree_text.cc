#include "report/tree_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace perfcast::report {
namespace {

bool is_global(const UseTree& tree) { return tree.clock == TreeClock::global && tree.root.demand > 0; }

struct Drawing {
  const UseTree& tree;
  const TreeView& view;
  Table table;
  int hidden = 0;

  Drawing(const UseTree& tree, const TreeView& view) : tree(tree), view(view), table(head_of(tree)) {}
  static std::vector<std::string> head_of(const UseTree& tree) {
    std::vector<std::string> head = {"node", "share", "time", ""};
    if (is_global(tree)) head.insert(head.end(), {"F", "C", "used"});
    return head;
  }

  bool visible(const UseNode& node) const { return node.share >= view.smallest || node.frequency >= view.smallest; }

  void row(const UseNode& node, const std::string& name) {
    std::vector<std::string> cells = {name, percent_text(node.share), time_text(node.seconds), bar_text(node.share)};
    if (is_global(tree)) {
      cells.push_back(fmt::format("{:.4f}", node.frequency));
      cells.push_back(node.capacity ? fmt::format("{:.4f}", *node.capacity) : "-");
      cells.push_back(node.used ? percent_text(*node.used) : "-");
    }
    table.add(cells);
  }

  void draw(const UseNode& node, const std::string& name, const std::string& indent) {
    row(node, name);
    std::vector<const UseNode*> children;
    for (const auto& child : node.children) visible(child) ? children.push_back(&child) : void(hidden++);
    bool residue = !node.children.empty() && std::abs(node.residue) > view.smallest * tree.root.seconds;
    for (std::size_t i = 0; i < children.size(); i++) {
      bool last = i + 1 == children.size() && !residue;
      draw(*children[i], indent + (last ? "└─ " : "├─ ") + children[i]->name, indent + (last ? "   " : "│  "));
    }
    if (residue)
      table.add({indent + "└─ (residue)", percent_text(node.residue / tree.root.seconds), time_text(node.residue)});
  }
};

std::string upgrade_table(const std::vector<Upgrade>& upgrades, const std::string& title, std::size_t rows) {
  if (upgrades.empty()) return "";
  Table table({"upgrade", "time", "speed-up", "best", "worst", "by the tree alone", "how"});
  for (std::size_t i = 0; i < std::min(rows, upgrades.size()); i++) {
    const Upgrade& u = upgrades[i];
    table.add({u.change, time_text(u.seconds), fmt::format("{:.3f}", u.speedup), time_text(u.interval[0]), time_text(u.interval[1]),
               fmt::format("{:.2f} ± {:.0f} %", u.improvement, 100 * u.tolerance), u.costed_again ? "costed again" : "middle of best and worst"});
  }
  std::string text = "\n" + title + "\n\n" + table.text();
  if (rows < upgrades.size()) text += fmt::format("and {} more that gain less\n", upgrades.size() - rows);
  return text;
}

std::string redistributions(const std::vector<Upgrade>& upgrades) {
  std::string text;
  for (const auto& u : upgrades) {
    for (const auto& r : u.redistribution)
      text += fmt::format("{}: {} goes from {} to {}\n", u.change, r.leaf, time_text(r.before), time_text(r.after));
    if (!u.remark.empty()) text += u.change + ": " + u.remark + "\n";
  }
  return text.empty() ? "" : "\n" + text;
}

std::string crossed_table(const CrossedUpgrades& crossed) {
  std::vector<std::string> head = {"speed-up with both"};
  head.insert(head.end(), crossed.changes.begin(), crossed.changes.end());
  Table table(head);
  for (std::size_t i = 0; i < crossed.changes.size(); i++) {
    std::vector<std::string> row = {crossed.changes[i]};
    for (double s : crossed.speedup[i]) row.push_back(fmt::format("{:.3f}", s));
    table.add(row);
  }
  return "\n" + table.text();
}

// The paper's "Predicted Relative Improvement".
std::string processor_table(const ProcessorTable& t) {
  std::vector<std::string> head = {"fast processors"};
  for (double s : t.speed) head.push_back(number_text(s) + "x as fast");
  Table table(head);
  for (std::size_t i = 0; i < t.fast.size(); i++) {
    std::vector<std::string> row = {std::to_string(t.fast[i]) + " fast"};
    for (std::size_t j = 0; j < t.speed.size(); j++)
      row.push_back(fmt::format("{:.2f} ± {:.0f} %", t.improvement[i][j], 100 * t.tolerance[i][j]));
    table.add(row);
  }
  return "\npredicted relative improvement: middle of the best and the worst schedule\n\n" + table.text();
}

// Of all of them, in the order of the first; what only others have stands after.
std::vector<std::string> leaves_of(const std::vector<const std::vector<SignatureEntry>*>& signatures) {
  std::vector<std::string> leaves;
  for (const auto* signature : signatures)
    for (const auto& entry : *signature)
      if (std::ranges::find(leaves, entry.leaf) == leaves.end()) leaves.push_back(entry.leaf);
  return leaves;
}

std::string comparisons(const UseTree& tree) {
  if (tree.comparisons.empty()) return "";
  std::vector<std::string> head = {"leaf", tree.program + (tree.machine.empty() ? "" : " on " + tree.machine)};
  for (const auto& c : tree.comparisons) head.push_back(c.program + (c.machine.empty() ? "" : " on " + c.machine));
  Table table(head);
  std::vector<const std::vector<SignatureEntry>*> signatures = {&tree.signature};
  for (const auto& c : tree.comparisons) signatures.push_back(&c.signature);
  for (const auto& leaf : leaves_of(signatures)) {
    std::vector<std::string> row = {leaf};
    double most = 0;
    for (const auto* signature : signatures) {
      auto entry = std::ranges::find(*signature, leaf, &SignatureEntry::leaf);
      const double share = entry == signature->end() ? 0 : entry->share;
      most = std::max(most, share);
      row.push_back(percent_text(share));
    }
    if (most >= 0.0005) table.add(row);
  }
  std::string text = "\nsignatures: percent of the time per leaf\n\n" + table.text() + "\n";
  for (const auto& c : tree.comparisons)
    text += fmt::format("{}{}: distance {:.3f}, {}\n", c.program, c.machine.empty() ? "" : " on " + c.machine, c.distance, c.finding);
  return text;
}

}  // namespace

std::string tree_text(const UseTree& tree, const TreeView& view) {
  std::string text = tree.program + (tree.machine.empty() ? "" : " on " + tree.machine) + ": " + time_text(tree.root.seconds);
  text += fmt::format(" (skeleton {}, {} clock{})\n\n", tree.skeleton, word_of(tree.clock),
                      is_global(tree) ? "; F: part of the demand, C: rate relative to the peak, used: of that rate" : "");
  if (is_global(tree) && tree.peak_rate > 0 && tree.root.used && tree.root.demand > 1)
    text += fmt::format("demand: {} {}, at most {} per second, of which {} is used\n\n", number_text(tree.root.demand, 4), tree.unit,
                        number_text(tree.peak_rate, 4), percent_text(*tree.root.used));
  Drawing drawing(tree, view);
  drawing.draw(tree.root, tree.root.name, "");
  text += drawing.table.text();
  if (drawing.hidden > 0) text += fmt::format("{} nodes without use are not drawn\n", drawing.hidden);
  text += fmt::format("residue: {} ({})\n", time_text(tree.root.residue),
                      percent_text(tree.root.seconds > 0 ? tree.root.residue / tree.root.seconds : 0));
  text += upgrade_table(tree.upgrades, "upgrades", tree.upgrades.size()) + redistributions(tree.upgrades);
  if (tree.processors) text += processor_table(*tree.processors);
  text += upgrade_table(tree.ranking, "single upgrades, best first", view.ranked);
  if (tree.crossed) text += crossed_table(*tree.crossed);
  text += comparisons(tree);
  for (std::size_t i = 0; i < tree.remarks.size(); i++) text += (i ? "" : "\n") + tree.remarks[i] + "\n";
  return text;
}

}  // namespace perfcast::report
