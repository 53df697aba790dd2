// Addresses of a program's code as places in its source, by llvm-symbolizer or addr2line.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace perfcast {

struct CodePlace {
  std::string function, file;  // empty: unknown
  int line = 0;
};

// Offsets within the file (from its load address), one place each. The file needs line tables to tell lines.
Result<std::vector<CodePlace>> code_places(const std::string& executable, const std::vector<unsigned long long>& offsets);
// One who tells places so.
using FindPlaces = std::function<Result<std::vector<CodePlace>>(const std::string& executable, const std::vector<unsigned long long>& offsets)>;

// What the tool printed: "function\nfile:line[:column]\n" per address, with or without an empty line after each.
std::vector<CodePlace> parse_places(const std::string& printed);

}  // namespace perfcast
