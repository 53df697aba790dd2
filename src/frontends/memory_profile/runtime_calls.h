// The calls of the run-time library that the profiled program makes.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>

#include <vector>

namespace perfcast::memory_profile {

// What the run-time library offers (data/runtime/memory_profile.c).
struct Runtime {
  explicit Runtime(llvm::Module& module)
      : context(module.getContext()),
        flag(variable(module, "perfcast_burst", llvm::Type::getInt32Ty(context))),
        threshold(variable(module, "perfcast_threshold", llvm::Type::getInt64Ty(context))),
        offset(variable(module, "perfcast_offset", llvm::Type::getInt64Ty(context))),
        access(function(module, "perfcast_access", {llvm::Type::getInt32Ty(context), llvm::Type::getInt64Ty(context)})),
        range(function(module, "perfcast_range", {llvm::Type::getInt32Ty(context), llvm::Type::getInt64Ty(context), llvm::Type::getInt64Ty(context)})),
        branch(function(module, "perfcast_branch", {llvm::Type::getInt32Ty(context), llvm::Type::getInt32Ty(context)})),
        jump(function(module, "perfcast_jump", {llvm::Type::getInt32Ty(context), llvm::Type::getInt64Ty(context)})),
        choice(function(module, "perfcast_choice", {llvm::Type::getInt32Ty(context), llvm::Type::getInt32Ty(context)})),
        part(function(module, "perfcast_part", {llvm::Type::getInt32Ty(context), llvm::Type::getInt32Ty(context), llvm::Type::getInt32Ty(context)})),
        part_branch(function(module, "perfcast_part_branch", {llvm::Type::getInt32Ty(context), llvm::Type::getInt32Ty(context), llvm::Type::getInt32Ty(context)})) {}

  static llvm::GlobalVariable* variable(llvm::Module& module, const char* name, llvm::Type* type) {
    return llvm::cast<llvm::GlobalVariable>(module.getOrInsertGlobal(name, type));
  }
  static llvm::FunctionCallee function(llvm::Module& module, const char* name, std::vector<llvm::Type*> arguments) {
    auto callee = module.getOrInsertFunction(name, llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), arguments, false));
    llvm::cast<llvm::Function>(callee.getCallee())->addFnAttr(llvm::Attribute::NoUnwind);
    return callee;
  }
  llvm::LLVMContext& context;
  llvm::GlobalVariable *flag, *threshold, *offset;
  llvm::FunctionCallee access, range, branch, jump, choice, part, part_branch;
};

// A call inside a function with debug information needs a position of its own.
inline void give_position(llvm::IRBuilder<>& builder, const llvm::Instruction& beside) {
  if (beside.getDebugLoc()) return;
  if (llvm::DISubprogram* scope = beside.getFunction()->getSubprogram())
    builder.SetCurrentDebugLocation(llvm::DILocation::get(beside.getContext(), 0, 0, scope));
}

}  // namespace perfcast::memory_profile
