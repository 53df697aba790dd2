// What a characterization found, as people read it: each cost with its interval, and what is missing.
#pragma once

#include <string>

#include "record/machine.h"

namespace perfcast::report {

std::string characterization_text(const Machine& machine, double confidence = 0.9);

}  // namespace perfcast::report
