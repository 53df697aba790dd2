// One source file and how it is compiled: what the front ends are given.
#pragma once

#include <string>
#include <vector>

namespace perfcast {

struct SourceFile {
  std::string path;
  std::vector<std::string> arguments;  // compiler options without the compiler, the file and -o
  std::string folder;                  // where the compiler runs; empty: here
  bool operator==(const SourceFile&) const = default;
};

}  // namespace perfcast
