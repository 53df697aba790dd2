#include "frontends/memory_profile/report_branches.h"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <set>

namespace perfcast::memory_profile {
namespace {

using namespace llvm;

// The parts of a condition that and or or join, in the order in which they are met: of such the code generator makes a branch
// each, unless they are cheap (SelectionDAGBuilder::FindMergedConditions).
void find_parts(Value& condition, bool any, const BasicBlock& block, std::vector<Value*>& parts) {
  Value *left = nullptr, *right = nullptr;
  auto* joined = dyn_cast<Instruction>(&condition);
  auto here = [&](const Value* value) { auto* made = dyn_cast<Instruction>(value); return !made || made->getParent() == &block; };
  const bool is_tree = joined && joined->hasOneUse() && here(joined) &&
                       (any ? PatternMatch::match(joined, PatternMatch::m_LogicalOr(PatternMatch::m_Value(left), PatternMatch::m_Value(right)))
                            : PatternMatch::match(joined, PatternMatch::m_LogicalAnd(PatternMatch::m_Value(left), PatternMatch::m_Value(right))));
  if (!is_tree || !here(left) || !here(right)) return parts.push_back(&condition);
  find_parts(*left, any, block, parts), find_parts(*right, any, block, parts);
}

// Tells of each part whether it decides: where one of several conditions is enough, that it is true; where all are needed, that
// it is not. Answers how many there are, none where the condition is a single one.
std::size_t report_parts(Runtime& runtime, BranchInst& branch, bool are_branches, std::uint32_t first_id) {
  Value& condition = *branch.getCondition();
  const bool any = PatternMatch::match(&condition, PatternMatch::m_LogicalOr(PatternMatch::m_Value(), PatternMatch::m_Value()));
  std::vector<Value*> parts;
  find_parts(condition, any, *branch.getParent(), parts);
  if (parts.size() < 2) return 0;
  IRBuilder<> builder(&branch);
  give_position(builder, branch);
  Value* met = builder.getTrue();
  for (std::size_t k = 0; k < parts.size(); k++) {
    Value* value = builder.CreateFreeze(parts[k]);  // one that is not met may be anything
    Value* decides = any ? value : builder.CreateNot(value);
    auto number = [&](Value* truth) { return builder.CreateZExt(truth, builder.getInt32Ty()); };
    builder.CreateCall(are_branches ? runtime.part_branch : runtime.part, {builder.getInt32(first_id + static_cast<std::uint32_t>(k)), number(decides), number(met)});
    met = builder.CreateAnd(met, builder.CreateNot(decides));
  }
  return parts.size();
}

// A choice between two values, written as such or as the lesser or greater of two.
bool is_choice(const Instruction& instruction) {
  if (auto* select = dyn_cast<SelectInst>(&instruction))
    return select->getCondition()->getType()->isIntegerTy(1) && !select->getType()->isVectorTy() && !select->getType()->isIntegerTy(1);
  auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  if (!intrinsic || !intrinsic->getType()->isIntegerTy()) return false;
  switch (intrinsic->getIntrinsicID()) {
    case Intrinsic::abs: case Intrinsic::smin: case Intrinsic::smax: case Intrinsic::umin: case Intrinsic::umax: case Intrinsic::usub_sat: return true;
    default: return false;
  }
}
bool is_division(const Instruction& instruction) {
  return instruction.isIntDivRem() && instruction.getType()->isIntegerTy(64) && !isa<Constant>(instruction.getOperand(1));
}
BranchKind kind_of(const Instruction& instruction) {
  return is_choice(instruction) ? BranchKind::choice : is_division(instruction) ? BranchKind::division : isa<CallBase>(instruction) ? BranchKind::call : BranchKind::branch;
}
// The quotient and the remainder of the same numbers come from one division.
bool divided_before(const Instruction& division) {
  for (const Instruction* before = division.getPrevNode(); before; before = before->getPrevNode())
    if (is_division(*before) && before->getOperand(0) == division.getOperand(0) && before->getOperand(1) == division.getOperand(1)) return true;
  return false;
}

// Choices by the same condition become one branch, if any.
bool chosen_before(const Instruction& choice) {
  auto* select = dyn_cast<SelectInst>(&choice);
  if (!select) return false;
  for (const Instruction* before = choice.getPrevNode(); before; before = before->getPrevNode())
    if (auto* other = dyn_cast<SelectInst>(before); other && is_choice(*other) && other->getCondition() == select->getCondition()) return true;
  return false;
}

// The condition of a branch, or what that of a choice would be, were it one.
Value* condition_of(IRBuilder<>& builder, Instruction& choice) {
  if (auto* branch = dyn_cast<BranchInst>(&choice)) return branch->getCondition();
  if (auto* select = dyn_cast<SelectInst>(&choice)) return select->getCondition();
  Value *left = choice.getOperand(0), *right = choice.getOperand(1);
  if (is_division(choice)) return builder.CreateICmpULT(builder.CreateOr(left, right), builder.getInt64(1ull << 32));
  switch (cast<IntrinsicInst>(choice).getIntrinsicID()) {
    case Intrinsic::abs: return builder.CreateIsNeg(left);
    case Intrinsic::smin: return builder.CreateICmpSLT(left, right);
    case Intrinsic::smax: return builder.CreateICmpSGT(left, right);
    case Intrinsic::umax: return builder.CreateICmpUGT(left, right);
    default: return builder.CreateICmpULT(left, right);  // the lesser; a difference, but not below zero
  }
}

// `is_branch` in the end: the choice; or the whole of a condition, and not its parts.
void report_condition(Runtime& runtime, Instruction& at, bool is_branch, std::uint32_t id) {
  IRBuilder<> builder(&at);
  give_position(builder, at);
  builder.CreateCall(is_branch ? runtime.branch : runtime.choice, {builder.getInt32(id), builder.CreateZExt(condition_of(builder, at), builder.getInt32Ty())});
}

// On the way to each of its targets a switch tells which one it is.
void report_switch(Runtime& runtime, SwitchInst& jump, std::uint32_t id) {
  std::set<BasicBlock*> reported;
  for (unsigned k = 0; k < jump.getNumSuccessors(); k++) {
    BasicBlock* target = jump.getSuccessor(k);
    if (!reported.insert(target).second) continue;
    if (!target->getUniquePredecessor()) {
      target = SplitCriticalEdge(&jump, k, CriticalEdgeSplittingOptions().setMergeIdenticalEdges());
      if (!target) continue;  // into a landing pad
      reported.insert(target);
    }
    if (target->getFirstInsertionPt() == target->end()) continue;
    IRBuilder<> builder(target, target->getFirstInsertionPt());
    give_position(builder, jump);
    builder.CreateCall(runtime.jump, {builder.getInt32(id), builder.getInt64(k)});
  }
}

// A call through a pointer, or a jump to a label by its address.
void report_target(Runtime& runtime, Instruction& jump, Value& target, std::uint32_t id) {
  IRBuilder<> builder(&jump);
  give_position(builder, jump);
  builder.CreateCall(runtime.jump, {builder.getInt32(id), builder.CreatePtrToInt(&target, builder.getInt64Ty())});
}

void report_branch_like(Runtime& runtime, Instruction& instruction, bool is_branch, std::uint32_t id) {
  if (auto* jump = dyn_cast<SwitchInst>(&instruction)) report_switch(runtime, *jump, id);
  else if (auto* jump = dyn_cast<IndirectBrInst>(&instruction)) report_target(runtime, *jump, *jump->getAddress(), id);
  else if (kind_of(instruction) == BranchKind::call) report_target(runtime, instruction, *cast<CallBase>(instruction).getCalledOperand(), id);
  else report_condition(runtime, instruction, is_branch, id);
}

}  // namespace

std::vector<Instruction*> find_branches(Function& function) {
  std::vector<Instruction*> found;
  for (BasicBlock& block : function)
    for (Instruction& instruction : block) {
      auto* branch = dyn_cast<BranchInst>(&instruction);
      auto* call = dyn_cast<CallBase>(&instruction);
      if ((branch && branch->isConditional()) || isa<SwitchInst>(&instruction) || isa<IndirectBrInst>(&instruction) ||
          (call && call->isIndirectCall()) ||
          (is_choice(instruction) && !chosen_before(instruction)) || (is_division(instruction) && !divided_before(instruction)))
        found.push_back(&instruction);
    }
  return found;
}

namespace {

Position position_of(const Instruction& instruction) {
  const DebugLoc& at = instruction.getDebugLoc();
  return at ? Position(static_cast<int>(at.getLine()), static_cast<int>(at.getCol())) : Position();
}

// Whether the code generator made a branch of this choice: of one at its place, if places are known, and of the first there.
bool became_branch(const Instruction& choice, const Site& here, const MadeBranches& made, const std::vector<BranchSite>& sites) {
  const auto found = made.of_choices.find({here.function, here.block});
  if (found == made.of_choices.end() || !is_choice(choice)) return false;
  const Position at = position_of(choice);
  if (at == Position() || found->second.contains(Position()) || found->second.empty()) return true;
  return found->second.contains(at) && std::ranges::none_of(sites, [&](const BranchSite& site) {
           return site.kind == BranchKind::choice && site.at == at && site.block == here.block && site.function == here.function;
         });
}

}  // namespace

void report_branch(Runtime& runtime, Instruction& branch, const Site& here, const MadeBranches& made, std::vector<BranchSite>& sites) {
  const auto id = static_cast<std::uint32_t>(sites.size());
  auto* conditional = dyn_cast<BranchInst>(&branch);
  const bool parted = made.of_parts.contains({here.function, here.block});
  const std::size_t parts = conditional ? report_parts(runtime, *conditional, parted, id + 1) : 0;  // before the whole has another use
  report_branch_like(runtime, branch, conditional ? !(parted && parts) : became_branch(branch, here, made, sites), id);
  sites.push_back({here, kind_of(branch), 0, 0, 0, position_of(branch)});
  sites.insert(sites.end(), parts, {here, BranchKind::part, 0, 0, 0, {}});
}

}  // namespace perfcast::memory_profile
