// How much memory a program touches, as a law of its parameters.
#pragma once

#include <vector>

#include "frontends/scaling/sizes.h"
#include "record/profile.h"

namespace perfcast::scaling {

struct SizedFaults {
  Setting set;
  double page_faults = 0;
};

// Page faults tell how much memory is touched. How they grow with a parameter is told by the first touches, where the
// whole runs were watched; else by the faults themselves.
void memory_growth(const std::vector<SizedFaults>& samples, Profile& profile);

}  // namespace perfcast::scaling
