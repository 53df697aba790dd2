// A dilation in text: normalised times by factor, the shift of the signature, the verdict, and what is doubtful.
#pragma once

#include <string>

#include "record/dilation.h"

namespace perfcast::report {

std::string dilation_text(const Dilation& dilation);

}  // namespace perfcast::report
