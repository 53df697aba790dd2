// The source of a program, as somebody named it.
#pragma once

#include <string>

#include "base/result.h"

namespace perfcast {

// Says so where it is not there or is no file, by the name it was given: `found` is where that was looked for.
Status source_is_there(const std::string& found, const std::string& named);

}  // namespace perfcast
