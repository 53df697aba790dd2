// What each of a user's compiler flags is for: compiling, generating code from IR, linking, or nothing here.
#pragma once

#include <string>
#include <vector>

namespace perfcast::llvm_ir {

struct SortedFlags {
  std::vector<std::string> compile;  // for source to IR
  std::vector<std::string> link;     // for the last step; objects and archives included
  std::vector<std::string> sources;  // words that name source files
  std::string optimisation = "-O0";  // the last -O
  bool threads = false;              // -pthread, -fopenmp
  bool link_time = false;            // -flto: the linker would optimise across sources
};

// Sorts the words of a command line. Dropped: -c, -o, -flto, dependency files, what would stop before IR.
SortedFlags sort_flags(const std::vector<std::string>& words);

// Those of the compile flags that also matter when code is generated from IR: -O, -m..., -fPIC, math and frame flags.
std::vector<std::string> code_generation_flags(const std::vector<std::string>& compile);

// The flags that a compiler of this language takes: warnings and standards of the other languages are left out, so that
// one set of flags serves a program of several.
enum class Language { c, cxx, fortran };
std::vector<std::string> flags_for(Language language, const std::vector<std::string>& compile);

// The same flags without those that name a CPU or its features: -march, -mcpu, -mtune, -mavx512f, ...
std::vector<std::string> without_cpu(const std::vector<std::string>& flags);

// A source by its ending: C, C++ or Fortran.
bool is_source_name(const std::string& name);

}  // namespace perfcast::llvm_ir
