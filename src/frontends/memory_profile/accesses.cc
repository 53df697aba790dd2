#include "frontends/memory_profile/accesses.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <map>
#include <set>

namespace perfcast::memory_profile {
// The names of the records mean LLVM's here.
using llvm::Function, llvm::Instruction, llvm::Loop;
namespace {

using namespace llvm;
using Loads = std::set<LoadInst*>;

// A scalar variable on the stack: no address of its own is computed to reach it.
AllocaInst* stack_slot(Value* address) {
  auto* slot = dyn_cast<AllocaInst>(address);
  return slot && slot->isStaticAlloca() && !slot->getAllocatedType()->isAggregateType() ? slot : nullptr;
}

// Loads inside the loop that `value` is computed from, not looking through loads.
void loads_behind(Value* value, const Loop* loop, std::set<Value*>& seen, Loads& loads) {
  auto* instruction = dyn_cast<Instruction>(value);
  if (!instruction || !seen.insert(value).second || (loop && !loop->contains(instruction))) return;
  if (auto* load = dyn_cast<LoadInst>(instruction)) {
    // Unoptimised code passes every value through a stack slot: what is stored there is what is loaded.
    if (AllocaInst* slot = stack_slot(load->getPointerOperand())) {
      for (User* user : slot->users())
        if (auto* store = dyn_cast<StoreInst>(user); store && store->getPointerOperand() == slot && (!loop || loop->contains(store)))
          loads_behind(store->getValueOperand(), loop, seen, loads);
    } else {
      loads.insert(load);
    }
    return;
  }
  if (isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction)) return;
  for (Value* operand : instruction->operands())
    if (!isa<BasicBlock>(operand)) loads_behind(operand, loop, seen, loads);
}

// What address depends on what load, within the innermost loop of each.
class Dependences {
 public:
  Dependences(Function& function, const LoopInfo& loops) {
    for (BasicBlock& block : function)
      for (Instruction& instruction : block)
        if (auto* load = dyn_cast<LoadInst>(&instruction)) behind_[load] = direct(load->getPointerOperand(), loops.getLoopFor(&block));
    for (auto& [load, ignored] : behind_)
      if (reachable(behind_[load]).count(load)) chasing_.insert(load);
  }

  void classify(Access& access, Value* address, LoadInst* self, const Loop* loop) {
    Loads direct_loads = direct(address, loop);
    Loads all = reachable(direct_loads);
    bool on_chase = false;
    for (LoadInst* load : all) on_chase = on_chase || chasing_.count(load);
    access.kind = self && chasing_.count(self) ? AddressKind::chase
                  : on_chase                   ? AddressKind::dependent
                  : !all.empty()               ? AddressKind::indexed
                                               : AddressKind::regular;
    access.chain = depth(direct_loads, 0);
  }

 private:
  static Loads direct(Value* address, const Loop* loop) {
    Loads loads;
    std::set<Value*> seen;
    if (loop) loads_behind(address, loop, seen, loads);
    return loads;
  }
  Loads reachable(const Loads& from) {
    Loads found;
    std::vector<LoadInst*> open(from.begin(), from.end());
    while (!open.empty()) {
      LoadInst* load = open.back();
      open.pop_back();
      if (found.insert(load).second)
        for (LoadInst* next : behind_[load]) open.push_back(next);
    }
    return found;
  }
  // Loads one after the other that the address waits for; a chase counts once.
  int depth(const Loads& loads, int so_far) {
    int deepest = so_far;
    if (so_far < 8)
      for (LoadInst* load : loads) deepest = std::max(deepest, chasing_.count(load) ? so_far + 1 : depth(behind_[load], so_far + 1));
    return deepest;
  }

  std::map<LoadInst*, Loads> behind_;
  Loads chasing_;
};

// What a routine of the C library reads first of all, by the place of its argument: comparing strings that lie anywhere is
// waiting for their first lines.
std::vector<unsigned> strings_read_by(const CallBase& call) {
  static const std::map<StringRef, std::vector<unsigned>> routines = {
      {"memcmp", {0, 1}}, {"bcmp", {0, 1}}, {"strcmp", {0, 1}}, {"strncmp", {0, 1}}, {"strcasecmp", {0, 1}}, {"strncasecmp", {0, 1}}, {"strcoll", {0, 1}},
      {"strstr", {0, 1}}, {"memchr", {0}}, {"strlen", {0}}, {"strnlen", {0}}, {"strchr", {0}}, {"strrchr", {0}}, {"strspn", {0}}, {"strcspn", {0}}, {"strpbrk", {0}},
      {"strdup", {0}}, {"strcpy", {1}}, {"strncpy", {1}}, {"stpcpy", {1}}, {"strcat", {0, 1}}, {"strtol", {0}}, {"strtoul", {0}}, {"strtoll", {0}},
      {"strtoull", {0}}, {"strtod", {0}}, {"strtof", {0}}, {"atoi", {0}}, {"atol", {0}}, {"atoll", {0}}, {"atof", {0}}};
  const Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration()) return {};
  auto found = routines.find(callee->getName());
  if (found == routines.end() || found->second.back() >= call.arg_size() || !call.getArgOperand(found->second.back())->getType()->isPointerTy()) return {};
  return found->second;
}

}  // namespace

std::vector<FoundAccess> find_accesses(Function& function) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  Dependences dependences(function, loops);
  const DataLayout& layout = function.getParent()->getDataLayout();
  std::vector<FoundAccess> found;
  for (BasicBlock& block : function) {
    int index = 0;
    const Loop* loop = loops.getLoopFor(&block);
    auto add = [&](Instruction& instruction, bool store, std::uint64_t bytes, Value* address, bool range) {
      FoundAccess access{&instruction, &block, {}, range, stack_slot(address) != nullptr};
      access.access.index = index++;
      access.access.store = store;
      access.access.bytes = static_cast<int>(bytes);
      if (const DebugLoc& at = instruction.getDebugLoc()) access.access.line = static_cast<int>(at.getLine());
      dependences.classify(access.access, address, dyn_cast<LoadInst>(&instruction), loop);
      found.push_back(access);
    };
    for (Instruction& instruction : block) {
      if (auto* load = dyn_cast<LoadInst>(&instruction))
        add(instruction, false, layout.getTypeStoreSize(load->getType()).getKnownMinValue(), load->getPointerOperand(), false);
      else if (auto* store = dyn_cast<StoreInst>(&instruction))
        add(instruction, true, layout.getTypeStoreSize(store->getValueOperand()->getType()).getKnownMinValue(), store->getPointerOperand(), false);
      else if (auto* atomic = dyn_cast<AtomicRMWInst>(&instruction))
        add(instruction, true, layout.getTypeStoreSize(atomic->getType()).getKnownMinValue(), atomic->getPointerOperand(), false);
      else if (auto* copy = dyn_cast<MemIntrinsic>(&instruction)) {
        if (auto* transfer = dyn_cast<MemTransferInst>(copy)) add(instruction, false, 64, transfer->getRawSource(), true);
        add(instruction, true, 64, copy->getRawDest(), true);
      } else if (auto* call = dyn_cast<CallBase>(&instruction)) {
        for (unsigned argument : strings_read_by(*call)) {
          add(instruction, false, 64, call->getArgOperand(argument), false);
          found.back().argument = argument;
        }
      }
    }
  }
  return found;
}

}  // namespace perfcast::memory_profile
