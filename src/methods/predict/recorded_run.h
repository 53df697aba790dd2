// What the profile itself says against a prediction made from it: what was not seen of the program, how its run ended, and
// how long that run took, where it ran on the machine that is predicted for.
#pragma once

#include "record/machine.h"
#include "record/prediction.h"
#include "record/profile.h"

namespace perfcast::predict {

// Adds gaps and remarks to a prediction from the compiled code, and widens its interval where work of libraries is missing.
void hold_against_run(const Profile& profile, const Machine& machine, ModelPrediction& prediction);

}  // namespace perfcast::predict
