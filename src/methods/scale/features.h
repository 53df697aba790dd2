// What a program executes at a size, in few classes that any machine has a cost for: the columns of the regression.
//
//   integer, floating, vector, memory, branch   executed instructions, by what they are for
//   mispredictions, page_faults                 as recorded, grown with the counts
//   lines_32K, lines_1M, lines_32M              lines whose last touch lies more than so many bytes of other lines back:
//                                               about the misses of the caches that today's cores have
#pragma once

#include <map>
#include <string>

#include "methods/scale/scale.h"
#include "record/regression.h"

namespace perfcast::scale {

Result<std::map<std::string, double>> features_at(const Profile& profile, const Setting& set);

// One timed run with its features, for a regression.
Result<Observation> observation_of(const Profile& profile, const EquationPoint& run);

// The equation by costs from a regression instead of a characterized machine: a term per class. Intervals are those for
// programs that were not in the fit; `options.measured` (one run suffices) corrects the level and narrows them.
Result<Equation> scale_by_regression(const Profile& profile, const Regression& regression, const ScaleOptions& options);

}  // namespace perfcast::scale
