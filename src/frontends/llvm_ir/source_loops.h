// The loops of the source, with what they ask of any machine (record/source_loop.h), and how often they iterated.
//
// The early IR of a counted run is given its counts as branch weights and then cleaned up as -O2 does, but neither
// vectorised nor unrolled: what is left in a loop is what the source needs. Counts of iterations come from the early
// IR itself, so they are exact, however often a loop was copied, unrolled or inlined later.
#pragma once

#include <vector>

#include "frontends/llvm_ir/instrument.h"
#include "record/source_loop.h"

namespace perfcast::llvm_ir {

// `run` is a counted run of `stage`: early, or final where both are the same (-O0).
Result<std::vector<SourceLoop>> source_loops(const CompiledProgram& program, Stage stage, const CountedRun& run);

}  // namespace perfcast::llvm_ir
