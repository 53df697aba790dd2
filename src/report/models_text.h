// The resource models as a table: what each needs, what it is worth, which one to take.
#pragma once

#include <string>

#include "record/model_overview.h"

namespace perfcast::report {

std::string models_text(const ModelOverview& overview);

}  // namespace perfcast::report
