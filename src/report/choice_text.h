// Offers of machines side by side, and which to take.
#pragma once

#include <string>

#include "record/choice.h"

namespace perfcast::report {

std::string choice_text(const Choice& choice);

}  // namespace perfcast::report
