// --model and --set, as predict and validate take them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/prediction.h"

namespace perfcast::cli {

// "all" stands for every model.
Result<std::vector<Model>> models_named(const std::vector<std::string>& names);
// NAME=VALUE, one or more of them.
Result<std::map<std::string, double>> settings_of(const std::vector<std::string>& words, const std::string& for_example = "--set N=1000");

}  // namespace perfcast::cli
