// Machines side by side: how far apart, what programs gain and why, every number relative to the reference.
#pragma once

#include <string>

#include "record/comparison.h"

namespace perfcast::report {

struct ComparisonView {
  std::size_t rows = 20;       // of the numbers that two characterizations do not agree on; 0: all
  std::size_t quantities = 0;  // of the numbers relative to the reference; 0: all
};
std::string comparison_text(const Comparison& comparison, const ComparisonView& view = {});

}  // namespace perfcast::report
