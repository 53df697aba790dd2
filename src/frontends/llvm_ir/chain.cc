#include "frontends/llvm_ir/chain.h"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/ProfDataUtils.h>

#include <algorithm>
#include <vector>

#include "frontends/llvm_ir/ir_usage.h"

namespace perfcast::llvm_ir {
namespace {

using llvm::Instruction;

// The product that a sum takes up on its way to the next: of a * b + c * d it may take up either.
const Instruction* product_taken_up(const Instruction& sum, const Instruction& operand) {
  auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&sum);
  const bool either = call && call->getIntrinsicID() == llvm::Intrinsic::fmuladd && call->getArgOperand(2) == &operand;
  if (!either && sum.getOpcode() != Instruction::FAdd && sum.getOpcode() != Instruction::FSub) return nullptr;
  const Instruction* product = sign_taken_up(operand) && operand.hasOneUse() ? llvm::dyn_cast<Instruction>(operand.getOperand(0)) : &operand;
  return product && product->getOpcode() == Instruction::FMul && product->hasOneUse() ? product : nullptr;
}

// What an operation counts as where `from` is the operand that is waited for; empty: for nothing.
std::string name_on_chain(const Instruction& i, const Instruction* from) {
  if (rough_cycles(i) == 0 || comes_with_division(i) || sign_taken_up(i)) return "";
  const std::string name = operation_name(i);
  if (name.empty()) return llvm::isa<llvm::LoadInst>(i) ? "load" : "call";
  if (llvm::isa<llvm::MinMaxIntrinsic>(i)) return "select";
  if (name == "fmax") return "fcmp";
  // A fused operation that waits for its sum alone may as well be a product and an addition: the addition counts.
  return name == "fma" && i.getOperand(2) == from ? "fadd" : name;
}

}  // namespace

double rough_cycles(const Instruction& i) {
  if (llvm::isa<llvm::LoadInst>(i)) return 5;
  const std::string name = operation_name(i);
  if (name == "fadd" || name == "fmul" || name == "fma" || name == "fcmp" || name == "fmax") return 4;
  if (name == "fdiv" || name == "sqrt" || name == "sdiv" || name == "udiv" || name == "srem" || name == "urem") return 13;
  if (name == "sitofp" || name == "fptosi" || name == "fpext" || name == "fptrunc") return 4;
  if (name == "mul") return 3;
  if (!name.empty()) return 1;
  return llvm::isa<llvm::CallBase>(i) ? 20 : 0;
}

void Chain::add(const Chain& other, double times) {
  cycles += times * other.cycles;
  for (const auto& [name, often] : other.operations)
    if (times > 0) operations[name] += times * often;
}

double Chains::taken(const llvm::SelectInst& choice, bool first) {
  std::uint64_t yes = 0, no = 0;
  if (!llvm::extractBranchWeights(choice, yes, no) || yes + no == 0) return 0;
  return static_cast<double>(first ? yes : no) / static_cast<double>(yes + no);
}

double Chains::entered(const llvm::PHINode& phi, unsigned k) const {
  auto often = [&](const llvm::BasicBlock& block) { return weight_of(block, loop_, analyses_); };
  if (phi.getIncomingBlock(k)->getSingleSuccessor()) return often(*phi.getIncomingBlock(k));
  double rest = often(*phi.getParent()), ways = 0;
  for (const llvm::BasicBlock* from : phi.blocks())
    if (from->getSingleSuccessor()) rest -= often(*from);
    else ways++;
  return std::max(0.0, rest / ways);
}

bool Chains::depends(const llvm::Value* value, bool ever) const {
  std::set<const llvm::Value*> seen;
  std::vector<const llvm::Value*> work{value};
  while (!work.empty()) {
    auto* i = llvm::dyn_cast<Instruction>(work.back());
    work.pop_back();
    if (!i || !loop_.contains(i) || !seen.insert(i).second) continue;
    if (carried_.contains(i) || (ever && on_cycle_.contains(i))) return true;
    if (!ever && llvm::isa<llvm::PHINode>(i) && i->getParent() == loop_.getHeader()) continue;
    work.insert(work.end(), i->op_begin(), i->op_end());
  }
  return false;
}

// The longest way to an operand; on the cycle itself, only along it.
Chain Chains::into(const Instruction& i, const Instruction*& longest_from) {
  Chain longest;
  longest_from = nullptr;
  for (const llvm::Use& operand : i.operands()) {
    auto* from = llvm::dyn_cast<Instruction>(operand.get());
    if (!from || !depends(from) || (on_cycle_.contains(&i) && !on_cycle_.contains(from))) continue;
    Chain chain = to(from);
    if (!longest_from || chain.cycles > longest.cycles) longest = std::move(chain), longest_from = from;
  }
  return longest;
}

Chain Chains::through(const Instruction& i) {
  const Instruction *from = nullptr, *before = nullptr;
  Chain chain = into(i, from);
  const Instruction* product = from ? product_taken_up(i, *from) : nullptr;
  if (product) chain = into(*product, before);
  const std::string name = product ? "fma" : name_on_chain(i, from);
  if (!name.empty()) chain.cycles += rough_cycles(i), chain.operations[name + "." + type_name(i.getType())] += 1;
  return chain;
}

Chain Chains::to(const llvm::Value* value) {
  auto* i = llvm::dyn_cast<Instruction>(value);
  if (!i || carried_.contains(i)) return {};
  if (auto it = known_.find(i); it != known_.end()) return it->second;
  if (!depends(i)) return known_[i] = {};
  Chain chain;
  if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(i)) {
    const Chain first = to(choice->getTrueValue()), second = to(choice->getFalseValue());
    const double yes = taken(*choice, true), no = taken(*choice, false);
    if (yes + no > 0) chain.add(first, yes), chain.add(second, no);
    else chain = first.cycles < second.cycles ? first : second;
    chain.operations["select." + type_name(i->getType())] += 1;
  } else if (auto* phi = llvm::dyn_cast<llvm::PHINode>(i)) {
    double all = 0;
    for (unsigned k = 0; k < phi->getNumIncomingValues(); k++) all += entered(*phi, k);
    for (unsigned k = 0; k < phi->getNumIncomingValues(); k++)
      if (all > 0) chain.add(to(phi->getIncomingValue(k)), entered(*phi, k) / all);
  } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(i)) {
    chain.add(to(store->getValueOperand()), weight_of(*store->getParent(), loop_, analyses_));
  } else {
    chain = through(*i);
  }
  return known_[i] = chain;
}

}  // namespace perfcast::llvm_ir
