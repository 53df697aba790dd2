// The longest chain of dependent operations that leads from one iteration of a loop to the next: what keeps a core with
// endless resources from starting all iterations at once. Chains run through registers (phis) and, in unoptimised code,
// through the stack slots of variables; such a step counts as "forward.TYPE": a store and the load that waits for it.
#pragma once

#include <llvm/Analysis/LoopInfo.h>

#include <map>
#include <string>

namespace perfcast::llvm_ir {

// Operations on the chain, per iteration, in the vocabulary of ir_usage.h. Empty when only an induction variable is
// carried that costs one add.
std::map<std::string, double> recurrence_of(const llvm::Loop& loop);

}  // namespace perfcast::llvm_ir
