// Weighted floating-point operations: table 1 of Papaefstathiou et al. 1994, after McMahon.
#pragma once

#include <string>

namespace perfcast::predict {

// How many flops one execution of a source operation is credited with; 0 for everything that is not floating point.
double flops_of(const std::string& operation);

}  // namespace perfcast::predict
