#include "frontends/machine_code/claims.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace perfcast::machine_code {
namespace {

using llvm_ir::BlockCounts;
using llvm_ir::FunctionCounts;

// What the IR's counts say about the machine blocks.
class Claims {
 public:
  Claims(const std::vector<MachineBlockOrigin>& blocks, const FunctionCounts& counts) : blocks_(blocks), counts_(counts) {
    for (std::size_t k = 0; k < blocks.size(); ++k) place_[blocks[k].id] = static_cast<int>(k);
    for (std::size_t k = 0; k < counts.blocks.size(); ++k) ir_[counts.blocks[k].name] = static_cast<int>(k);
    origin_.assign(blocks.size(), -1), previous_.resize(blocks.size());
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      if (blocks[k].ir_block)
        if (auto found = ir_.find(*blocks[k].ir_block); found != ir_.end()) origin_[k] = found->second, parts_[found->second].push_back(static_cast<int>(k));
      for (unsigned id : blocks[k].successors) previous_[place_.at(id)].push_back(static_cast<int>(k));
    }
    ir_previous_.resize(counts.blocks.size());
    for (std::size_t k = 0; k < counts.blocks.size(); ++k)
      for (const auto& edge : counts.blocks[k].next) ir_previous_[edge.to][static_cast<int>(k)] += edge.count, edges_known_ = true;
    if (edges_known_) correct_labels();
  }

  FlowProblem problem() const {
    FlowProblem p;
    p.entries = counts_.entries;
    p.blocks.resize(blocks_.size());
    for (const auto& [ir, parts] : parts_) claim_block(p, counts_.blocks[ir], parts);
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      for (std::size_t n = 0; n < blocks_[k].successors.size(); ++n) {
        const int to = place_.at(blocks_[k].successors[n]);
        const double guess = n < blocks_[k].probabilities.size() ? blocks_[k].probabilities[n] : 1;
        p.edges.push_back({static_cast<int>(k), to, {}, prior(static_cast<int>(k), to, guess)});
      }
    }
    std::vector<std::vector<int>> leaving(blocks_.size());
    for (std::size_t e = 0; e < p.edges.size(); ++e) leaving[p.edges[e].from].push_back(static_cast<int>(e));
    for (const auto& [ir, parts] : parts_) claim_edges(p, leaving, ir, parts);
    return p;
  }

 private:
  // The machine blocks' own predecessors, seen through nameless blocks.
  void named_predecessors(int block, std::set<int>& found, std::set<int>& seen) const {
    for (int from : previous_[block]) {
      if (!seen.insert(from).second) continue;
      if (origin_[from] >= 0) found.insert(origin_[from]);
      else named_predecessors(from, found, seen);
    }
  }

  // The IR's predecessors that were executed, seen through blocks that left no code.
  void expected_predecessors(int ir, std::set<int>& found, std::set<int>& seen) const {
    for (auto [from, count] : ir_previous_[ir]) {
      if (count <= 0 || !seen.insert(from).second) continue;
      if (parts_.contains(from)) found.insert(from);
      else expected_predecessors(from, found, seen);
    }
  }

  std::set<int> named_predecessors_of(int block) const {
    std::set<int> found, seen;
    named_predecessors(block, found, seen);
    return found;
  }

  // A block that lost a predecessor was copied into it and runs less often than its IR block. One that is entered from
  // elsewhere was merged with another, unless what lies between in the IR was copied into that predecessor.
  bool keeps_its_shape(int ir, int head) const {
    if (!edges_known_) return true;
    const std::set<int> is = named_predecessors_of(head);
    std::set<int> expected, seen;
    expected_predecessors(ir, expected, seen);
    for (int from : expected)
      if (!is.contains(from)) return false;
    auto copied_into = [&](int middle, int from) {
      if (!ir_edges(middle).contains(ir)) return false;
      const auto parts = parts_.find(middle);
      return parts == parts_.end() || !named_predecessors_of(first_part(parts->second)).contains(from);
    };
    for (int from : is) {
      if (from == ir || seen.contains(from)) continue;
      bool near = false;
      for (const auto& [middle, count] : ir_edges(from)) near = near || middle == ir || copied_into(middle, from);
      if (!near) return false;
    }
    return true;
  }

  // Common ends of two blocks, merged, carry the name of one of them. Where a block does not fit its name but fits one
  // of that name's successors, which has no block, it is that.
  void correct_labels() {
    for (int ir = 0; ir < static_cast<int>(counts_.blocks.size()); ++ir) {
      const auto mine = parts_.find(ir);
      if (mine == parts_.end() || mine->second.size() != 1 || keeps_its_shape(ir, mine->second[0])) continue;
      const std::vector<int> parts = mine->second;
      for (const auto& [to, count] : ir_edges(ir)) {
        if (count <= 0 || parts_.contains(to)) continue;  // what never ran fits anywhere
        parts_.erase(ir), parts_[to] = parts, origin_[parts[0]] = to;
        if (keeps_its_shape(to, parts[0])) break;
        parts_.erase(to), parts_[ir] = parts, origin_[parts[0]] = ir;
      }
    }
  }

  // Numbers are given in the order of creation: what was there first kept the beginning of the IR block.
  int first_part(const std::vector<int>& parts) const {
    return *std::min_element(parts.begin(), parts.end(), [&](int a, int b) { return blocks_[a].id < blocks_[b].id; });
  }

  // The part that holds the beginning of the IR block has its count.
  void claim_block(FlowProblem& p, const BlockCounts& ir, const std::vector<int>& parts) const {
    const int head = first_part(parts);
    if (!keeps_its_shape(ir_.at(ir.name), head)) return;
    p.blocks[head].claim = ir.count;
    p.blocks[parts.back()].left = std::min(ir.count, std::max(0.0, ir.left));
  }

  // The IR block behind a machine block or behind a chain of nameless ones with a single way on.
  int resolved(int block) const {
    for (int steps = 0; steps < 8 && origin_[block] < 0 && blocks_[block].successors.size() == 1; ++steps) block = place_.at(blocks_[block].successors[0]);
    return origin_[block];
  }

  std::map<int, double> ir_edges(int ir) const {
    std::map<int, double> next;
    for (const auto& edge : counts_.blocks[ir].next) next[edge.to] += edge.count;
    return next;
  }

  // The machine blocks that do the work of one IR block: its parts and the nameless blocks only they lead to.
  std::set<int> region_of(const std::vector<int>& parts) const {
    std::set<int> region(parts.begin(), parts.end());
    std::vector<int> work(parts);
    while (!work.empty()) {
      const int block = work.back();
      work.pop_back();
      for (unsigned id : blocks_[block].successors) {
        const int next = place_.at(id);
        if (origin_[next] >= 0 || region.contains(next)) continue;
        const bool ours = std::all_of(previous_[next].begin(), previous_[next].end(), [&](int from) { return region.contains(from); });
        if (ours) region.insert(next), work.push_back(next);
      }
    }
    return region;
  }

  // Where control goes from a region, by the IR: directly, or through blocks that have no machine block behind this
  // region, because they left no code or were copied into it. Exact while such a block has one way on; otherwise its
  // ways are taken in proportion.
  struct Way {
    double count = 0;
    bool expected = false, exact = true;
    std::vector<int> edges;  // of the flow problem, that go there
  };
  // Returns the executions that no way explains: their block was merged into another.
  double add_expected(int ir, double share, bool exact, int depth, std::map<int, Way>& ways) const {
    double lost = 0;
    for (const auto& [to, count] : ir_edges(ir)) {
      if (auto known = ways.find(to); known != ways.end()) {
        Way& way = known->second;
        way.count += count * share, way.expected = true, way.exact = way.exact && exact;
      } else if (count > 0 && counts_.blocks[to].count > 0) {
        const double onward = count * share / counts_.blocks[to].count;
        const bool ends = depth >= 6 || ir_edges(to).empty();
        lost += ends ? count * share : add_expected(to, onward, exact && ir_edges(to).size() == 1, depth + 1, ways);
      }
    }
    return lost;
  }

  // Whether others come into the middle of a region: what they do was merged with the end of it, as the test before a loop
  // is with the one at its end, and the region is left more often than its IR block.
  bool shares_its_end(const std::set<int>& region, int head) const {
    return std::ranges::any_of(region, [&](int block) {
      return block != head && std::ranges::any_of(previous_[block], [&](int from) { return !region.contains(from); });
    });
  }

  void claim_edges(FlowProblem& p, const std::vector<std::vector<int>>& leaving, int ir, const std::vector<int>& parts) const {
    const std::set<int> region = region_of(parts);
    const bool loops = ir_edges(ir).contains(ir);
    const int head = first_part(parts);
    const bool merged = shares_its_end(region, head);
    const bool whole = keeps_its_shape(ir, head);  // else a copy in a predecessor has some of these executions
    std::map<int, Way> ways;  // by the IR block they lead to
    for (int block : region)
      for (int e : leaving[block]) {
        const int to = p.edges[e].to;
        const bool back = loops && to == head;
        if (region.contains(to) && !back) continue;
        if (const int target = back ? ir : origin_[to]; target >= 0) ways[target].edges.push_back(e);
      }
    const double lost = add_expected(ir, 1, true, 0, ways);
    for (const auto& [to, way] : ways) {
      if (!way.expected) continue;
      for (int e : way.edges) p.edges[e].prior = std::max(way.count / static_cast<double>(way.edges.size()), 1e-3);
      const bool sound = whole && !merged && way.exact && way.edges.size() == 1 && edges_known_ && (lost == 0 || p.blocks[p.edges[way.edges[0]].to].claim);
      if (sound) p.edges[way.edges[0]].claim = way.count;
    }
  }

  // How often the IR went this way, directly or through one block that was copied into the machine block.
  double prior(int from, int to, double guess) const {
    const int a = origin_[from], b = resolved(to);
    const double scale = a >= 0 ? counts_.blocks[a].count : counts_.entries;
    if (a < 0 || b < 0 || a == b) return std::max(guess * scale, 1e-3);
    double likely = 0;
    for (const auto& [middle, first] : ir_edges(a)) {
      if (middle == b) likely += first;
      const auto onward = ir_edges(middle);
      if (auto second = onward.find(b); second != onward.end() && counts_.blocks[middle].count > 0)
        likely += first * second->second / counts_.blocks[middle].count;
    }
    return std::max(likely, 1e-3);
  }

  const std::vector<MachineBlockOrigin>& blocks_;
  const FunctionCounts& counts_;
  std::map<unsigned, int> place_;
  std::map<std::string, int> ir_;
  std::map<int, std::vector<int>> parts_;  // machine blocks of an IR block
  std::vector<int> origin_;                // IR block of a machine block; -1: none
  std::vector<std::vector<int>> previous_;
  std::vector<std::map<int, double>> ir_previous_;
  bool edges_known_ = false;
};

}  // namespace

FlowProblem claims_of(const std::vector<MachineBlockOrigin>& blocks, const FunctionCounts& counts, const std::vector<bool>& unlikely) {
  FlowProblem problem = Claims(blocks, counts).problem();
  for (auto& edge : problem.edges)
    for (int end : {edge.from, edge.to})
      if (end < static_cast<int>(unlikely.size()) && unlikely[end] && !problem.blocks[end].claim) edge.prior *= 1e-4;
  return problem;
}

}  // namespace perfcast::machine_code
