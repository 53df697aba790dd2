// Bitcode files as LLVM modules, and the two things every reader needs: names for all blocks, and which functions have
// a body here. The only header of this folder that shows LLVM; heavy, so include it in few files.
#pragma once

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>

#include "base/result.h"
#include "frontends/llvm_ir/compile.h"

namespace perfcast::llvm_ir {

struct LoadedModule {
  std::unique_ptr<llvm::LLVMContext> context;  // outlives the module
  std::unique_ptr<llvm::Module> module;
};

Result<LoadedModule> load_module(const std::string& bitcode);
Status save_module(const llvm::Module& module, const std::string& bitcode);

// A body that becomes code in this unit (not a copy kept for inlining only).
bool has_code(const llvm::Function& function);

// Gives every nameless block a name, unique in its function and the same each time.
void name_blocks(llvm::Module& module);

// Makes a module for a CPU that this host is not (or that qemu does not know: AVX-512) run here all the same: its
// functions are compiled for what is at hand, from the same IR, so that blocks and counts stay. Tells whether anything
// had to be changed; an error when the IR speaks of instructions that nothing else can do. `runs_on`: code of this host's
// instruction set may run under qemu too.
Result<bool> lower_features(llvm::Module& module, RunsOn runs_on = RunsOn::at_hand);

// Uses of thread libraries: the program may run more than one thread.
bool uses_threads(const llvm::Module& module);

// The call that starts the parallel region whose body this function is; nullptr where it is none.
const llvm::CallBase* starter_of(const llvm::Function& function);

// Gives the calls that start parallel regions the line of the directive, where the body has none: flang gives all of them one
// line, and the run-time library tells regions apart by it.
void place_regions(llvm::Module& module);

// Names the blocks of a bitcode file and places its parallel regions; tells whether it uses threads.
Result<bool> finish_bitcode(const std::string& bitcode);

std::string llvm_version();

}  // namespace perfcast::llvm_ir
