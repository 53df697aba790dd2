// A validation as people read it: a line per program, then the accuracy table of Saavedra (table 7.2) per model.
#pragma once

#include <string>

#include "record/validation.h"

namespace perfcast::report {

std::string validation_text(const Validation& validation);

}  // namespace perfcast::report
