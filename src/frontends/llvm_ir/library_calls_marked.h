// Which library routine a counted program is in. Around each call of a routine that has no body here a word of the
// counters' file says so; whoever reads it now and then learns how long the program is in which. A store or two each call,
// and nothing is stopped or asked.
#pragma once

#include <llvm/IR/Module.h>

#include <set>
#include <string>
#include <vector>

namespace perfcast::llvm_ir {

// The word of the counters' array that holds the number of the routine, from 1; 0: in none.
constexpr int routine_word = 7;

// Marks the calls of a module whose counters were inserted, for one thread; returns the routines in the order of their
// numbers. `own`: what the program defines itself.
std::vector<std::string> mark_library_calls(llvm::Module& module, const std::set<std::string>& own);

}  // namespace perfcast::llvm_ir
