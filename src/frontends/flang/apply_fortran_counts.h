// Joins the source-level graph of a Fortran program with a counted run. Flang gives each statement one position, so
// which block of the IR stands for a statement is told by order and loops: the first block that holds a statement's
// position executes it; the header of the loop a DO statement decides tells its entries and trips. Statements without
// code of their own (GO TO, EXIT, CONTINUE) are counted by what flows in and out of them.
#pragma once

#include <vector>

#include "frontends/position_counts.h"
#include "record/profile.h"

namespace perfcast {

// Fills the counts of functions, blocks, edges and loops. What stays unknown becomes a Gap; gaps that were there
// without weight get the count of their statement.
void apply_fortran_counts(Graph& graph, const PositionCounts& counts, std::vector<Gap>& gaps);

}  // namespace perfcast
