// Loops side by side that begin at one place of the source: two in a macro, those of a Fortran statement on arrays. The source's loops
// know which is which; those of the compiled code, where each may have become several, are told by their order and by the work they
// do.
#pragma once

#include "record/profile.h"

namespace perfcast {

// Numbers the loops of the IR as those of the source are. Where they cannot be told apart, the loops of the source become one, which
// asks on average for what they ask.
void tell_loops_apart(Profile& profile);

}  // namespace perfcast
