// One spelling for every source file, whoever names it (the user, debug information, a syntax tree), so that positions
// from different compiler libraries meet: below the current folder relative to it, elsewhere absolute, never with
// "." or ".." inside. Plain C++17, so that every front end can include it.
#pragma once

#include <filesystem>
#include <string>

namespace perfcast {

// `path` as the compiler wrote it; `directory`: what it is relative to (the compiler's working folder; empty: here).
inline std::string source_path(const std::string& path, const std::string& directory = {}) {
  namespace fs = std::filesystem;
  if (path.empty() || path.front() == '<') return path;  // "<built-in>", "<stdin>"
  std::error_code error;
  const fs::path here = fs::current_path(error);
  fs::path whole = path;
  if (whole.is_relative()) whole = (directory.empty() ? here : here / directory) / whole;
  whole = whole.lexically_normal();
  const fs::path relative = whole.lexically_relative(here);
  const bool inside = !relative.empty() && *relative.begin() != "..";
  return inside ? relative.string() : whole.string();
}

}  // namespace perfcast
