// The section `source`: costs of source operations for every language, compiler and set of flags.
#pragma once

#include "methods/characterize/work.h"

namespace perfcast::characterize {

// Fills machine.source; what could not be measured becomes a gap.
Status measure_source(Work& work, Machine& machine);

}  // namespace perfcast::characterize
