// The execution graph of analysed code: the loop nest of a function, blocks with what one execution of them needs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "methods/graph/graph.h"

namespace perfcast::graph {
namespace {

const Graph* level_of(const Profile& profile, const std::string& level) {
  const std::optional<Graph>& graph = level == "ir" ? profile.ir : level == "machine" ? profile.machine : profile.source;
  return graph ? &*graph : nullptr;
}

std::string number(double value) { return fmt::format("{:.6g}", value); }

class Builder {
 public:
  explicit Builder(const Function& function) : function_(function) {}

  // Blocks and loops directly inside `loop` (none: the function), relative to `times` executions of it.
  std::vector<Node> inside(std::optional<int> loop, double times) {
    struct Item {
      int line;
      Node node;
      std::size_t order = 0;  // among those of one line
    };
    std::vector<Item> items;
    for (std::size_t l = 0; l < function_.loops.size(); l++) {
      const Loop& inner = function_.loops[l];
      if (inner.parent != loop || inner.iterations.value <= 0) continue;
      Node node;
      node.kind = NodeKind::loop, node.line = inner.at.line;
      node.amount = number(inner.iterations.value / std::max(times, 1.0));
      node.children = inside(static_cast<int>(l), inner.iterations.value);
      if (!node.children.empty()) items.push_back({inner.at.line, std::move(node), 0});
    }
    for (const Block& block : function_.blocks) {
      if (block.loop != loop || block.count.value <= 0 || (block.usage.empty() && block.code.empty())) continue;
      const double share = block.count.value / std::max(times, 1.0);
      Node step = step_of(block);
      if (share > 0.9995) {
        if (std::abs(share - 1) > 0.0005) {
          Node repeated;
          repeated.kind = NodeKind::loop, repeated.amount = number(share), repeated.line = step.line;
          repeated.children.push_back(std::move(step));
          step = std::move(repeated);
        }
        items.push_back({block.at.line, std::move(step), 0});
        continue;
      }
      Node branch, arm;
      branch.kind = NodeKind::branch, branch.line = step.line, arm.amount = number(share), arm.line = step.line;
      arm.children.push_back(std::move(step));
      branch.children.push_back(std::move(arm));
      items.push_back({block.at.line, std::move(branch), 0});
    }
    for (std::size_t i = 0; i < items.size(); i++) items[i].order = i;
    std::ranges::sort(items, [](const Item& a, const Item& b) { return std::pair(a.line, a.order) < std::pair(b.line, b.order); });
    std::vector<Node> nodes;
    for (auto& item : items) join(nodes, std::move(item.node));
    return nodes;
  }

 private:
  Node step_of(const Block& block) {
    Node step;
    step.kind = NodeKind::step, step.line = block.at.line;
    step.name = block.at.known() ? "line" + std::to_string(block.at.line) : block.name;
    for (const auto& [operation, times] : block.usage) step.usage[operation] = number(times);
    if (!block.code.empty()) step.usage["instructions"] = std::to_string(block.code.size());
    return step;
  }

  // A step right after a step is the same step, as is a branch of the same probability.
  static void join(std::vector<Node>& nodes, Node&& node) {
    if (!nodes.empty() && nodes.back().kind == NodeKind::step && node.kind == NodeKind::step) {
      absorb(nodes.back(), node);
      return;
    }
    nodes.push_back(std::move(node));
  }
  static void absorb(Node& into, const Node& other) {
    for (const auto& [operation, times] : other.usage) {
      double sum = std::atof(times.c_str());
      if (auto it = into.usage.find(operation); it != into.usage.end()) sum += std::atof(it->second.c_str());
      into.usage[operation] = number(sum);
    }
    std::string first = into.name.substr(0, into.name.find('-'));
    if (other.name.starts_with("line") && first.starts_with("line") && other.name != first) into.name = first + "-" + other.name.substr(4);
  }

  const Function& function_;
};

}  // namespace

Result<Design> design_of(const Profile& profile, const std::string& level, const std::string& function) {
  const Graph* graph = level_of(profile, level);
  if (!graph) return unfit("the profile has no " + level + " level", profile.program);
  const Function* chosen = nullptr;
  double most = -1;
  for (const Function& f : graph->functions) {
    if (!function.empty() ? f.name == function || f.readable == function : !f.library) {
      double executed = 0;
      for (const Block& block : f.blocks) executed += block.count.value;
      if (executed > most) most = executed, chosen = &f;
    }
  }
  if (!chosen) return unfit("there is no function " + function, profile.program);
  Design design;
  design.name = chosen->readable.empty() ? chosen->name : chosen->readable;
  design.file = chosen->at.file;
  design.root.children = Builder(*chosen).inside({}, std::max(1.0, chosen->calls.value));
  return design;
}

}  // namespace perfcast::graph
