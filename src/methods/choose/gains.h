// Which programs gain most on another machine, and why: the resource whose time changed most.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "record/comparison.h"
#include "record/prediction.h"

namespace perfcast::choose {

// The first of `machines` is the reference. Programs that gain most on any of the others come first; a program the
// reference has no answer for has no gain and comes last. Of several models the most detailed that answered counts.
std::vector<ComparedProgram> compare_programs(std::span<const Prediction> programs, std::span<const std::string> machines);

}  // namespace perfcast::choose
