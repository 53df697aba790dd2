// What the counts of IR blocks say about machine blocks, put as a flow problem. A machine block claims the count of its
// IR block unless the shapes tell that it was copied into a predecessor, merged with another or cut into pieces.
#pragma once

#include <vector>

#include "frontends/llvm_ir/counts.h"
#include "frontends/machine_code/codegen.h"
#include "frontends/machine_code/flow.h"

namespace perfcast::machine_code {

// `unlikely`: blocks the code generator added for a rare case (a call of sqrt for negative numbers).
FlowProblem claims_of(const std::vector<MachineBlockOrigin>& blocks, const llvm_ir::FunctionCounts& counts,
                      const std::vector<bool>& unlikely = {});

}  // namespace perfcast::machine_code
