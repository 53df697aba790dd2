#include "frontends/memory_profile/versions.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <vector>

namespace perfcast::memory_profile {
// The names of the records mean LLVM's here.
using llvm::Function, llvm::Instruction, llvm::Loop;
namespace {

using namespace llvm;

bool can_be_versioned(const Function& function) {
  if (function.callsFunctionThatReturnsTwice()) return false;
  for (const BasicBlock& block : function) {
    if (block.hasAddressTaken() || isa<IndirectBrInst>(block.getTerminator()) || isa<CallBrInst>(block.getTerminator()))
      return false;
    // Only landing pads, the exceptions of Linux, are cloned below.
    if (block.isEHPad() && !block.isLandingPad()) return false;
    for (const Instruction& instruction : block)
      if (instruction.getType()->isTokenTy()) return false;
  }
  return true;
}

// The edges where the version may change, noted before any block is copied.
struct LoopEdges {
  BasicBlock* header;
  std::vector<BasicBlock*> entering, latches;
  bool innermost;
};

std::vector<LoopEdges> find_loops(Function& function) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  std::vector<LoopEdges> found;
  for (Loop* loop : loops.getLoopsInPreorder()) {
    LoopEdges edges{loop->getHeader(), {}, {}, loop->isInnermost()};
    if (edges.header->isEHPad()) continue;
    for (BasicBlock* before : predecessors(edges.header)) {
      auto& list = loop->contains(before) ? edges.latches : edges.entering;
      if (std::find(list.begin(), list.end(), before) == list.end()) list.push_back(before);
    }
    // An invoke's edge cannot be redirected through a block of ours on one side only.
    bool plain = true;
    for (auto* list : {&edges.entering, &edges.latches})
      for (BasicBlock* block : *list) plain = plain && !isa<InvokeInst>(block->getTerminator());
    if (plain) found.push_back(std::move(edges));
  }
  return found;
}

// The entry keeps the allocas; the rest of it becomes the first block that has two versions.
BasicBlock* split_entry(Function& function) {
  BasicBlock& entry = function.getEntryBlock();
  std::vector<AllocaInst*> late;
  Instruction* first = nullptr;
  for (Instruction& instruction : entry) {
    auto* alloca = dyn_cast<AllocaInst>(&instruction);
    if (!alloca && !first) first = &instruction;
    if (alloca && first && alloca->isStaticAlloca()) late.push_back(alloca);
  }
  for (AllocaInst* alloca : late) alloca->moveBefore(first);
  entry.splitBasicBlock(first->getIterator(), "perfcast.body");
  return &entry;
}

// Values that cross blocks go through stack slots, so that both versions can use them; promoted back afterwards.
std::vector<AllocaInst*> demote_crossing_values(Function& function, BasicBlock* entry) {
  std::vector<AllocaInst*> slots;
  auto place = entry->getTerminator()->getIterator();
  std::vector<Instruction*> crossing;
  for (BasicBlock& block : function)
    if (&block != entry)
      for (Instruction& instruction : block)
        if (any_of(instruction.users(), [&](User* user) {
              return cast<Instruction>(user)->getParent() != &block || isa<PHINode>(user);
            }))
          crossing.push_back(&instruction);
  for (Instruction* instruction : crossing)
    if (AllocaInst* slot = DemoteRegToStack(*instruction, false, place)) slots.push_back(slot);
  std::vector<PHINode*> phis;
  for (BasicBlock& block : function)
    for (PHINode& phi : block.phis()) phis.push_back(&phi);
  for (PHINode* phi : phis)
    if (AllocaInst* slot = DemotePHIToStack(phi, place)) slots.push_back(slot);
  return slots;
}

}  // namespace

bool make_versions(Function& function, GlobalVariable& flag, ValueToValueMapTy& slow) {
  if (!can_be_versioned(function)) return false;
  LLVMContext& context = function.getContext();
  MDNode* rarely = MDBuilder(context).createBranchWeights(1, 100000);
  BasicBlock* entry = split_entry(function);
  std::vector<LoopEdges> loops = find_loops(function);
  std::vector<AllocaInst*> slots = demote_crossing_values(function, entry);

  std::vector<BasicBlock*> fast;
  for (BasicBlock& block : function)
    if (&block != entry) fast.push_back(&block);
  SmallVector<BasicBlock*, 32> copies;
  for (BasicBlock* block : fast) {
    BasicBlock* copy = CloneBasicBlock(block, slow, ".slow", &function);
    slow[block] = copy;
    copies.push_back(copy);
  }
  remapInstructionsInBlocks(copies, slow);

  auto slow_of = [&](BasicBlock* block) { return cast<BasicBlock>(slow[block]); };
  auto in_burst = [&](IRBuilder<>& builder) {
    auto* value = builder.CreateLoad(builder.getInt32Ty(), &flag, true);
    return builder.CreateICmpNE(value, builder.getInt32(0));
  };
  auto dispatcher = [&](BasicBlock* to) {
    BasicBlock* block = BasicBlock::Create(context, "perfcast.choose", &function, to);
    IRBuilder<> builder(block);
    builder.CreateCondBr(in_burst(builder), slow_of(to), to, rarely);
    return block;
  };
  // Loops first, while their edges are those that were noted; then the entry.
  for (const LoopEdges& loop : loops) {
    BasicBlock* choose = dispatcher(loop.header);
    for (BasicBlock* block : loop.entering) {
      if (block != entry) slow_of(block)->getTerminator()->replaceSuccessorWith(slow_of(loop.header), choose);
      block->getTerminator()->replaceSuccessorWith(loop.header, choose);
    }
    for (BasicBlock* block : loop.latches) {
      slow_of(block)->getTerminator()->replaceSuccessorWith(slow_of(loop.header), choose);
      if (!loop.innermost) {
        block->getTerminator()->replaceSuccessorWith(loop.header, choose);
        continue;
      }
      // The fast innermost loop keeps its own back edge, with one look at the flag on it.
      BasicBlock* check = BasicBlock::Create(context, "perfcast.check", &function, loop.header);
      IRBuilder<> builder(check);
      builder.CreateCondBr(in_burst(builder), choose, loop.header, rarely);
      block->getTerminator()->replaceSuccessorWith(loop.header, check);
    }
  }
  auto* first = cast<BranchInst>(entry->getTerminator());
  if (BasicBlock* body = first->getSuccessor(0); slow.count(body)) first->setSuccessor(0, dispatcher(body));

  DominatorTree dominators(function);
  std::vector<AllocaInst*> promotable;
  for (AllocaInst* slot : slots)
    if (isAllocaPromotable(slot)) promotable.push_back(slot);
  PromoteMemToReg(promotable, dominators);
  return true;
}

}  // namespace perfcast::memory_profile
