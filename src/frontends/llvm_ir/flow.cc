#include "frontends/llvm_ir/flow.h"

#include <algorithm>
#include <numeric>

#include "base/assert.h"

namespace perfcast::llvm_ir {
namespace {

class Components {
 public:
  explicit Components(int n) : parent_(static_cast<std::size_t>(n)) { std::iota(parent_.begin(), parent_.end(), 0); }
  bool join(int a, int b) {
    a = find(a), b = find(b);
    if (a == b) return false;
    parent_[static_cast<std::size_t>(a)] = b;
    return true;
  }

 private:
  int find(int a) {
    auto at = [&](int i) -> int& { return parent_[static_cast<std::size_t>(i)]; };
    while (at(a) != a) a = at(a) = at(at(a));
    return a;
  }
  std::vector<int> parent_;
};

}  // namespace

int place_counters(FlowGraph& graph, int first) {
  std::vector<std::size_t> order(graph.edges.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const FlowEdge &x = graph.edges[a], &y = graph.edges[b];
    if ((x.counting == Counting::never) != (y.counting == Counting::never)) return x.counting == Counting::never;
    return x.weight != y.weight ? x.weight > y.weight : a < b;
  });
  Components components(graph.vertices);
  for (std::size_t i : order) {
    FlowEdge& edge = graph.edges[i];
    if (edge.counting == Counting::always) continue;
    if (components.join(edge.from, edge.to)) continue;
    ensure(edge.counting != Counting::never, "edges that cannot be counted form a cycle");
    edge.counter = first++;
  }
  return first;
}

std::vector<std::int64_t> solve_flow(const FlowGraph& graph, std::span<const std::uint64_t> counters) {
  const std::size_t n = static_cast<std::size_t>(graph.vertices);
  std::vector<std::int64_t> flow(graph.edges.size()), surplus(n);  // surplus: known inflow minus known outflow
  std::vector<std::vector<std::size_t>> unknown(n);                // edges of a vertex whose flow is not known yet
  std::vector<bool> known(graph.edges.size());
  auto settle = [&](std::size_t i, std::int64_t value) {
    flow[i] = value, known[i] = true;
    surplus[static_cast<std::size_t>(graph.edges[i].to)] += value;
    surplus[static_cast<std::size_t>(graph.edges[i].from)] -= value;
  };
  for (std::size_t i = 0; i < graph.edges.size(); i++) {
    const FlowEdge& edge = graph.edges[i];
    if (edge.counter) {
      settle(i, static_cast<std::int64_t>(counters[static_cast<std::size_t>(*edge.counter)]));
    } else {
      unknown[static_cast<std::size_t>(edge.from)].push_back(i);
      unknown[static_cast<std::size_t>(edge.to)].push_back(i);
    }
  }
  std::vector<std::size_t> left(n), leaves;
  for (std::size_t v = 0; v < n; v++) {
    left[v] = unknown[v].size();
    if (left[v] == 1) leaves.push_back(v);
  }
  while (!leaves.empty()) {
    const std::size_t v = leaves.back();
    leaves.pop_back();
    if (left[v] != 1) continue;  // its last edge was settled from the other end
    const std::size_t i = *std::ranges::find_if(unknown[v], [&](std::size_t e) { return !known[e]; });
    const FlowEdge& edge = graph.edges[i];
    settle(i, static_cast<std::size_t>(edge.from) == v ? surplus[v] : -surplus[v]);
    for (int end : {edge.from, edge.to})
      if (--left[static_cast<std::size_t>(end)] == 1) leaves.push_back(static_cast<std::size_t>(end));
  }
  return flow;
}

}  // namespace perfcast::llvm_ir
