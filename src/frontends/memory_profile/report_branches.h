// What a predictor may be wrong about, reported to the run-time library where it happens.
#pragma once

#include <vector>

#include "frontends/memory_profile/memory_profile.h"
#include "frontends/memory_profile/runtime_calls.h"

namespace perfcast::memory_profile {

// Conditional branches, switches, calls and jumps through pointers, and what the code generator may make branches of.
std::vector<llvm::Instruction*> find_branches(llvm::Function& function);

// Reports one of them, and the parts of its condition; their sites are added to those known. `made`: what is known
// to be a branch in the end.
void report_branch(Runtime& runtime, llvm::Instruction& branch, const Site& here, const MadeBranches& made, std::vector<BranchSite>& sites);

}  // namespace perfcast::memory_profile
