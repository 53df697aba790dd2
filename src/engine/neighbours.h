// What others on the same core usually take of a program's time. A machine that is shared says by how much they slow code
// that uses all the core has (SystemCosts::core_sharing); code that waits loses less of it.
#pragma once

#include "engine/compiled_cost.h"

namespace perfcast::engine {

// By how much others on the core usually slow it; 0 where the machine file does not tell.
Measurement usual_sharing(const Machine& machine);

// Nanoseconds they take of the whole.
double neighbours_ns(const CompiledCost& cost, const Machine& machine);

}  // namespace perfcast::engine
