// Joins a source-level graph with a counted run: each block gets the executions of its position. Works for every
// language whose reader gives positions as debug information does.
#pragma once

#include <vector>

#include "frontends/position_counts.h"
#include "record/profile.h"

namespace perfcast {

// Fills the counts of functions, blocks and loops. Functions meet by linkage name (a local copy the compiler made,
// `f.12` or `f.omp_outlined`, belongs to f). A block takes
// the count of its exact position, else of the nearest one on its line or on the next lines of its statement. What the
// compiler made no code of was never executed. What is uncertain becomes a Gap with the executions concerned as its weight;
// gaps that were there without weight get the count of their line.
void apply_counts(Graph& graph, const PositionCounts& counts, std::vector<Gap>& gaps);

}  // namespace perfcast
