// How often a core mispredicts: its predictor lies between those simulated, where the longest patterns it learns tell.
#pragma once

#include "record/core.h"
#include "record/mispredictions.h"

namespace perfcast {

// Of conditional branches.
double mispredicted_on(const BranchCosts& core, const Mispredictions& simulated);
// Of jumps and calls through a register. Where nobody measured what the core learns of targets, as of other branches.
double jumps_mispredicted_on(const BranchCosts& core, const Mispredictions& simulated);

}  // namespace perfcast
