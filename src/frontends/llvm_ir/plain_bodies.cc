#include "frontends/llvm_ir/plain_bodies.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>

#include "frontends/llvm_ir/module.h"

namespace perfcast::llvm_ir {
namespace {

constexpr const char* plain_mark = ".run_plainly";

bool calls_routine(const llvm::Instruction& instruction, llvm::StringRef routine) {
  auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == routine;
}

// How many threads the clause before a region asks for; nullptr: it has none.
llvm::Value* threads_asked_for(const llvm::CallBase& starter) {
  constexpr unsigned number = 2;  // argument of the routine
  for (const llvm::Instruction* before = starter.getPrevNode(); before; before = before->getPrevNode()) {
    if (calls_routine(*before, "__kmpc_push_num_threads")) return llvm::cast<llvm::CallBase>(before)->getArgOperand(number);
    if (calls_routine(*before, "__kmpc_fork_call")) return nullptr;
  }
  return nullptr;
}

// Where a body is run by one thread alone: by calls of it, or by the run-time library where a condition says so.
struct PlainUses {
  std::vector<llvm::CallBase*> calls;
  std::vector<llvm::CallBase*> conditional;  // the library is told the condition (flang)
  std::vector<llvm::CallBase*> counted;      // a clause tells the number of threads
  bool empty() const { return calls.empty() && conditional.empty() && counted.empty(); }
};

PlainUses plain_uses_of(llvm::Function& body) {
  PlainUses uses;
  for (llvm::User* user : body.users()) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    if (!call) continue;
    if (call->getCalledOperand() == &body) uses.calls.push_back(call);
    else if (calls_routine(*call, "__kmpc_fork_call_if")) uses.conditional.push_back(call);
    else if (calls_routine(*call, "__kmpc_fork_call") && threads_asked_for(*call)) uses.counted.push_back(call);
  }
  // One thread each time: a region, of one thread.
  auto always_one = [](const llvm::CallBase* starter) {
    auto* number = llvm::dyn_cast<llvm::ConstantInt>(threads_asked_for(*starter));
    return number && number->isOne();
  };
  if (uses.calls.empty() && uses.conditional.empty() && std::ranges::all_of(uses.counted, always_one)) uses.counted.clear();
  return uses;
}

void use_copy(const PlainUses& uses, llvm::Function& body, llvm::Function& copy) {
  constexpr unsigned microtask = 2, condition = 3;  // arguments of the routines that start regions
  for (llvm::CallBase* call : uses.calls) call->setCalledFunction(&copy);
  for (llvm::CallBase* call : uses.conditional) {
    llvm::IRBuilder<> builder(call);
    llvm::Value* holds = builder.CreateIsNotNull(call->getArgOperand(condition));
    call->setArgOperand(microtask, builder.CreateSelect(holds, &body, &copy));
  }
  for (llvm::CallBase* call : uses.counted) {
    llvm::IRBuilder<> builder(call);
    llvm::Value* number = threads_asked_for(*call);
    llvm::Value* alone = builder.CreateICmpEQ(number, llvm::ConstantInt::get(number->getType(), 1));
    call->setArgOperand(microtask, builder.CreateSelect(alone, &copy, &body));
  }
}

}  // namespace

Status separate_plain_bodies(CompiledProgram& program) {
  for (Unit& unit : program.units) {
    TRY(LoadedModule loaded, load_module(unit.final_bitcode));
    std::vector<llvm::Function*> bodies;
    for (llvm::Function& function : *loaded.module)
      if (!function.isDeclaration() && starter_of(function) && !plain_uses_of(function).empty()) bodies.push_back(&function);
    if (bodies.empty()) continue;
    for (llvm::Function* body : bodies) {
      const PlainUses uses = plain_uses_of(*body);
      llvm::ValueToValueMapTy values;
      llvm::Function* copy = llvm::CloneFunction(body, values);
      copy->setName(body->getName() + plain_mark), copy->setLinkage(llvm::GlobalValue::InternalLinkage);
      use_copy(uses, *body, *copy);
    }
    unit.final_bitcode += plain_mark;
    CHECK_OK(save_module(*loaded.module, unit.final_bitcode));
  }
  return {};
}

std::string without_plain_mark(const std::string& function) { return function.substr(0, function.find(plain_mark)); }

}  // namespace perfcast::llvm_ir
