// The resource-model study as tables: nodes (table 6), errors, statistics (table 7) and their bounds drawn (figure 12).
#pragma once

#include <string>

#include "record/study.h"

namespace perfcast::report {

std::string study_text(const Study& study);

}  // namespace perfcast::report
