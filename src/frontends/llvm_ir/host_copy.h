// A program compiled for another instruction set, made to run here: its IR, recompiled for this host, has the same blocks
// and executes them as often, 3 to 14 times faster than under qemu-user. Only what passes a static check: nothing whose
// meaning depends on the target's calling convention or layouts. The machine code that is analysed stays the target's.
#pragma once

#include "frontends/llvm_ir/compile.h"

namespace perfcast::llvm_ir {

// The copy, or why it cannot be made: variable arguments taken apart in the program, long double, scalable vectors, inline
// assembly, intrinsics of the target, setjmp, signals, threads, and whatever in the sources means another thing to this
// host (same_meaning.h): structures and constants of the system, arguments passed otherwise.
Result<CompiledProgram> copy_for_this_host(const CompiledProgram& program);

}  // namespace perfcast::llvm_ir
