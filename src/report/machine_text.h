// Machines as people read them: one in full, or several side by side.
#pragma once

#include <string>

#include "record/comparison.h"
#include "record/machine.h"

namespace perfcast::report {

std::string machine_text(const Machine& machine);
std::string comparison_text(const Comparison& comparison);

}  // namespace perfcast::report
