// Which compilers are here, and which programs a characterization makes of them.
#pragma once

#include <string>
#include <vector>

#include "methods/characterize/characterize.h"

namespace perfcast::characterize {

struct CompilerChoice {
  std::string language;  // "c", "c++", "fortran"
  std::string compiler;  // as it is called: "clang-19"
  std::string flags;     // "-O0"
};

struct CompilerPlan {
  std::vector<CompilerChoice> choices;
  std::vector<std::string> missing;  // sentences: what is not here
  std::string c_compiler;            // for the harness; empty: there is none
};

// The programs to be made, in the order they are measured: LLVM's compilers first, then GNU's.
CompilerPlan plan_compilers(const CharacterizeOptions& options);

// "c", "c++" or "fortran" from a compiler's name, as in clang++-19 or /opt/bin/gfortran-13.
std::string language_of_compiler(const std::string& compiler);

}  // namespace perfcast::characterize
