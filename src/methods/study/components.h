// Component timing: how long each node of a program takes, seen by looking at the running program at regular moments of
// its processor time. Nothing is compiled in, so that nodes of some nanoseconds are not disturbed; what is seen is a
// share, and the share of a measured time is a time. A node of share s in n looks is known to sqrt(s (1-s) / n).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/symbols.h"
#include "record/profile.h"

namespace perfcast::study {

struct ComponentOptions {
  Seconds at_least{1.5};   // of processor time to look at: the program is run again until then
  int most_runs = 40;
};

struct Components {
  std::map<std::string, double> shares;  // by node; what lies in no node is not listed
  double looks = 0;                      // samples taken in all
  std::string view;                      // "region" when the program has marked regions, else "function"
};

// Runs the program under observation. It must have line tables for regions, symbols for functions.
Result<Components> component_shares(const RunRequest& request, const std::vector<Region>& regions,
                                    const ComponentOptions& options = {});

// Places seen, counted by region, or by function when there are no regions.
std::map<std::string, double> count_nodes(const std::vector<CodePlace>& places, const std::vector<Region>& regions);

}  // namespace perfcast::study
