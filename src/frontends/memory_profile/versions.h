// Two versions of a function's code in one function: a fast one, which is the code as it was plus a look at a flag on
// its loop edges, and a slow one, which a profile can instrument freely. Execution may change version at the function's
// entry, on entering a loop, and on every iteration of an innermost loop.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace perfcast::memory_profile {

// False: the function cannot be versioned (indirect branches, setjmp) and was left as it is. Otherwise `slow` maps
// every instruction and block of the fast version to its slow copy.
bool make_versions(llvm::Function& function, llvm::GlobalVariable& flag, llvm::ValueToValueMapTy& slow);

}  // namespace perfcast::memory_profile
