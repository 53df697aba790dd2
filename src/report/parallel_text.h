// Messages and parallel regions of a profile, message and thread costs of a machine, as people read them.
#pragma once

#include <string>

#include "record/machine.h"
#include "record/profile.h"

namespace perfcast::report {

// Empty when the profile has neither.
std::string parallel_text(const Profile& profile);
std::string parallel_costs_text(const Machine& machine);

}  // namespace perfcast::report
