// Linkage names of any language as a person writes them, in the spelling of all front ends.
#pragma once

#include <llvm/Demangle/Demangle.h>

#include <string>

#include "base/brief_name.h"

namespace perfcast {

inline std::string written_name(const std::string& linkage_name) { return llvm::demangle(fortran_name(linkage_name)); }

}  // namespace perfcast
