// Recurrences of a loop: cycles of dependences through carried values and through array elements at a constant
// distance. The slowest cycle is the one with the largest latency per iteration (equation 4.7), found by improving a
// guess: while some cycle beats the ratio, take its ratio (Lawler's maximum cycle ratio). Latencies here are rough and
// only choose the cycle; the machine's own numbers cost it later. Values pass from store to load in a register: that
// is what an ideal compiler would do. What only some iterations do counts by their share: the others pass the value on.
// Conditions carry nothing, since a core may foresee them: a choice carries the value chosen, in the iterations that choose it.
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/ProfDataUtils.h>

#include <llvm/Analysis/ScalarEvolutionExpressions.h>

#include <algorithm>
#include <set>

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

double rough_cycles(const Instruction& i) {
  if (llvm::isa<llvm::LoadInst>(i)) return 5;
  const std::string name = operation_name(i);
  if (name == "fadd" || name == "fmul" || name == "fma" || name == "fcmp") return 4;
  if (name == "fdiv" || name == "sqrt" || name == "sdiv" || name == "udiv" || name == "srem" || name == "urem") return 13;
  if (name == "sitofp" || name == "fptosi" || name == "fpext" || name == "fptrunc") return 4;
  if (name == "mul") return 3;
  if (!name.empty()) return 1;
  return llvm::isa<llvm::CallBase>(i) ? 20 : 0;
}

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
    std::set<const Instruction*> carried;
    for (int a : cycle)
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(nodes_[arcs_[a].to]); phi && phi->getParent() == loop_.getHeader()) carried.insert(phi);
    double passed = 1;
    for (int a : cycle) {
      const Instruction *from = nodes_[arcs_[a].from], *to = nodes_[arcs_[a].to];
      double missed = 0, broken = 0;
      if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(to)) {
        if (choice->getTrueValue() == choice->getFalseValue()) continue;
        const bool first = choice->getTrueValue() == from;
        missed = 1 - taken(*choice, first);
        if (!depends(first ? choice->getFalseValue() : choice->getTrueValue(), carried)) broken = missed;
      } else if (auto* phi = llvm::dyn_cast<llvm::PHINode>(to); phi && !carried.contains(phi)) {
        for (unsigned k = 0; k < phi->getNumIncomingValues(); k++)
          if (!depends(phi->getIncomingValue(k), carried)) broken += entered(*phi, k);
      }
      constexpr double rare = 0.01;
      passed = broken > rare ? 0 : passed - missed;
      if (passed <= 0) return 0;
    }
    return passed;
  }

  Recurrence record(const std::vector<int>& cycle) const {
    Recurrence found;
    found.distance = 0;
    std::set<const Instruction*> on_cycle;
    for (int a : cycle) on_cycle.insert(nodes_[arcs_[a].to]), found.distance += arcs_[a].distance;
    const double share = share_of(cycle);
    for (int a : cycle) {
      const Instruction& i = *nodes_[arcs_[a].to];
      if (arcs_[a].cycles == 0 || comes_with_division(i)) continue;
      std::string name = operation_name(i);
      if (name.empty()) name = llvm::isa<llvm::LoadInst>(i) ? "load" : "call";
      if (llvm::isa<llvm::MinMaxIntrinsic>(i)) name = "select";
      const Instruction* product = fused_product(i);
      if (product && on_cycle.contains(product)) name = "fma";
      // A fused operation on a cycle through its sum alone may as well be a product and an addition: the addition counts.
      if (name == "fma" && !product && i.getOperand(2) == nodes_[static_cast<std::size_t>(arcs_[a].from)]) name = "fadd";
      bool fused_away = name == "fmul" && i.hasOneUse() && on_cycle.contains(llvm::cast<Instruction>(*i.user_begin())) &&
                        fused_product(*llvm::cast<Instruction>(*i.user_begin())) == &i;
      if (!found.line) found.line = location_of(i.getDebugLoc().get()).line;
      if (!fused_away) found.operations[name + "." + type_name(i.getType())] += share * weight_of(*i.getParent(), loop_, analyses_);
    }
    if (const std::string step = one_step(cycle, on_cycle); !step.empty()) {
      double often = 0;
      for (int a : cycle)
        if (arcs_[a].cycles > 0) often = std::max(often, weight_of(*nodes_[arcs_[a].to]->getParent(), loop_, analyses_));
      found.operations = {{step, share * often}};
    }
    // A choice by comparing what is carried is a maximum or minimum: the comparison belongs to it.
    for (const Instruction* i : std::vector<const Instruction*>(on_cycle.begin(), on_cycle.end()))
      if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(i))
        if (auto* compare = llvm::dyn_cast<llvm::CmpInst>(choice->getCondition()); compare && (carries(compare->getOperand(0), on_cycle) || carries(compare->getOperand(1), on_cycle))) on_cycle.insert(compare);
    judge(on_cycle, found);
    return found;
  }

 private:
  // How often a choice takes its first value; a choice nobody counted is taken never, so that the bound stays one.
  static double taken(const llvm::SelectInst& choice, bool first) {
    std::uint64_t yes = 0, no = 0;
    if (!llvm::extractBranchWeights(choice, yes, no) || yes + no == 0) return 0;
    return static_cast<double>(first ? yes : no) / static_cast<double>(yes + no);
  }
  // How often per iteration control comes to a meeting point by its k-th way.
  double entered(const llvm::PHINode& phi, unsigned k) const {
    auto ways = [&](const llvm::BasicBlock& block) { return weight_of(block, loop_, analyses_); };
    if (phi.getIncomingBlock(k)->getSingleSuccessor()) return ways(*phi.getIncomingBlock(k));
    double rest = ways(*phi.getParent());
    for (unsigned other = 0; other < phi.getNumIncomingValues(); other++)
      if (other != k && phi.getIncomingBlock(other)->getSingleSuccessor()) rest -= ways(*phi.getIncomingBlock(other));
    return std::max(0.0, rest);
  }
  // Whether a value of this iteration is made of one of the carried ones.
  bool depends(const llvm::Value* value, const std::set<const Instruction*>& carried) const {
    std::set<const llvm::Value*> seen;
    std::vector<const llvm::Value*> work{value};
    while (!work.empty()) {
      auto* i = llvm::dyn_cast<Instruction>(work.back());
      work.pop_back();
      if (!i || !loop_.contains(i) || !seen.insert(i).second) continue;
      if (carried.contains(i)) return true;
      if (llvm::isa<llvm::PHINode>(i) && i->getParent() == loop_.getHeader()) continue;
      work.insert(work.end(), i->op_begin(), i->op_end());
    }
    return false;
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
  std::string one_step(const std::vector<int>& cycle, const std::set<const Instruction*>& on_cycle) const {
    std::set<const Instruction*> carried;
    for (int a : cycle)
      if (arcs_[a].distance > 0) carried.insert(nodes_[arcs_[a].to]);
    bool sums = false, products = false;
    std::string type;
    for (const Instruction* i : on_cycle) {
      if (carried.contains(i) || llvm::isa<llvm::StoreInst>(i)) continue;
      const std::string name = operation_name(*i);
      const bool sum = name == "fadd", product = name == "fmul", both = name == "fma";
      if (!(sum || product || both || i->getOpcode() == Instruction::FNeg) || !llvm::isa<llvm::FPMathOperator>(i) || !i->hasAllowReassoc()) return "";
      if ((product || both) && depends(i->getOperand(0), carried) && depends(i->getOperand(1), carried)) return "";
      sums = sums || sum || both, type = type_name(i->getType());
      products = products || product || (both && (depends(i->getOperand(0), carried) || depends(i->getOperand(1), carried)));
    }
    if (!sums && !products) return "";
    return (sums && products ? "fma." : sums ? "fadd." : "fmul.") + type;
  }
  // A chain of one associative operation whose partial results nobody else sees.
  void judge(const std::set<const Instruction*>& on_cycle, Recurrence& found) const {
    std::set<std::string> kinds;
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
      if (name == "select" || name == "icmp" || name == "fcmp" || llvm::isa<llvm::MinMaxIntrinsic>(i)) name = "extremum";
      kinds.insert(name);
      if (i->getType()->isFloatingPointTy() && llvm::isa<llvm::FPMathOperator>(i) && !i->hasAllowReassoc()) allowed = false;
    }
    static const std::set<std::string> associative = {"fadd", "fmul", "add", "mul", "and", "extremum"};
    found.reassociable = free && kinds.size() == 1 && associative.contains(*kinds.begin());
    found.allowed = found.reassociable && allowed;
    if (jumps(on_cycle)) found.reassociable = found.allowed = true;
  }
  // A store of the sum so far to one place: only the last one is seen.
  bool only_kept(const Instruction& user, const Instruction& value) const {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&user);
    return store && store->getValueOperand() == &value && loop_.isLoopInvariant(store->getPointerOperand());
  }
  // A second copy of the sum, chosen and carried along but never computed with.
  bool only_copied(const Instruction& first, const std::set<const Instruction*>& on_cycle) const {
    std::set<const Instruction*> copies;
    std::vector<const Instruction*> work{&first};
    while (!work.empty()) {
      const Instruction* copy = work.back();
      work.pop_back();
      if (on_cycle.contains(copy) || !copies.insert(copy).second) continue;
      auto* choice = llvm::dyn_cast<llvm::SelectInst>(copy);
      if (!llvm::isa<llvm::PHINode>(copy) && !(choice && !carries(choice->getCondition(), on_cycle))) return false;
      for (const llvm::User* user : copy->users())
        if (auto* other = llvm::dyn_cast<Instruction>(user); other && loop_.contains(other) && !only_kept(*other, *copy)) work.push_back(other);
    }
    return true;
  }
  // x = a * x + c on integers: any power of the step can be taken at once.
  bool jumps(const std::set<const Instruction*>& on_cycle) const {
    return std::ranges::all_of(on_cycle, [&](const Instruction* i) {
      if (llvm::isa<llvm::PHINode>(i)) return i->getParent() == loop_.getHeader();
      bool linear = i->getOpcode() == Instruction::Add || i->getOpcode() == Instruction::Sub || i->getOpcode() == Instruction::Mul || i->getOpcode() == Instruction::Shl;
      return linear && std::all_of(i->op_begin(), i->op_end(), [&](const llvm::Use& use) { return carries(use.get(), on_cycle) || loop_.isLoopInvariant(use.get()); });
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
  if (!loop.isInnermost()) return;
  Cycles cycles(loop, analyses);
  constexpr int most = 8;
  for (int k = 0; k < most; k++) {
    std::vector<int> cycle = cycles.slowest();
    if (cycle.empty()) return;
    const double share = cycles.share_of(cycle);
    if (share > 0) out.recurrences.push_back(cycles.record(cycle));
    if (share == 1 && !out.recurrences.back().reassociable) return;
    cycles.remove_carrying(cycle);
  }
}

}  // namespace perfcast::llvm_ir
