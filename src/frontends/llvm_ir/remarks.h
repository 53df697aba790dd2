// What the compiler said while it made the final IR: loops it did not vectorise and why, calls it did not inline, loads
// it could not take out of a loop. Read from the record that clang and flang write beside the bitcode.
#pragma once

#include <vector>

#include "frontends/llvm_ir/compile.h"
#include "record/source_loop.h"

namespace perfcast::llvm_ir {

// Remarks about places in the program's own files, each once. A missing or unreadable record gives none.
std::vector<CompilerRemark> compiler_remarks(const CompiledProgram& program);

}  // namespace perfcast::llvm_ir
