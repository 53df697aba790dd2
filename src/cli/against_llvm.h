// Measured instructions against LLVM's tables of the machine's own processor, where LLVM is part of this build and knows it.
#pragma once

#include "methods/characterize/instructions/against_llvm.h"
#include "record/machine.h"

namespace perfcast::cli {

// The machine has a core.
Result<instructions::AgainstLlvm> against_llvm(const Machine& machine);
Json against_llvm_json(const Machine& machine, const instructions::AgainstLlvm& result);

}  // namespace perfcast::cli
