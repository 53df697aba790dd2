// How uneven the work is divided, as an expression in P, from what was recorded with some numbers of processors.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "record/skeleton.h"

namespace perfcast::scale {

// Numbers of processors, each with the busiest one's work over the mean.
using Unevenness = std::vector<std::pair<double, double>>;

// Of all regions, each as much as its work is of theirs.
Unevenness of_threads(const ThreadProfile& threads);
// Of the recordings of one size.
Unevenness of_ranks(const MessageProfile& messages);

// "1 + a*(1 - 1/P)", as for blocks of a loop whose iterations become longer (1 + 1 - 1/P for a triangle), or "1 + a*(P - 1)", as where
// one does a part alone: what is nearer to all. "1": even, within what processor times vary by.
std::string uneven_form(const Unevenness& points);

}  // namespace perfcast::scale
