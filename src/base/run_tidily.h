// For compilers and the like: what they put below TMPDIR goes away with them, also when they crash or we are interrupted.
#pragma once

#include "base/process.h"

namespace perfcast {

// As run_program.
Result<RunOutcome> run_tidily(RunRequest request);

}  // namespace perfcast
