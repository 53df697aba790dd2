#include "frontends/llvm_ir/counter_plan.h"

#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <map>

#include "frontends/llvm_ir/array_calls.h"
#include "frontends/llvm_ir/call_heights.h"
#include "frontends/llvm_ir/leaving.h"
#include "frontends/llvm_ir/module.h"

namespace perfcast::llvm_ir {
namespace {

constexpr int outside = 0;

// Expected executions of blocks and edges, by the compiler's own static guesses.
class Expectation {
 public:
  explicit Expectation(const llvm::Function& function)
      : tree_(const_cast<llvm::Function&>(function)), loops_(tree_), branches_(function, loops_),
        blocks_(function, branches_, loops_) {}
  double of(const llvm::BasicBlock& block) const {
    return static_cast<double>(blocks_.getBlockFreq(&block).getFrequency());
  }
  double of(const llvm::BasicBlock& from, const llvm::BasicBlock& to) const {
    const auto share = branches_.getEdgeProbability(&from, &to);
    return of(from) * share.getNumerator() / llvm::BranchProbability::getDenominator();
  }

 private:
  llvm::DominatorTree tree_;
  llvm::LoopInfo loops_;
  llvm::BranchProbabilityInfo branches_;
  llvm::BlockFrequencyInfo blocks_;
};

// Jumps whose edges cannot be split: their targets count by where control came from.
bool is_indirect(const llvm::BasicBlock& block) {
  return llvm::isa<llvm::IndirectBrInst>(block.getTerminator()) || llvm::isa<llvm::CallBrInst>(block.getTerminator());
}

FunctionPlan plan_function(const llvm::Function& function, const LeavingCalls& leaving, int& next_counter) {
  FunctionPlan plan;
  plan.name = function.getName().str(), plan.internal = function.hasLocalLinkage();
  std::map<const llvm::BasicBlock*, int> vertex;
  std::map<const llvm::BasicBlock*, int> source;  // indirect jumps, numbered from 1
  for (const auto& block : function) {
    plan.blocks.push_back(block.getName().str());
    vertex.emplace(&block, static_cast<int>(plan.blocks.size()));
    if (is_indirect(block)) source.emplace(&block, static_cast<int>(source.size()) + 1);
  }
  const Expectation expected(function);
  plan.graph.vertices = static_cast<int>(plan.blocks.size()) + 1;
  auto add = [&](int from, int to, double weight, Counting counting = Counting::may) -> FlowEdge& {
    return plan.graph.edges.emplace_back(FlowEdge{from, to, weight, counting, {}});
  };
  add(outside, 1, expected.of(function.getEntryBlock()));
  std::map<const llvm::BasicBlock*, int> table;  // targets of indirect jumps: first counter
  for (const auto& block : function) {
    const int from = vertex[&block];
    const bool ends = llvm::succ_empty(&block);
    if (ends) add(from, outside, expected.of(block));
    const bool leaves = !ends && leaving.in_block(block);
    plan.leaving.push_back(leaves);
    if (leaves) add(from, outside, 0, Counting::never);
    std::vector<const llvm::BasicBlock*> seen;
    for (const llvm::BasicBlock* to : llvm::successors(&block)) {
      if (std::ranges::find(seen, to) != seen.end()) continue;  // parallel edges are one
      seen.push_back(to);
      FlowEdge& edge = add(from, vertex[to], expected.of(block, *to), is_indirect(block) ? Counting::always : Counting::may);
      if (edge.counting != Counting::always) continue;
      auto [place, fresh] = table.emplace(to, next_counter);
      if (fresh) next_counter += static_cast<int>(source.size()) + 1;  // the first stands for all other ways in
      edge.counter = place->second + source[&block];
    }
  }
  next_counter = place_counters(plan.graph, next_counter);
  for (std::size_t i = array_calls(const_cast<llvm::Function&>(function)).size(); i > 0; i--)
    plan.array_calls.push_back(next_counter++);
  return plan;
}

class Checksum {  // FNV-1a
 public:
  void add(const std::string& text) { for (char c : text) mix(static_cast<unsigned char>(c)); }
  void add(std::uint64_t number) { for (int i = 0; i < 8; i++) mix((number >> (8 * i)) & 0xff); }
  std::uint64_t value() const { return value_; }

 private:
  void mix(std::uint64_t byte) { value_ = (value_ ^ byte) * 0x100000001b3ULL; }
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace

ModulePlan plan_counters(llvm::Module& module, const LeavingCalls& leaving, const RecursiveFunctions& recursive) {
  ModulePlan plan;
  Checksum checksum;
  checksum.add(module.getModuleIdentifier());
  for (const auto& function : module) {
    if (!has_code(function)) continue;
    FunctionPlan& planned = plan.functions.emplace_back(plan_function(function, leaving, plan.counters));
    if (recursive.contains(function)) planned.heights = plan.counters, plan.counters += height_counters;
    checksum.add(planned.name);
    for (const auto& block : planned.blocks) checksum.add(block);
    for (const auto& edge : planned.graph.edges) {
      checksum.add(static_cast<std::uint64_t>(edge.from) << 32 | static_cast<std::uint64_t>(edge.to));
      checksum.add(static_cast<std::uint64_t>(edge.counter.value_or(-1)));
    }
  }
  plan.checksum = checksum.value();
  return plan;
}

UnitCounts counts_from(const ModulePlan& plan, std::span<const std::uint64_t> counters) {
  UnitCounts unit;
  for (const auto& planned : plan.functions) {
    FunctionCounts& function = unit.functions.emplace_back();
    function.name = planned.name, function.internal = planned.internal;
    for (const auto& name : planned.blocks) function.blocks.emplace_back().name = name;
    for (int counter : planned.array_calls)
      function.array_elements.push_back(static_cast<double>(counters[static_cast<std::size_t>(counter)]));
    for (int k = 0; planned.heights && k < height_counters; k++)
      function.heights[least_height + k] = static_cast<double>(counters[static_cast<std::size_t>(*planned.heights + k)]);
    std::erase_if(function.heights, [](const auto& entry) { return entry.second == 0; });
    const auto flows = solve_flow(planned.graph, counters);
    for (std::size_t i = 0; i < flows.size(); i++) {
      const FlowEdge& edge = planned.graph.edges[i];
      const bool net = edge.counting == Counting::never;
      // A run that was killed may miss the last steps of its loops; no count is less than none.
      const double flow = static_cast<double>(net ? flows[i] : std::max<std::int64_t>(flows[i], 0));
      if (edge.from == outside) function.entries += flow;
      if (edge.to != outside) function.blocks[static_cast<std::size_t>(edge.to - 1)].count += flow;
      if (edge.from == outside) continue;
      BlockCounts& from = function.blocks[static_cast<std::size_t>(edge.from - 1)];
      if (net) from.left += flow;
      else if (edge.to != outside) from.next.push_back({edge.to - 1, flow});
    }
  }
  return unit;
}

void tell_apart(std::vector<UnitCounts>& units, const std::vector<std::string>& sources) {
  std::map<std::string, int> taken;  // by how many functions of their own
  for (auto& unit : units)
    for (auto& function : unit.functions) {
      int& users = taken[function.name];
      function.duplicate = users > 0 && !function.internal && function.entries == 0;
      if (!function.duplicate) users++;
    }
  for (std::size_t i = 0; i < units.size(); i++)
    for (auto& function : units[i].functions)
      function.unique = taken[function.name] > 1 ? function.name + "@" + sources[i] : function.name;
}

}  // namespace perfcast::llvm_ir
