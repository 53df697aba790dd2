// The compiler gives lambdas without linkage numbers in the order it happens to name them: `main::$_3`. A reader of the
// syntax tree meets them in another order. Their bodies tell which is which, by position; their numbers, which also
// occur in the names of templates that take them (`std::sort<..., main::$_3>`), are made the compiler's.
#pragma once

#include "frontends/position_counts.h"
#include "record/profile.h"

namespace perfcast {

void renumber_lambdas(Graph& graph, const PositionCounts& counts);

}  // namespace perfcast
