// What the addresses of loads and stores depend on, from the machine code alone: registers are followed back to their
// definitions inside the innermost loop, and through stack slots, which unoptimised code passes every value through. The
// same kinds that frontends/memory_profile/accesses.h reads off the IR.
#pragma once

#include <vector>

#include "record/profile.h"

namespace perfcast::machine_code {

// Fills `kind` and `chain` of the accesses of a function whose loops are known.
void find_address_kinds(Function& function, const std::vector<InstructionForm>& forms);

}  // namespace perfcast::machine_code
