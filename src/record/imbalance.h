// How uneven threads share the work of a region.
#pragma once

#include "record/skeleton.h"

namespace perfcast {

// The busiest of so many threads over their mean: as it was recorded; where only the recorded threads tell, theirs, but for what n
// iterations on t threads must differ: ceil(n/t) t / n.
double imbalance_at(const ThreadRegion& region, double threads);

}  // namespace perfcast
