// What others on the same core usually take of a program's time. A machine that is shared says by how much they slow code
// that uses all the core has (SystemCosts::core_sharing); code that waits loses less of it.
#pragma once

#include <string>

#include "engine/compiled_cost.h"

namespace perfcast::engine {

// By how much a neighbour on the same core lengthens the parts of icc, per unit of core_sharing: fitted to 87 kernels of
// data/calibration that stay in the first cache, timed on a shared Sapphire Rapids beside the canary.
inline constexpr double shared_throughput = 0.75, shared_waiting = 0.25;

// Of a part of the time by its name: code that keeps the core busy loses most of what the canary loses, code that waits for
// results, memory or branches little.
double exposure_of(const std::string& part);

// By how much others on the core usually slow it; 0 where the machine file does not tell.
Measurement usual_sharing(const Machine& machine);

// Nanoseconds they take of the whole.
double neighbours_ns(const CompiledCost& cost, const Machine& machine);

}  // namespace perfcast::engine
