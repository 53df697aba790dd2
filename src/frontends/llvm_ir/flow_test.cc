#include "frontends/llvm_ir/flow.h"

#include <gtest/gtest.h>

#include <random>

namespace perfcast::llvm_ir {
namespace {

TEST(Flow, ALoopNeedsTwoCounters) {
  // outside -> 1 -> 2 <-> 3, 2 -> outside: as many counters as edges beyond the tree.
  FlowGraph graph{4, {{0, 1, 1}, {1, 2, 1}, {2, 3, 10}, {3, 2, 10}, {2, 0, 1}}};
  EXPECT_EQ(place_counters(graph, 0), 2);
  std::vector<std::uint64_t> counters(2);
  const std::int64_t truth[] = {1, 1, 7, 7, 1};
  for (std::size_t i = 0; i < graph.edges.size(); i++)
    if (graph.edges[i].counter) counters[static_cast<std::size_t>(*graph.edges[i].counter)] = static_cast<std::uint64_t>(truth[i]);
  const auto flow = solve_flow(graph, counters);
  for (std::size_t i = 0; i < flow.size(); i++) EXPECT_EQ(flow[i], truth[i]);
}

TEST(Flow, RandomWalksAreRecovered) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 200; trial++) {
    const int n = 2 + static_cast<int>(random() % 12);
    FlowGraph graph;
    graph.vertices = n;
    for (int v = 0; v < n; v++) {
      const int degree = 1 + static_cast<int>(random() % 3);
      std::vector<int> seen;
      for (int k = 0; k < degree; k++) {
        const int to = static_cast<int>(random() % static_cast<unsigned>(n));
        if (std::find(seen.begin(), seen.end(), to) != seen.end()) continue;
        seen.push_back(to);
        graph.edges.push_back({v, to, static_cast<double>(random() % 100)});
      }
    }
    const int counters = place_counters(graph, 0);
    // A walk that ends where it began is a circulation.
    std::vector<std::int64_t> truth(graph.edges.size());
    std::vector<std::size_t> path;
    int at = 0;
    for (int step = 0; step < 1000; step++) {
      std::vector<std::size_t> out;
      for (std::size_t i = 0; i < graph.edges.size(); i++)
        if (graph.edges[i].from == at) out.push_back(i);
      path.push_back(out[random() % out.size()]);
      at = graph.edges[path.back()].to;
      if (at == 0) {
        for (std::size_t i : path) truth[i]++;
        path.clear();
      }
    }
    std::vector<std::uint64_t> values(static_cast<std::size_t>(counters));
    for (std::size_t i = 0; i < truth.size(); i++)
      if (graph.edges[i].counter) values[static_cast<std::size_t>(*graph.edges[i].counter)] = static_cast<std::uint64_t>(truth[i]);
    EXPECT_EQ(solve_flow(graph, values), truth);
  }
}

}  // namespace
}  // namespace perfcast::llvm_ir
