// Which loads and stores a function has, and what their addresses depend on.
#pragma once

#include <llvm/IR/Function.h>

#include <vector>

#include "record/access.h"

namespace perfcast::memory_profile {

struct FoundAccess {
  llvm::Instruction* instruction = nullptr;
  llvm::BasicBlock* block = nullptr;
  Access access;       // index, store, bytes, line, kind, chain
  bool range = false;  // a memory-copying intrinsic: touches many lines at once
  bool slot = false;   // a scalar on the stack, as unoptimised code keeps all of them: always at hand
  unsigned argument = 0;  // a call of a library routine: of the string it reads
};

// In the order of the IR. A copying intrinsic counts twice, as a load (first) and a store.
std::vector<FoundAccess> find_accesses(llvm::Function& function);

}  // namespace perfcast::memory_profile
