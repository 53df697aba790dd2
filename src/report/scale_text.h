// What `perfcast scale` says besides equations: machine costs by regression, the static model, external sorting.
#pragma once

#include <string>

#include "record/regression.h"
#include "record/static_model.h"

namespace perfcast::report {

std::string regression_text(const Regression& regression);
std::string static_text(const StaticProblem& problem);
std::string sorting_text(const SortingStudy& study);

}  // namespace perfcast::report
