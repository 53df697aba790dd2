// Library code that was traced for a part of the run only is brought to the whole of it: the exact number of calls of
// each routine by the program is known, and what a routine calls grows with it.
#pragma once

#include <map>
#include <string>

#include "record/profile.h"

namespace perfcast::machine_code {

// `known_calls`: calls by the program's own code, by routine.
void scale_to_calls(Graph& library, const std::map<std::string, double>& known_calls);

}  // namespace perfcast::machine_code
