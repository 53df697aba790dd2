// More of something never harms: a machine can always be used as if it were the slower one. The simulated core does not
// know that. Like any core that starts what is ready first, it now and then ends later when something comes sooner
// (Graham 1969, "Bounds on multiprocessing timing anomalies"), and what is drawn at random differs between machines.
#pragma once

#include <functional>
#include <optional>

namespace perfcast::tree {

struct MonotoneTime {
  double seconds = 0;
  double at = 1;  // the factor nearest to the one asked for at which a time was found
};

// The time with `factor` of something, given the time `now` with 1 and a function for other factors. A factor above 1
// never lengthens it, and a larger one never helps less; below 1 the other way round. Exactly, for any two factors: each
// power of two is as good as the one before, the middle of an octave lies between its ends, and so on down to eighths
// of an octave, between which 1 / factor is interpolated. Nothing where the function has no answer at the first of them.
using TimeAt = std::function<std::optional<double>(double factor)>;
std::optional<MonotoneTime> monotone_time(double now, double factor, const TimeAt& time_at);

}  // namespace perfcast::tree
