// Parallel programs at several numbers of threads: equations 4.16 to 4.19 and 7.1.
#pragma once

#include "methods/bounds/ladder.h"

namespace perfcast::bounds {

void add_threads(const Profile& profile, const BoundsOptions& options, const Steps& steps, double hertz, const std::vector<LoopGroup>& groups, Bounds& out);

}  // namespace perfcast::bounds
