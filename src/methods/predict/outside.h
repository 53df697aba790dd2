// What intcc and icc add to the blocks' own time: library routines, page faults, system calls, the start of the process.
#pragma once

#include "engine/regions.h"
#include "methods/predict/block_sum.h"

namespace perfcast::predict {

// Page faults are seen in the views where memory is touched for the first time, in proportion to the lines touched.
void add_outside_time(BlockSum& sum, const Profile& profile, const engine::OutsideTime& outside);

}  // namespace perfcast::predict
