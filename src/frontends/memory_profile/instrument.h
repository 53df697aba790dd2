// The profiled version of one module.
#pragma once

#include <llvm/IR/Module.h>

#include "frontends/memory_profile/memory_profile.h"

namespace perfcast::memory_profile {

// Adds two versions to every function that can have them and reports from the slow one; appends the module's sites
// to `profile`, whose sizes are the first numbers given out here.
void instrument(llvm::Module& module, const MadeBranches& made, MemoryProfile& profile);

}  // namespace perfcast::memory_profile
