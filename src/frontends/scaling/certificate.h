// ScalarEvolution as a witness: where the compiler's own analysis of the loops around a block gives the same number of
// executions as the interpolated form, the count is not only seen to fit but proved.
#pragma once

#include <map>
#include <string>

#include "frontends/llvm_ir/compile.h"
#include "record/profile.h"

namespace perfcast::scaling {

// Marks counts whose forms the compiler confirms as proved; machine blocks follow the IR block they come from.
void certify(const llvm_ir::CompiledProgram& program, const std::map<std::string, int>& parameters, Graph& ir, Graph* machine);

}  // namespace perfcast::scaling
