// A machine as people read it, in full.
#pragma once

#include <string>

#include "record/machine.h"

namespace perfcast::report {

std::string machine_text(const Machine& machine);

}  // namespace perfcast::report
