// Whether runs of a program that take place at the same time leave each other alone.
#pragma once

#include "frontends/llvm_ir/compile.h"

namespace perfcast::llvm_ir {

// It calls nothing that opens files, starts programs, or reaches others by the system, and no library we do not know: what
// one run leaves behind, another does not meet. In doubt, no.
bool runs_apart(const CompiledProgram& program);

}  // namespace perfcast::llvm_ir
