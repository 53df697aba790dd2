// Which edges of a flow graph to count, and all flows from those (Knuth 1973; Ball and Larus 1994). Vertex 0 is the
// outside of the function: it feeds the entry and takes what returns or leaves, so that flow is conserved everywhere.
// Pure arithmetic, no compiler.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace perfcast::llvm_ir {

enum class Counting { may, never, always };

struct FlowEdge {
  int from = 0, to = 0;
  double weight = 0;             // expected executions: heavy edges go uncounted
  Counting counting = Counting::may;
  std::optional<int> counter = {};  // filled by place_counters; edges that are `always` counted bring theirs
};

struct FlowGraph {
  int vertices = 1;  // the outside and one per block
  std::vector<FlowEdge> edges;
};

// Gives counters (numbered from `first`) to the edges outside a maximum-weight spanning tree; returns the next number.
// Edges that are never counted must not form a cycle.
int place_counters(FlowGraph& graph, int first);

// The flow of every edge, from the counters: the tree's edges by conservation, leaf by leaf. Signed, since an edge to
// the outside can stand for net flow (a second return of setjmp comes in by it).
std::vector<std::int64_t> solve_flow(const FlowGraph& graph, std::span<const std::uint64_t> counters);

}  // namespace perfcast::llvm_ir
