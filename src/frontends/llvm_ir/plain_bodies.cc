#include "frontends/llvm_ir/plain_bodies.h"

#include <llvm/Transforms/Utils/Cloning.h>

#include "frontends/llvm_ir/module.h"

namespace perfcast::llvm_ir {
namespace {

constexpr const char* plain_mark = ".run_plainly";

std::vector<llvm::CallBase*> plain_calls_of(llvm::Function& body) {
  std::vector<llvm::CallBase*> calls;
  for (llvm::User* user : body.users())
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(user); call && call->getCalledOperand() == &body) calls.push_back(call);
  return calls;
}

}  // namespace

Status separate_plain_bodies(CompiledProgram& program) {
  for (Unit& unit : program.units) {
    TRY(LoadedModule loaded, load_module(unit.final_bitcode));
    std::vector<llvm::Function*> bodies;
    for (llvm::Function& function : *loaded.module)
      if (!function.isDeclaration() && starter_of(function) && !plain_calls_of(function).empty()) bodies.push_back(&function);
    if (bodies.empty()) continue;
    for (llvm::Function* body : bodies) {
      const std::vector<llvm::CallBase*> calls = plain_calls_of(*body);
      llvm::ValueToValueMapTy values;
      llvm::Function* copy = llvm::CloneFunction(body, values);
      copy->setName(body->getName() + plain_mark), copy->setLinkage(llvm::GlobalValue::InternalLinkage);
      for (llvm::CallBase* call : calls) call->setCalledFunction(copy);
    }
    unit.final_bitcode += plain_mark;
    CHECK_OK(save_module(*loaded.module, unit.final_bitcode));
  }
  return {};
}

std::string without_plain_mark(const std::string& function) { return function.substr(0, function.find(plain_mark)); }

}  // namespace perfcast::llvm_ir
