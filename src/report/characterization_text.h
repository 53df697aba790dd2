// What a characterization found, as people read it: machine and system, the costs of each compiler's operations, one by one with
// their intervals or as a line that counts them, and what is missing.
#pragma once

#include <string>

#include "record/machine.h"

namespace perfcast::report {

std::string characterization_text(const Machine& machine, double confidence, bool every_cost);

}  // namespace perfcast::report
