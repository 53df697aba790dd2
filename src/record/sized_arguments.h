// Arguments of a program that hold a size: a number by itself, or at the end of an option (-n500, --size=500).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace perfcast {

// The values of parameters, given by the number of their argument (the first is 1). An error of usage where there is no such
// argument or it holds no size.
Result<std::map<std::string, double>> parameter_values(const std::vector<std::string>& arguments, const std::map<std::string, int>& parameters);

// The arguments with other values put in; parameters not in `values` keep theirs.
std::vector<std::string> arguments_at(std::vector<std::string> arguments, const std::map<std::string, int>& parameters,
                                      const std::map<std::string, double>& values);

}  // namespace perfcast
