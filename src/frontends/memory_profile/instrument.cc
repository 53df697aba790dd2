#include "frontends/memory_profile/instrument.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <set>

#include <memory_profile_layout.h>  // data/runtime: shared with the run-time library

#include "frontends/llvm_ir/module.h"
#include "frontends/memory_profile/accesses.h"
#include "frontends/memory_profile/versions.h"

namespace perfcast::memory_profile {
// The names of the records mean LLVM's here.
using llvm::Function, llvm::Instruction, llvm::Loop;
namespace {

using namespace llvm;

// What the run-time library offers (data/runtime/memory_profile.c).
struct Runtime {
  explicit Runtime(Module& module)
      : context(module.getContext()),
        flag(variable(module, "perfcast_burst", Type::getInt32Ty(context))),
        threshold(variable(module, "perfcast_threshold", Type::getInt64Ty(context))),
        offset(variable(module, "perfcast_offset", Type::getInt64Ty(context))),
        access(function(module, "perfcast_access", {Type::getInt32Ty(context), Type::getInt64Ty(context)})),
        range(function(module, "perfcast_range", {Type::getInt32Ty(context), Type::getInt64Ty(context), Type::getInt64Ty(context)})),
        branch(function(module, "perfcast_branch", {Type::getInt32Ty(context), Type::getInt32Ty(context)})),
        jump(function(module, "perfcast_jump", {Type::getInt32Ty(context), Type::getInt64Ty(context)})),
        choice(function(module, "perfcast_choice", {Type::getInt32Ty(context), Type::getInt32Ty(context)})) {}

  static GlobalVariable* variable(Module& module, const char* name, Type* type) {
    return cast<GlobalVariable>(module.getOrInsertGlobal(name, type));
  }
  static FunctionCallee function(Module& module, const char* name, std::vector<Type*> arguments) {
    auto callee = module.getOrInsertFunction(name, FunctionType::get(Type::getVoidTy(module.getContext()), arguments, false));
    cast<Function>(callee.getCallee())->addFnAttr(Attribute::NoUnwind);
    return callee;
  }
  LLVMContext& context;
  GlobalVariable *flag, *threshold, *offset;
  FunctionCallee access, range, branch, jump, choice;
};

// A call inside a function with debug information needs a position of its own.
void give_position(IRBuilder<>& builder, const Instruction& beside) {
  if (beside.getDebugLoc()) return;
  if (DISubprogram* scope = beside.getFunction()->getSubprogram())
    builder.SetCurrentDebugLocation(DILocation::get(beside.getContext(), 0, 0, scope));
}

// if (hash of the page < threshold) perfcast_access(id, address): the same hash as in the run-time library.
void report_access(Runtime& runtime, Instruction& at, Value* pointer, std::uint32_t id) {
  IRBuilder<> builder(&at);
  give_position(builder, at);
  auto* i64 = builder.getInt64Ty();
  Value* address = builder.CreatePtrToInt(pointer, i64);
  Value* page = builder.CreateAdd(builder.CreateLShr(address, 12), builder.CreateLoad(i64, runtime.offset, true));
  Value* hash = builder.CreateLShr(builder.CreateMul(page, builder.getInt64(0x9E3779B97F4A7C15ull)), 40);
  Value* followed = builder.CreateICmpULT(hash, builder.CreateLoad(i64, runtime.threshold, true));
  Instruction* then = SplitBlockAndInsertIfThen(followed, &at, false);
  IRBuilder<> inside(then);
  give_position(inside, at);
  inside.CreateCall(runtime.access, {inside.getInt32(id), address});
}

void report_range(Runtime& runtime, MemIntrinsic& copy, bool store, std::uint32_t id) {
  IRBuilder<> builder(&copy);
  give_position(builder, copy);
  auto* transfer = dyn_cast<MemTransferInst>(&copy);
  Value* pointer = transfer && !store ? transfer->getRawSource() : copy.getRawDest();
  auto* i64 = builder.getInt64Ty();
  builder.CreateCall(runtime.range, {builder.getInt32(id), builder.CreatePtrToInt(pointer, i64),
                                     builder.CreateZExtOrTrunc(copy.getLength(), i64)});
}

// Few bytes are soon touched, and their number is known: it is enough to see them in bursts.
bool may_be_long(const MemIntrinsic& copy) {
  constexpr std::uint64_t few_bytes = 256;
  auto* length = dyn_cast<ConstantInt>(copy.getLength());
  return !length || length->getZExtValue() > few_bytes;
}

Value* pointer_of(Instruction& instruction, unsigned argument) {
  if (auto* call = dyn_cast<CallBase>(&instruction)) return call->getArgOperand(argument);
  if (auto* atomic = dyn_cast<AtomicRMWInst>(&instruction)) return atomic->getPointerOperand();
  return getLoadStorePointerOperand(&instruction);
}

void report_branch(Runtime& runtime, BranchInst& branch, std::uint32_t id) {
  IRBuilder<> builder(&branch);
  give_position(builder, branch);
  builder.CreateCall(runtime.branch, {builder.getInt32(id), builder.CreateZExt(branch.getCondition(), builder.getInt32Ty())});
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
  return is_choice(instruction) ? BranchKind::choice : is_division(instruction) ? BranchKind::division : BranchKind::branch;
}
// The quotient and the remainder of the same numbers come from one division.
bool divided_before(const Instruction& division) {
  for (const Instruction* before = division.getPrevNode(); before; before = before->getPrevNode())
    if (is_division(*before) && before->getOperand(0) == division.getOperand(0) && before->getOperand(1) == division.getOperand(1)) return true;
  return false;
}

// What the condition of a choice would be, were it a branch.
Value* condition_of(IRBuilder<>& builder, Instruction& choice) {
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

void report_choice(Runtime& runtime, Instruction& choice, std::uint32_t id) {
  IRBuilder<> builder(&choice);
  give_position(builder, choice);
  builder.CreateCall(runtime.choice, {builder.getInt32(id), builder.CreateZExt(condition_of(builder, choice), builder.getInt32Ty())});
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

// What a predictor may be wrong about: conditional branches, switches, calls and jumps through pointers, and what the code
// generator may make branches of.
std::vector<Instruction*> find_branches(Function& function) {
  std::vector<Instruction*> found;
  for (BasicBlock& block : function)
    for (Instruction& instruction : block) {
      auto* branch = dyn_cast<BranchInst>(&instruction);
      auto* call = dyn_cast<CallBase>(&instruction);
      if ((branch && branch->isConditional()) || isa<SwitchInst>(&instruction) || isa<IndirectBrInst>(&instruction) ||
          (call && call->isIndirectCall()) ||
          is_choice(instruction) || (is_division(instruction) && !divided_before(instruction)))
        found.push_back(&instruction);
    }
  return found;
}

void report_branch_like(Runtime& runtime, Instruction& instruction, std::uint32_t id) {
  if (auto* branch = dyn_cast<BranchInst>(&instruction)) report_branch(runtime, *branch, id);
  else if (auto* jump = dyn_cast<SwitchInst>(&instruction)) report_switch(runtime, *jump, id);
  else if (auto* jump = dyn_cast<IndirectBrInst>(&instruction)) report_target(runtime, *jump, *jump->getAddress(), id);
  else if (kind_of(instruction) != BranchKind::branch) report_choice(runtime, instruction, id);
  else report_target(runtime, instruction, *cast<CallBase>(instruction).getCalledOperand(), id);
}

void instrument(Function& function, Runtime& runtime, MemoryProfile& profile) {
  std::vector<FoundAccess> found = find_accesses(function);
  std::vector<Instruction*> branches = find_branches(function);
  std::vector<std::string> branch_blocks;
  for (const Instruction* branch : branches) branch_blocks.push_back(branch->getParent()->getName().str());
  std::vector<std::string> access_blocks;
  for (const FoundAccess& access : found) access_blocks.push_back(access.block->getName().str());

  ValueToValueMapTy slow;
  // What cannot be versioned reports always, and is not heard between bursts: slower, but not blind.
  const bool versions = make_versions(function, *runtime.flag, slow);
  auto slow_of = [&](Instruction* fast) { return versions ? dyn_cast_or_null<Instruction>(slow.lookup(fast)) : fast; };
  for (std::size_t i = 0; i < branches.size(); i++) {
    Instruction* branch = slow_of(branches[i]);
    if (!branch || (isa<BranchInst>(branch) && !cast<BranchInst>(branch)->isConditional())) continue;
    report_branch_like(runtime, *branch, static_cast<std::uint32_t>(profile.branches.size()));
    profile.branches.push_back({{function.getName().str(), branch_blocks[i]}, kind_of(*branch), 0, 0, 0});
  }
  for (std::size_t i = 0; i < found.size(); i++) {
    Instruction* copy = slow_of(found[i].instruction);
    if (!copy) continue;
    auto id = static_cast<std::uint32_t>(profile.accesses.size());
    if (found[i].access.store) id |= static_cast<std::uint32_t>(perfcast_is_store);
    AccessSite site;
    site.function = function.getName().str(), site.block = access_blocks[i], site.access = found[i].access;
    if (found[i].slot) {
      site.access.lines = {{0, 1, 0}};
    } else if (auto* memory = dyn_cast<MemIntrinsic>(copy)) {
      report_range(runtime, *memory, found[i].access.store, id);
      if (auto* fast = cast<MemIntrinsic>(found[i].instruction); fast != memory && may_be_long(*fast)) report_range(runtime, *fast, found[i].access.store, id);
    } else {
      report_access(runtime, *copy, pointer_of(*copy, found[i].argument), id);
    }
    profile.accesses.push_back(site);
  }
}

}  // namespace

void instrument(llvm::Module& module, MemoryProfile& profile) {
  Runtime runtime(module);
  std::vector<Function*> functions;
  for (Function& function : module)
    if (llvm_ir::has_code(function)) functions.push_back(&function);
  for (Function* function : functions) instrument(*function, runtime, profile);
}

}  // namespace perfcast::memory_profile
