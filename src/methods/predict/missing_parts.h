// What a machine file does not hold and a prediction would have used, and what was taken instead.
#pragma once

#include <string>
#include <vector>

#include "record/machine.h"
#include "record/prediction.h"
#include "record/profile.h"

namespace perfcast::predict {

// Sentences for the remarks of an answer by this model; none where nothing is missing or the model says so itself.
std::vector<std::string> missing_parts(const Profile& profile, const Machine& machine, Model model);

}  // namespace perfcast::predict
