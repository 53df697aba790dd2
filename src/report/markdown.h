// Summaries as Markdown, for a pull request or a wiki: what matters of a record in one or two short tables.
#pragma once

#include <string>

#include "record/prediction.h"
#include "record/validation.h"

namespace perfcast::report {

std::string prediction_markdown(const Prediction& prediction, std::size_t rows = 8);
std::string validation_markdown(const Validation& validation);

}  // namespace perfcast::report
