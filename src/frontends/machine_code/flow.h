// Counts of machine blocks from counts of the IR blocks they came from, by conservation of flow: what enters a block
// leaves it. Most machine blocks have one IR block and its count. The code generator splits, duplicates and merges
// some; these are unknown, or claim a count they do not have. So:
//
//   1. Claims that contradict each other are settled by the flow that changes the claims least (a minimum-cost flow,
//      LLVM's profile inference); claims it changes are dropped.
//   2. What the remaining claims determine is computed exactly. With a node for the entering side and one for the
//      leaving side of each claimed block, one node for an unclaimed block, and one common node for everything that
//      returns, an edge is determined exactly when it is a bridge of this graph.
//   3. The rest is spread in proportion to priors until flow is conserved (iterative proportional fitting) and is
//      marked as not exact.
#pragma once

#include <optional>
#include <vector>

namespace perfcast::machine_code {

struct FlowEdge {
  int from = 0, to = 0;
  std::optional<double> claim;  // its count, unless an end had to give up its own claim
  double prior = 1;             // relative likelihood, for what cannot be determined
};

struct FlowBlock {
  std::optional<double> claim;
  double left = 0;      // executions that end inside the block (exit, an exception passing through)
};

struct FlowProblem {
  std::vector<FlowBlock> blocks;  // the first is the entry
  std::vector<FlowEdge> edges;
  double entries = 0;             // calls of the function
};

struct FlowSolution {
  std::vector<double> blocks, edges;
  std::vector<bool> exact;        // by block: determined by the claims
  std::vector<bool> edge_exact;
  int dropped_claims = 0;         // blocks whose claim contradicted the others
  double worst_imbalance = 0;     // largest |in - out| left, in executions
};

FlowSolution solve_flow(const FlowProblem& problem);

}  // namespace perfcast::machine_code
