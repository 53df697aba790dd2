// A parallel region whose condition does not hold, or which asks for one thread this time, is run by the thread that comes to it: clang calls the
// body plainly, flang leaves it to the run-time library. For counting, these get a copy of the body of their own: then what ran
// plainly and what threads shared are counted apart.
#pragma once

#include <string>

#include "frontends/llvm_ir/compile.h"

namespace perfcast::llvm_ir {

// In the final bitcode of all units, which becomes another file where there is anything to separate.
Status separate_plain_bodies(CompiledProgram& program);

// The name of the function that a copy was made of; the name itself where it is none.
std::string without_plain_mark(const std::string& function);

}  // namespace perfcast::llvm_ir
