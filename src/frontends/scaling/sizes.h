// Which sizes a program is run at to learn how its counts grow: small ones, up to the recorded one (or 96 where that is
// smaller), in several series, each from its smallest size up and given up where runs get slow. A size the program refuses is left out; when it refuses most, another series
// finds those it takes (multiples, powers of two, sizes near the recorded one).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace perfcast::scaling {

using Setting = std::map<std::string, double>;

// How a try at one size went.
struct Try {
  bool taken = false;    // ran as the recorded run did
  double seconds = 0;
};
// Runs the program at these parameters.
using Attempt = std::function<Try(const Setting&, bool held_out)>;

struct SizeOptions {
  double run_seconds = 0.5;     // a series ends when one run takes longer
  double total_seconds = 20;    // of all runs together
  int most_runs = 240;
};

// Calls `attempt` at the sizes chosen; `recorded` are the parameters of the recorded run.
void try_sizes(const Setting& recorded, const Attempt& attempt, const SizeOptions& options = {});

}  // namespace perfcast::scaling
