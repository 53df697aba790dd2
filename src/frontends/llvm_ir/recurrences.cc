// Recurrences of a loop: cycles of dependences through carried values and through array elements at a constant
// distance. The slowest cycle is the one with the largest latency per iteration (equation 4.7), found by improving a
// guess: while some cycle beats the ratio, take its ratio (Lawler's maximum cycle ratio). Latencies here are rough and
// only choose the cycle; the machine's own numbers cost it later. Values pass from store to load in a register: that
// is what an ideal compiler would do. What only some iterations do counts by their share: the others pass the value on.
// Conditions carry nothing, since a core may foresee them: a choice carries the value chosen, in the iterations that choose it.
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <llvm/Analysis/ScalarEvolutionExpressions.h>

#include <algorithm>
#include <set>

#include "frontends/llvm_ir/chain.h"
#include "frontends/llvm_ir/essential.h"
#include "frontends/llvm_ir/ir_usage.h"
#include "frontends/llvm_ir/location.h"

namespace perfcast::llvm_ir {
namespace {

using llvm::Instruction;

struct Arc {
  int from = 0, to = 0;
  double cycles = 0;
  double distance = 0;
  bool removed = false;
};

class Cycles {
 public:
  Cycles(const llvm::Loop& loop, const LoopAnalyses& analyses) : loop_(loop), analyses_(analyses) {
    for (const llvm::BasicBlock* block : loop.blocks())
      for (const Instruction& i : *block)
        if (!counts(i, analyses.scalars)) number_.emplace(&i, static_cast<int>(nodes_.size())), nodes_.push_back(&i);
    for (const Instruction* i : nodes_) add_arcs(*i);
    add_memory_arcs(analyses);
  }

  // The cycle with the most cycles per iteration, as arcs; empty when there is none.
  std::vector<int> slowest() const {
    std::vector<int> best;
    double ratio = 1e-9;
    for (int tries = 0; tries < 60; tries++) {
      std::vector<int> better = cycle_above(ratio * (1 + 1e-9));
      if (better.empty()) return best;
      best = better, ratio = std::max(ratio, ratio_of(best));
    }
    return best;
  }
  double ratio_of(const std::vector<int>& cycle) const {
    double cycles = 0, distance = 0;
    for (int a : cycle) cycles += arcs_[a].cycles, distance += arcs_[a].distance;
    return distance > 0 ? cycles / distance : 0;
  }
  void remove_carrying(const std::vector<int>& cycle) {
    for (int a : cycle)
      if (arcs_[a].distance > 0) arcs_[a].removed = true;
  }

  // The share of the iterations in which the cycle really passes on what it carries. Where the others begin anew, it is
  // broken there, and bounds nothing unless they are rare.
  double share_of(const std::vector<int>& cycle) const {
    const Chains chains = chains_of(cycle);
    double passed = 1;
    for (int a : cycle) {
      const Instruction *from = nodes_[arcs_[a].from], *to = nodes_[arcs_[a].to];
      double broken = 0;
      if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(to); choice && choice->getTrueValue() != choice->getFalseValue()) {
        const bool first = choice->getTrueValue() == from;
        if (!chains.depends(first ? choice->getFalseValue() : choice->getTrueValue())) broken = 1 - Chains::taken(*choice, first);
      } else if (auto* phi = llvm::dyn_cast<llvm::PHINode>(to); phi && arcs_[a].distance == 0) {
        for (unsigned k = 0; k < phi->getNumIncomingValues(); k++)
          if (!chains.depends(phi->getIncomingValue(k))) broken += chains.entered(*phi, k);
      }
      constexpr double rare = 0.01;
      if (broken > rare) return 0;
      passed -= broken;
    }
    return std::max(0.0, passed);
  }
  // Every iteration goes the same way.
  bool straight(const std::vector<int>& cycle) const {
    return std::ranges::none_of(cycle, [&](int a) {
      const Instruction* to = nodes_[arcs_[a].to];
      return llvm::isa<llvm::SelectInst>(to) || (llvm::isa<llvm::PHINode>(to) && arcs_[a].distance == 0);
    });
  }

  Recurrence record(const std::vector<int>& cycle) const {
    Recurrence found;
    found.distance = 0;
    std::set<const Instruction*> on_cycle;
    for (int a : cycle) on_cycle.insert(nodes_[arcs_[a].to]), found.distance += arcs_[a].distance;
    const double share = share_of(cycle);
    Chains chains = chains_of(cycle);
    Chain around;
    for (int a : cycle) {
      if (arcs_[a].distance > 0) around.add(chains.to(nodes_[arcs_[a].from]), share);
      if (!found.line && arcs_[a].cycles > 0) found.line = location_of(nodes_[arcs_[a].to]->getDebugLoc().get()).line;
    }
    found.operations = around.operations;
    const std::string step = one_step(chains, on_cycle);
    if (!step.empty()) {
      double often = 0;
      for (int a : cycle)
        if (arcs_[a].cycles > 0) often = std::max(often, weight_of(*nodes_[arcs_[a].to]->getParent(), loop_, analyses_));
      found.operations = {{step, share * often}};
    }
    // A choice by comparing what is carried is a maximum or minimum: the comparison belongs to it.
    for (const Instruction* i : std::vector<const Instruction*>(on_cycle.begin(), on_cycle.end()))
      if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(i))
        if (auto* compare = llvm::dyn_cast<llvm::CmpInst>(choice->getCondition()); compare && (carries(compare->getOperand(0), on_cycle) || carries(compare->getOperand(1), on_cycle))) on_cycle.insert(compare);
    judge(chains, on_cycle, found);
    // All sums or all products: after some iterations the same in one step, which is what unrolling makes of them.
    if (!step.empty() && !step.starts_with("fma") && alone(on_cycle)) found.reassociable = found.allowed = true;
    return found;
  }

 private:
  // No other value is carried from here, as that of two iterations before is in a recurrence of second order.
  bool alone(const std::set<const Instruction*>& on_cycle) const {
    return std::ranges::none_of(arcs_, [&](const Arc& arc) { return arc.distance > 0 && on_cycle.contains(nodes_[arc.from]) && !on_cycle.contains(nodes_[arc.to]); });
  }
  Chains chains_of(const std::vector<int>& cycle) const {
    Chains::Values on_cycle, carried;
    for (int a : cycle) {
      on_cycle.insert(nodes_[arcs_[a].to]);
      if (arcs_[a].distance > 0) carried.insert(nodes_[arcs_[a].to]);
    }
    return {loop_, analyses_, on_cycle, carried};
  }
  // Counters and addresses cost nothing in an ideal loop.
  bool counts(const Instruction& i, llvm::ScalarEvolution& scalars) const {
    if (!scalars.isSCEVable(i.getType())) return false;
    auto* steps = llvm::dyn_cast<llvm::SCEVAddRecExpr>(scalars.getSCEV(const_cast<Instruction*>(&i)));
    return steps && steps->isAffine() && steps->getLoop() == &loop_;
  }
  void add_arcs(const Instruction& i) {
    int to = number_.at(&i);
    auto add = [&](const llvm::Value* from, double cycles, double distance) {
      auto* other = llvm::dyn_cast<Instruction>(from);
      auto it = other ? number_.find(other) : number_.end();
      if (it != number_.end()) arcs_.push_back({it->second, to, cycles, distance});
    };
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&i)) {
      bool carried = phi->getParent() == loop_.getHeader();
      for (unsigned k = 0; k < phi->getNumIncomingValues(); k++)
        if (!carried || loop_.contains(phi->getIncomingBlock(k))) add(phi->getIncomingValue(k), 0, carried ? 1 : 0);
      return;
    }
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) return add(store->getValueOperand(), 0, 0);
    if (i.isTerminator()) return;
    auto* choice = llvm::dyn_cast<llvm::SelectInst>(&i);
    for (const llvm::Value* operand : i.operands())
      if (choice && operand == choice->getCondition()) continue;
      else if (!llvm::isa<llvm::BasicBlock>(operand)) add(operand, weight_of(*i.getParent(), loop_, analyses_) * rough_cycles(i), 0);
  }
  // What a store writes and a load of a later iteration reads.
  void add_memory_arcs(const LoopAnalyses& analyses) {
    auto placed = place_accesses(loop_, analyses);
    for (const PlacedAccess& store : placed)
      for (const PlacedAccess& load : placed) {
        if (!store.store || load.store || store.group != load.group || !store.stride) continue;
        if (!number_.contains(store.instruction) || !number_.contains(load.instruction)) continue;
        double distance = 0;
        if (*store.stride == 0) distance = store.offset == load.offset ? 1 : 0;
        else if ((store.offset - load.offset) % *store.stride == 0) distance = static_cast<double>((store.offset - load.offset) / *store.stride);
        if (distance > 0) arcs_.push_back({number_.at(store.instruction), number_.at(load.instruction), 0, distance});
      }
  }

  // Some cycle whose latency exceeds `ratio` per iteration, by Bellman and Ford.
  std::vector<int> cycle_above(double ratio) const {
    std::vector<double> longest(nodes_.size(), 0);
    std::vector<int> by(nodes_.size(), -1);
    int changed = -1;
    std::size_t rounds = std::min<std::size_t>(nodes_.size() + 1, 4000);
    for (std::size_t round = 0; round < rounds; round++) {
      changed = -1;
      for (std::size_t a = 0; a < arcs_.size(); a++) {
        const Arc& arc = arcs_[a];
        double reached = longest[static_cast<std::size_t>(arc.from)] + arc.cycles - ratio * arc.distance;
        if (arc.removed || reached <= longest[static_cast<std::size_t>(arc.to)] + 1e-7) continue;
        longest[static_cast<std::size_t>(arc.to)] = reached, by[static_cast<std::size_t>(arc.to)] = static_cast<int>(a), changed = arc.to;
      }
      if (changed < 0) return {};
    }
    int at = changed;
    for (std::size_t k = 0; k < nodes_.size() && at >= 0; k++) at = by[static_cast<std::size_t>(at)] < 0 ? -1 : arcs_[static_cast<std::size_t>(by[static_cast<std::size_t>(at)])].from;
    if (at < 0) return {};
    std::vector<int> cycle;
    int start = at;
    do {
      int a = by[static_cast<std::size_t>(at)];
      if (a < 0 || cycle.size() > nodes_.size()) return {};
      cycle.push_back(a), at = arcs_[static_cast<std::size_t>(a)].from;
    } while (at != start);
    std::reverse(cycle.begin(), cycle.end());
    return ratio_of(cycle) > ratio ? cycle : std::vector<int>{};
  }

  // Where the rules in force allow another order, sums and products of what is carried with anything else are one step,
  // a * x + b: a and b are made outside the chain. The name of that step; empty where it cannot be done.
  std::string one_step(const Chains& chains, const std::set<const Instruction*>& on_cycle) const {
    bool sums = false, products = false;
    std::string type;
    for (const Instruction* i : on_cycle) {
      if (chains.carries(*i) || llvm::isa<llvm::StoreInst>(i)) continue;
      const std::string name = operation_name(*i);
      const bool sum = name == "fadd", product = name == "fmul", both = name == "fma";
      if (!(sum || product || both || i->getOpcode() == Instruction::FNeg) || !llvm::isa<llvm::FPMathOperator>(i) || !i->hasAllowReassoc()) return "";
      if ((product || both) && chains.depends(i->getOperand(0)) && chains.depends(i->getOperand(1))) return "";
      sums = sums || sum || both, type = type_name(i->getType());
      products = products || product || (both && (chains.depends(i->getOperand(0)) || chains.depends(i->getOperand(1))));
    }
    if (!sums && !products) return "";
    return (sums && products ? "fma." : sums ? "fadd." : "fmul.") + type;
  }
  // A chain of one associative operation whose partial results nobody else sees.
  void judge(const Chains& chains, const std::set<const Instruction*>& on_cycle, Recurrence& found) const {
    std::set<std::string> kinds;
    // Who asks for vectors (omp simd, clang loop vectorize) allows the order of sums that they need.
    const bool asked_for = llvm::getBooleanLoopAttribute(&loop_, "llvm.loop.vectorize.enable");
    bool free = true, allowed = true;
    for (const Instruction* i : on_cycle) {
      for (const llvm::User* user : i->users()) {
        auto* other = llvm::dyn_cast<Instruction>(user);
        if (other && loop_.contains(other) && !on_cycle.contains(other) && !only_kept(*other, *i) && !only_copied(*other, on_cycle)) free = false;
      }
      std::string name = operation_name(*i);
      if (llvm::isa<llvm::LoadInst>(i) && !stays(*i, on_cycle)) free = false;
      if (name.empty()) continue;
      if (name == "fma") {
        auto* sum = i->getNumOperands() > 2 ? llvm::dyn_cast<Instruction>(i->getOperand(2)) : nullptr;
        if (!sum || !on_cycle.contains(sum)) free = false;
        name = "fadd";
      }
      // A choice that does not depend on the sum itself only decides what is added.
      if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(i); choice && !carries(choice->getCondition(), on_cycle)) continue;
      if (name == "select" || name == "icmp" || name == "fcmp" || name == "fmax" || llvm::isa<llvm::MinMaxIntrinsic>(i)) name = "extremum";
      kinds.insert(name);
      if (i->getType()->isFloatingPointTy() && llvm::isa<llvm::FPMathOperator>(i) && !i->hasAllowReassoc() && !asked_for) allowed = false;
    }
    static const std::set<std::string> associative = {"fadd", "fmul", "add", "mul", "and", "extremum"};
    found.reassociable = free && kinds.size() == 1 && associative.contains(*kinds.begin());
    found.allowed = found.reassociable && allowed;
    if (jumps(chains, on_cycle)) found.reassociable = found.allowed = true;
  }
  // A store of the sum so far to one place: only the last one is seen.
  bool only_kept(const Instruction& user, const Instruction& value) const {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&user);
    return store && store->getValueOperand() == &value && loop_.isLoopInvariant(store->getPointerOperand());
  }
  // A second copy of the sum, chosen and carried along but never computed with. One of an earlier iteration that comes back into
  // the sum is no copy: Fibonacci's numbers.
  bool only_copied(const Instruction& first, const std::set<const Instruction*>& on_cycle) const {
    std::set<const Instruction*> copies;
    std::vector<const Instruction*> work{&first};
    bool comes_back = false, earlier = false;
    while (!work.empty()) {
      const Instruction* copy = work.back();
      work.pop_back();
      auto* choice = llvm::dyn_cast<llvm::SelectInst>(copy);
      const bool chosen = llvm::isa<llvm::PHINode>(copy) || (choice && !carries(choice->getCondition(), on_cycle));
      if (!chosen) return false;
      comes_back = comes_back || on_cycle.contains(copy);
      if (on_cycle.contains(copy) || !copies.insert(copy).second) continue;
      earlier = earlier || (llvm::isa<llvm::PHINode>(copy) && copy->getParent() == loop_.getHeader());
      for (const llvm::User* user : copy->users())
        if (auto* other = llvm::dyn_cast<Instruction>(user); other && loop_.contains(other) && !only_kept(*other, *copy)) work.push_back(other);
    }
    return !(comes_back && earlier);
  }
  // x = a * x + c on integers, where c has nothing to do with x: any power of the step can be taken at once.
  bool jumps(const Chains& chains, const std::set<const Instruction*>& on_cycle) const {
    return std::ranges::all_of(on_cycle, [&](const Instruction* i) {
      if (llvm::isa<llvm::PHINode>(i)) return i->getParent() == loop_.getHeader();
      const bool sum = i->getOpcode() == Instruction::Add || i->getOpcode() == Instruction::Sub;
      if (!sum && i->getOpcode() != Instruction::Mul && i->getOpcode() != Instruction::Shl) return false;
      const bool first = carries(i->getOperand(0), on_cycle), second = carries(i->getOperand(1), on_cycle);
      if (first && second) return sum;
      const llvm::Value* other = i->getOperand(first ? 1 : 0);
      return sum ? !chains.ever_depends(other) : loop_.isLoopInvariant(other) && (first || i->getOpcode() == Instruction::Mul);
    });
  }
  static bool carries(const llvm::Value* value, const std::set<const Instruction*>& on_cycle) {
    auto* i = llvm::dyn_cast<Instruction>(value);
    return i && on_cycle.contains(i);
  }
  // A sum kept in one memory cell may live in a register; a walk over an array may not.
  static bool stays(const Instruction& load, const std::set<const Instruction*>& on_cycle) {
    return std::any_of(on_cycle.begin(), on_cycle.end(), [&](const Instruction* other) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(other);
      return store && store->getPointerOperand() == llvm::cast<llvm::LoadInst>(load).getPointerOperand();
    });
  }

  const llvm::Loop& loop_;
  const LoopAnalyses& analyses_;
  std::vector<const Instruction*> nodes_;
  std::map<const Instruction*, int> number_;
  std::vector<Arc> arcs_;
};

}  // namespace

void add_recurrences(const llvm::Loop& loop, const LoopAnalyses& analyses, SourceLoop& out) {
  // What a body so long carries around, a core meets long after it was made; and looking for it would take minutes.
  constexpr std::size_t longest = 5000;  // instructions
  std::size_t instructions = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) instructions += block->size();
  if (!loop.isInnermost() || instructions > longest) return;
  Cycles cycles(loop, analyses);
  constexpr int most = 8;
  for (int k = 0; k < most; k++) {
    std::vector<int> cycle = cycles.slowest();
    if (cycle.empty()) return;
    const double share = cycles.share_of(cycle);
    if (share > 0) out.recurrences.push_back(cycles.record(cycle));
    if (share == 1 && cycles.straight(cycle) && !out.recurrences.back().reassociable) return;
    cycles.remove_carrying(cycle);
  }
}

}  // namespace perfcast::llvm_ir
