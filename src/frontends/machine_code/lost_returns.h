// Returns that a core mispredicts because it has forgotten where to. Cores predict returns by a stack of the last calls'
// addresses; below a call more may nest than it has entries, and then its own address is overwritten. Like the simulated
// predictor of branches, this stack is that of a modern core, whatever the machine.
#pragma once

#include <vector>

#include "frontends/llvm_ir/counts.h"
#include "record/profile.h"

namespace perfcast::machine_code {

// Entries of the stack: measured on Golden Cove, where calls nested 20 deep return as predicted, and of 24 some do not.
// Older cores have 16, others up to 32.
constexpr int return_stack_entries = 20;

// Adds them to the mispredictions of the blocks that end in a return, in proportion to their executions.
void add_lost_returns(const std::vector<llvm_ir::UnitCounts>& counts, const std::vector<InstructionForm>& forms, Graph& machine);

}  // namespace perfcast::machine_code
