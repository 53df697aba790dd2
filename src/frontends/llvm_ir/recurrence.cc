#include "frontends/llvm_ir/recurrence.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <functional>
#include <optional>
#include <unordered_map>

#include "frontends/llvm_ir/ir_usage.h"

namespace perfcast::llvm_ir {
namespace {

using llvm::Instruction, llvm::Value;

// Rough cycles, only to tell which chain is the longest; the machine's own numbers cost it later.
double chain_cycles(const Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case Instruction::FAdd:
    case Instruction::FSub: return 3;
    case Instruction::FMul: return 4;
    case Instruction::FDiv: return 13;
    case Instruction::FCmp: return 3;
    case Instruction::Mul: return 3;
    case Instruction::SDiv:
    case Instruction::UDiv:
    case Instruction::SRem:
    case Instruction::URem: return 12;
    case Instruction::Load: return 5;
    case Instruction::SIToFP:
    case Instruction::UIToFP:
    case Instruction::FPToSI:
    case Instruction::FPToUI: return 5;
    case Instruction::Call: return llvm::isa<llvm::IntrinsicInst>(instruction) ? 4 : 20;
    case Instruction::PHI:
    case Instruction::BitCast:
    case Instruction::Trunc:
    case Instruction::ZExt:
    case Instruction::SExt: return 0;
    default: return 1;
  }
}

// A scalar variable that unoptimised code keeps on the stack.
const llvm::AllocaInst* slot_of(const Value* pointer) {
  auto* slot = llvm::dyn_cast<llvm::AllocaInst>(pointer);
  return slot && slot->isStaticAlloca() && !slot->getAllocatedType()->isAggregateType() ? slot : nullptr;
}

// Longest path, in rough cycles, from a carried value (a phi of the header, or a slot) to another value.
class Paths {
 public:
  explicit Paths(const llvm::Loop& loop) : loop_(loop) {}

  struct Path {
    double cycles = 0;
    std::map<std::string, double> operations;
  };

  // From `origin` (a phi or a slot) to `value`; none when it does not depend on it within one iteration.
  std::optional<Path> path(const Value* origin, const Value* value) {
    memory_.clear();
    origin_ = origin;
    return longest(value, 0);
  }

 private:
  static constexpr int deepest = 400;

  std::optional<Path> longest(const Value* value, int depth) {
    if (value == origin_) return Path{};
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction || !loop_.contains(instruction) || depth > deepest) return {};
    if (auto it = memory_.find(value); it != memory_.end()) return it->second;
    memory_[value] = std::nullopt;  // cuts cycles of inner phis
    std::optional<Path> best;
    auto consider = [&](std::optional<Path> candidate) {
      if (candidate && (!best || candidate->cycles > best->cycles)) best = std::move(candidate);
    };
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction); load && slot_of(load->getPointerOperand())) {
      return memory_[value] = through_slot(*load, depth);
    }
    if (llvm::isa<llvm::PHINode>(instruction) && instruction->getParent() == loop_.getHeader()) return {};
    for (const Value* operand : instruction->operands())
      if (!llvm::isa<llvm::BasicBlock>(operand)) consider(longest(operand, depth + 1));
    if (best) add(*best, *instruction);
    return memory_[value] = best;
  }

  // A load of a variable: the carried one itself, or one that this iteration stored.
  std::optional<Path> through_slot(const llvm::LoadInst& load, int depth) {
    const auto* slot = slot_of(load.getPointerOperand());
    std::optional<Path> best;
    if (slot == origin_) best = Path{};
    else
      for (const llvm::User* user : slot->users())
        if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user); store && store->getPointerOperand() == slot && loop_.contains(store))
          if (auto candidate = longest(store->getValueOperand(), depth + 1); candidate && (!best || candidate->cycles > best->cycles))
            best = candidate;
    if (best) best->cycles += 5, best->operations["forward." + type_name(load.getType())] += 1;
    return best;
  }

  static void add(Path& path, const Instruction& instruction) {
    double cycles = chain_cycles(instruction);
    if (cycles == 0) return;
    path.cycles += cycles;
    std::string name = instruction.getOpcodeName();
    if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
      auto id = intrinsic->getIntrinsicID();
      name = id == llvm::Intrinsic::fmuladd || id == llvm::Intrinsic::fma ? "fma" : "intrinsic";
    }
    if (name == "sub") name = "add";
    if (name == "fsub") name = "fadd";
    path.operations[name + "." + type_name(instruction.getType())] += 1;
  }

  const llvm::Loop& loop_;
  const Value* origin_ = nullptr;
  std::unordered_map<const Value*, std::optional<Path>> memory_;
};

}  // namespace

std::map<std::string, double> recurrence_of(const llvm::Loop& loop) {
  Paths paths(loop);
  Paths::Path longest;
  auto consider = [&](std::optional<Paths::Path> path) {
    if (path && path->cycles > longest.cycles) longest = std::move(*path);
  };
  for (const llvm::PHINode& phi : loop.getHeader()->phis())
    for (unsigned i = 0; i < phi.getNumIncomingValues(); i++)
      if (loop.contains(phi.getIncomingBlock(i))) consider(paths.path(&phi, phi.getIncomingValue(i)));
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block)
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
        if (const auto* slot = slot_of(store->getPointerOperand())) consider(paths.path(slot, store->getValueOperand()));
  if (longest.cycles <= 1) return {};
  return longest.operations;
}

}  // namespace perfcast::llvm_ir
