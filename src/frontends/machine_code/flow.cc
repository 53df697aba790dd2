#include "frontends/machine_code/flow.h"

#include <llvm/Transforms/Utils/SampleProfileInference.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace perfcast::machine_code {
namespace {

constexpr double tolerance = 0.5;  // executions; counts are whole numbers

// The equations over the edges not known yet. Node k says: sum of leaving edges - sum of entering edges = rest[k].
class Equations {
 public:
  explicit Equations(const FlowProblem& problem, const std::vector<std::optional<double>>& claims)
      : p_(problem), in_(problem.blocks.size()), out_(problem.blocks.size()) {
    std::vector<bool> leaves(problem.blocks.size());
    for (const auto& edge : problem.edges) leaves[edge.from] = true;
    rest_.push_back(0);  // node 0: everything that returns; no equation
    for (std::size_t b = 0; b < problem.blocks.size(); ++b) {
      const double entered = b == 0 ? problem.entries : 0;
      if (claims[b]) {
        in_[b] = node(entered - *claims[b]);
        out_[b] = leaves[b] ? node(*claims[b] - problem.blocks[b].left) : 0;
      } else {
        in_[b] = out_[b] = leaves[b] ? node(entered - problem.blocks[b].left) : 0;
      }
    }
    // A claimed block must be entered as often as it claims even if no edge enters it; node() keeps that equation.
  }

  // Values of the edges that are determined; false when the equations contradict each other.
  bool solve(std::vector<std::optional<double>>& values) {
    for (bool progress = true; progress;) {
      std::vector<double> rest = rest_;
      for (std::size_t e = 0; e < values.size(); ++e)
        if (values[e]) rest[from(e)] -= *values[e], rest[to(e)] += *values[e];
      const std::size_t before = known(values);
      if (!zeros(values, rest) || !bridges(values, rest)) return false;
      progress = known(values) != before;
    }
    return true;
  }

 private:
  int node(double rest) { return rest_.push_back(rest), static_cast<int>(rest_.size()) - 1; }
  int from(std::size_t e) const { return out_[p_.edges[e].from]; }
  int to(std::size_t e) const { return in_[p_.edges[e].to]; }
  static std::size_t known(const std::vector<std::optional<double>>& values) {
    return std::count_if(values.begin(), values.end(), [](auto& v) { return v.has_value(); });
  }

  // A node with edges in one direction only and nothing to pass on: all its edges are 0.
  bool zeros(std::vector<std::optional<double>>& values, const std::vector<double>& rest) {
    std::vector<int> leaving(rest.size()), entering(rest.size());
    for (std::size_t e = 0; e < values.size(); ++e)
      if (!values[e]) ++leaving[from(e)], ++entering[to(e)];
    for (std::size_t e = 0; e < values.size(); ++e)
      for (int end : {from(e), to(e)})
        if (!values[e] && end && std::abs(rest[end]) < tolerance && (!leaving[end] || !entering[end])) values[e] = 0;
    for (std::size_t n = 1; n < rest.size(); ++n)
      if (!leaving[n] && !entering[n] && std::abs(rest[n]) >= tolerance) return false;
    return true;
  }

  // Depth-first search for bridges; the sum of the equations below a bridge is its value.
  bool bridges(std::vector<std::optional<double>>& values, const std::vector<double>& rest) {
    const std::size_t n = rest.size();
    std::vector<std::vector<std::pair<int, int>>> around(n);  // other end, edge
    for (std::size_t e = 0; e < values.size(); ++e)
      if (!values[e] && from(e) != to(e)) {
        around[from(e)].push_back({to(e), static_cast<int>(e)});
        around[to(e)].push_back({from(e), static_cast<int>(e)});
      }
    std::vector<int> order(n, -1), low(n), parent_edge(n, -1);
    std::vector<std::size_t> next(n);
    std::vector<double> below(rest);
    std::vector<std::pair<int, double>> found;
    int time = 0;
    for (std::size_t root = 0; root < n; ++root) {  // node 0 first: it is a root, so sums below never contain it
      if (order[root] >= 0) continue;
      std::vector<int> stack{static_cast<int>(root)};
      order[root] = low[root] = time++;
      while (!stack.empty()) {
        const int at = stack.back();
        if (next[at] < around[at].size()) {
          const auto [other, edge] = around[at][next[at]++];
          if (edge == parent_edge[at]) continue;
          if (order[other] >= 0) {
            low[at] = std::min(low[at], order[other]);
          } else {
            order[other] = low[other] = time++, parent_edge[other] = edge;
            stack.push_back(other);
          }
          continue;
        }
        stack.pop_back();
        if (stack.empty()) {
          if (root != 0 && !around[root].empty() && std::abs(below[root]) >= tolerance) return false;
          continue;
        }
        const int parent = stack.back(), edge = parent_edge[at];
        low[parent] = std::min(low[parent], low[at]), below[parent] += below[at];
        if (low[at] > order[parent]) found.push_back({edge, from(edge) == at ? below[at] : -below[at]});
      }
    }
    for (auto [edge, value] : found) {
      if (value < -tolerance) return false;
      values[edge] = std::max(0.0, std::round(value));
    }
    return true;
  }

  const FlowProblem& p_;
  std::vector<int> in_, out_;
  std::vector<double> rest_;
};

// The flow that changes the claims least; its block counts.
std::vector<double> least_change(const FlowProblem& p) {
  const std::size_t n = p.blocks.size();
  llvm::FlowFunction f;
  f.Blocks.resize(n + 2);  // n: entry, n + 1: where executions that leave go
  for (std::size_t b = 0; b < n; ++b) {
    f.Blocks[b].HasUnknownWeight = !p.blocks[b].claim;
    if (p.blocks[b].claim) f.Blocks[b].Weight = static_cast<std::uint64_t>(std::llround(*p.blocks[b].claim));
  }
  for (std::size_t b = 0; b < n + 2; ++b) f.Blocks[b].Index = b;
  f.Blocks[n].HasUnknownWeight = false, f.Blocks[n].Weight = static_cast<std::uint64_t>(std::llround(p.entries));
  f.Entry = n;
  auto jump = [&](std::size_t from, std::size_t to, std::optional<double> weight) {
    llvm::FlowJump j;
    j.Source = from, j.Target = to, j.HasUnknownWeight = !weight;
    if (weight) j.Weight = static_cast<std::uint64_t>(std::llround(std::max(0.0, *weight)));
    f.Jumps.push_back(j);
  };
  for (const auto& edge : p.edges) jump(edge.from, edge.to, {});
  jump(n, 0, {});
  std::vector<bool> leaves(n);
  for (const auto& edge : p.edges) leaves[edge.from] = true;
  for (std::size_t b = 0; b < n; ++b)
    if (!leaves[b] || p.blocks[b].left > 0) jump(b, n + 1, leaves[b] ? std::optional(p.blocks[b].left) : std::nullopt);
  for (auto& j : f.Jumps) f.Blocks[j.Source].SuccJumps.push_back(&j), f.Blocks[j.Target].PredJumps.push_back(&j);
  llvm::ProfiParams params;
  params.EvenFlowDistribution = params.RebalanceUnknown = true;
  params.CostBlockInc = params.CostBlockDec = params.CostBlockZeroInc = 10;
  params.CostBlockEntryInc = params.CostBlockEntryDec = 40;
  params.CostJumpInc = params.CostJumpDec = params.CostJumpFTInc = params.CostJumpFTDec = 10;
  llvm::applyFlowInference(params, f);
  std::vector<double> counts(n);
  for (std::size_t b = 0; b < n; ++b) counts[b] = static_cast<double>(f.Blocks[b].Flow);
  return counts;
}

// Spreads what is not determined: scales the free edges around each block until it takes in what it gives out.
void spread(const FlowProblem& p, const std::vector<std::optional<double>>& claims,
            const std::vector<std::optional<double>>& known, std::vector<double>& values) {
  const std::size_t n = p.blocks.size();
  std::vector<std::vector<int>> in(n), out(n);
  for (std::size_t e = 0; e < p.edges.size(); ++e) in[p.edges[e].to].push_back(e), out[p.edges[e].from].push_back(e);
  // The part of a side that may be scaled, brought to `wanted` minus what is fixed.
  auto scale = [&](const std::vector<int>& side, double wanted) {
    double fixed = 0, open = 0;
    for (int e : side) (known[e] ? fixed : open) += values[e];
    const double rest = std::max(0.0, wanted - fixed);
    if (open > 0)
      for (int e : side)
        if (!known[e]) values[e] *= rest / open;
  };
  auto sum = [&](const std::vector<int>& side) {
    double s = 0;
    for (int e : side) s += values[e];
    return s;
  };
  for (int round = 0; round < 1000; ++round) {
    double change = 0;
    for (std::size_t b = 0; b < n; ++b) {
      const double entered = b == 0 ? p.entries : 0, left = p.blocks[b].left;
      const double given = sum(in[b]) + entered, passed = sum(out[b]) + left;
      const double count = claims[b] ? *claims[b] : out[b].empty() ? given : in[b].empty() ? passed : std::sqrt(std::max(0.0, given) * std::max(0.0, passed));
      change = std::max({change, std::abs(given - count), out[b].empty() ? 0.0 : std::abs(passed - count)});
      scale(in[b], count - entered);
      if (!out[b].empty()) scale(out[b], count - left);
    }
    if (change < 1e-6) break;
  }
}

// Blocks that no execution can have reached: the edges around them carry nothing. Settles cycles of unknown blocks.
void settle_unreached(const FlowProblem& p, const std::vector<std::optional<double>>& claims, std::vector<std::optional<double>>& values) {
  std::vector<std::vector<int>> next(p.blocks.size());
  for (const auto& edge : p.edges) next[edge.from].push_back(edge.to);
  std::vector<bool> reached(p.blocks.size());
  std::vector<int> work;
  auto reach = [&](int b) { if (!reached[b] && claims[b].value_or(1) > 0) reached[b] = true, work.push_back(b); };
  if (p.entries > 0 && !p.blocks.empty()) reach(0);
  for (std::size_t b = 0; b < claims.size(); ++b)
    if (claims[b].value_or(0) > 0) reach(static_cast<int>(b));
  while (!work.empty()) {
    const int b = work.back();
    work.pop_back();
    for (int to : next[b]) reach(to);
  }
  for (std::size_t e = 0; e < p.edges.size(); ++e)
    if (!reached[p.edges[e].from] || !reached[p.edges[e].to]) values[e] = 0;
}

}  // namespace

FlowSolution solve_flow(const FlowProblem& p) {
  FlowSolution s;
  const std::size_t n = p.blocks.size();
  s.blocks.resize(n), s.exact.assign(n, true), s.edges.resize(p.edges.size()), s.edge_exact.assign(p.edges.size(), true);
  std::vector<std::optional<double>> claims(n), values(p.edges.size());
  for (std::size_t b = 0; b < n; ++b) claims[b] = p.blocks[b].claim;
  settle_unreached(p, claims, values);
  bool consistent = Equations(p, claims).solve(values);
  if (!consistent) {
    const std::vector<double> flow = least_change(p);
    for (std::size_t b = 0; b < n; ++b)
      if (claims[b] && std::abs(*claims[b] - flow[b]) >= tolerance) claims[b].reset(), ++s.dropped_claims;
    values.assign(p.edges.size(), {});
    settle_unreached(p, claims, values);
    consistent = Equations(p, claims).solve(values);
    if (!consistent) {  // no set of equations: keep the flow itself as the claim, all of it an estimate
      for (std::size_t b = 0; b < n; ++b) claims[b] = flow[b];
      values.assign(p.edges.size(), {});
      s.exact.assign(n, false);
    }
  }
  // Claims on edges count where neither end had to give up its own, and only for what is still open.
  if (consistent) {
    auto with_edges = values;
    auto kept = [&](int b) { return claims[b].has_value() == p.blocks[b].claim.has_value(); };
    for (std::size_t e = 0; e < values.size(); ++e)
      if (!values[e] && p.edges[e].claim && kept(p.edges[e].from) && kept(p.edges[e].to)) with_edges[e] = p.edges[e].claim;
    if (Equations(p, claims).solve(with_edges)) values = with_edges;
  }
  bool open = false;
  for (std::size_t e = 0; e < values.size(); ++e) {
    s.edges[e] = values[e].value_or(std::max(p.edges[e].prior, 1e-9));
    if (!values[e]) s.edge_exact[e] = false, open = true;
  }
  if (open) spread(p, claims, values, s.edges);
  std::vector<double> in(n), out(n);
  std::vector<bool> leaves(n), unsure_in(n), unsure_out(n);
  for (std::size_t e = 0; e < s.edges.size(); ++e) {
    in[p.edges[e].to] += s.edges[e], out[p.edges[e].from] += s.edges[e], leaves[p.edges[e].from] = true;
    if (!s.edge_exact[e]) unsure_in[p.edges[e].to] = unsure_out[p.edges[e].from] = true;
  }
  in[0] += p.entries;
  for (std::size_t b = 0; b < n; ++b) {
    const bool by_leaving = unsure_in[b] && leaves[b] && !unsure_out[b];
    s.blocks[b] = claims[b] ? *claims[b] : by_leaving ? out[b] + p.blocks[b].left : in[b];
    if (!claims[b] && unsure_in[b] && (unsure_out[b] || !leaves[b])) s.exact[b] = false;
    s.worst_imbalance = std::max(s.worst_imbalance, std::abs(s.blocks[b] - in[b]));
    if (leaves[b]) s.worst_imbalance = std::max(s.worst_imbalance, std::abs(s.blocks[b] - p.blocks[b].left - out[b]));
  }
  return s;
}

}  // namespace perfcast::machine_code
