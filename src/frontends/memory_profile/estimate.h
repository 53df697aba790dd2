// From what bursts saw to the distribution of reuse distances (Kaplan and Meier 1958): a touch whose previous one lies
// before the burst is censored at the distance seen so far. Bins of distance are used only from observations whose
// sampling is fine enough to tell them apart.
#pragma once

#include <vector>

#include "record/access.h"

namespace perfcast::memory_profile {

constexpr int strata = 3;

// Weights per bin, four bins per octave of distance + 1.
struct Observed {
  std::vector<std::array<double, strata>> seen, censored;
};

struct Distribution {
  std::vector<DistanceBin> bins;  // shares of all touches
  double beyond = 0;              // share of touches whose distance no burst could tell ...
  double beyond_from = 0;         // ... except that it is larger than this
};

Distribution estimate(const Observed& observed);
// When the whole run was watched: what had no touch before it is a first touch, `beyond` all that was seen.
Distribution whole_run(const Observed& observed);

// The distance in the middle of a bin.
double distance_of_bin(int bin);

}  // namespace perfcast::memory_profile
