#include "frontends/llvm_ir/call_heights.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <map>
#include <vector>

#include "frontends/llvm_ir/module.h"

namespace perfcast::llvm_ir {
namespace {

using llvm::IRBuilder;
using llvm::Value;

std::string type_of(const llvm::FunctionType& type) {  // modules have contexts of their own
  std::string text;
  llvm::raw_string_ostream out(text);
  type.print(out);
  return text;
}

// The call that takes this return's place, if the code generator is allowed to make it a jump.
llvm::CallInst* tail_call(const llvm::ReturnInst& end) {
  auto* before = const_cast<llvm::Instruction*>(end.getPrevNonDebugInstruction());
  auto* call = llvm::dyn_cast_or_null<llvm::CallInst>(before);
  if (!call || !call->isTailCall() || call->isInlineAsm()) return nullptr;
  if (call->isMustTailCall()) return call;
  if (end.getFunction()->getFnAttribute("disable-tail-calls").getValueAsBool()) return nullptr;
  if (const auto* callee = call->getCalledFunction(); callee && callee->isIntrinsic()) return nullptr;
  return !end.getReturnValue() || end.getReturnValue() == call ? call : nullptr;
}

}  // namespace

RecursiveFunctions::Key RecursiveFunctions::key(const llvm::Function& function) {
  return {function.hasLocalLinkage() ? function.getParent() : nullptr, function.getName().str()};
}

RecursiveFunctions::RecursiveFunctions(std::span<llvm::Module* const> modules) {
  std::map<Key, std::set<Key>> calls;
  std::map<std::string, std::set<Key>> by_type;  // functions whose address is taken
  std::map<Key, std::set<std::string>> through_pointers;
  for (const llvm::Module* module : modules)
    for (const auto& function : *module) {
      if (function.hasAddressTaken()) by_type[type_of(*function.getFunctionType())].insert(key(function));
      if (!has_code(function)) continue;
      auto& own = calls[key(function)];
      for (const auto& instruction : llvm::instructions(function)) {
        const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (!call || call->isInlineAsm()) continue;
        const Value* operand = call->getCalledOperand()->stripPointerCastsAndAliases();
        if (const auto* callee = llvm::dyn_cast<llvm::Function>(operand)) own.insert(key(*callee));
        else through_pointers[key(function)].insert(type_of(*call->getFunctionType()));
      }
    }
  for (const auto& [caller, types] : through_pointers)
    for (const auto& type : types) calls[caller].insert(by_type[type].begin(), by_type[type].end());

  // What calls none of the rest, and then what none of the rest calls, is on no cycle.
  for (const auto& [caller, callees] : calls) found_.insert(caller);
  for (bool changed = true; changed;) {
    std::set<Key> called;
    for (const Key& caller : found_)
      for (const Key& callee : calls[caller])
        if (found_.contains(callee)) called.insert(callee);
    changed = std::erase_if(found_, [&](const Key& function) {
      return !called.contains(function) || std::ranges::none_of(calls[function], [&](const Key& callee) { return found_.contains(callee); });
    }) > 0;
  }
}

void track_heights(llvm::Function& function, const std::function<void(IRBuilder<>&, Value*)>& count) {
  llvm::Module& module = *function.getParent();
  IRBuilder<> build(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  llvm::Type* word = build.getInt64Ty();
  auto* shared = llvm::cast<llvm::GlobalVariable>(module.getOrInsertGlobal("__perfcast_calls", llvm::ArrayType::get(word, 2)));
  shared->setThreadLocalMode(llvm::GlobalValue::LocalExecTLSModel);
  auto address = [&](IRBuilder<>& at, unsigned which) {
    return at.CreateConstInBoundsGEP2_64(shared->getValueType(), at.CreateThreadLocalAddress(shared), 0, which);
  };
  auto depth = [&](IRBuilder<>& at) { return address(at, 0); };
  auto deepest = [&](IRBuilder<>& at) { return address(at, 1); };

  Value* before = build.CreateLoad(word, deepest(build), "deepest.before");
  Value* own = build.CreateAdd(build.CreateLoad(word, depth(build)), build.getInt64(1), "depth");
  build.CreateStore(own, depth(build));
  build.CreateStore(own, deepest(build));

  auto leave = [&](IRBuilder<>& at, Value* reached) {
    at.CreateStore(at.CreateSelect(at.CreateICmpSGT(before, reached), before, reached), deepest(at));
    at.CreateStore(at.CreateSub(own, at.getInt64(1)), depth(at));
  };
  std::vector<llvm::ReturnInst*> returns;
  for (auto& block : function) {
    if (auto* end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator())) returns.push_back(end);
    if (!block.isLandingPad()) continue;
    IRBuilder<> at(&*block.getFirstInsertionPt());
    at.CreateStore(own, depth(at));
  }
  const auto rare = llvm::MDBuilder(function.getContext()).createBranchWeights(1, 1 << 10);
  for (llvm::ReturnInst* end : returns) {
    if (auto* call = tail_call(*end)) {
      IRBuilder<> at(call);
      leave(at, at.CreateLoad(word, deepest(at)));
      continue;
    }
    IRBuilder<> at(end);
    Value* reached = at.CreateLoad(word, deepest(at), "deepest");
    leave(at, reached);
    Value* height = at.CreateSub(reached, own, "height");
    Value* high = at.CreateICmpSGE(height, at.getInt64(least_height));
    IRBuilder<> then(llvm::SplitBlockAndInsertIfThen(high, end, false, rare));
    Value* last = then.getInt64(most_height);
    Value* number = then.CreateSelect(then.CreateICmpSLT(height, last), height, last);
    count(then, then.CreateSub(number, then.getInt64(least_height)));
  }
}

}  // namespace perfcast::llvm_ir
