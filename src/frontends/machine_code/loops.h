// Loops of a flow graph, found without markers: a natural loop per header (a block that dominates the source of an
// edge back to it), and for what is entered in several places one loop per strongly connected part, marked
// irreducible. Nested by containment.
#pragma once

#include "record/profile.h"

namespace perfcast::machine_code {

// Fills function.loops and each block's innermost loop from blocks, edges and their counts. Block 0 is the entry.
void find_loops(Function& function);

}  // namespace perfcast::machine_code
