// The text of the sources that a prediction speaks of, read where it can be found: whole files while they are small and
// the user's own, else the lines around those that take time.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/json.h"

namespace perfcast::report {

struct SourceText {
  std::string file;  // as the records name it
  int first_line = 1;
  std::string text;
};
template <class Fields>
void describe(Fields& f, SourceText& s) { f.need("file", s.file), f.need("first_line", s.first_line), f.need("text", s.text); }

// A header of the system: nobody reads a report for the whole of it.
bool is_system_source(const std::string& file);

// `lines`: those that matter; `folder`: what a relative name means, tried before the current folder. A file that
// cannot be read gives nothing.
std::vector<SourceText> source_text(const std::string& file, const std::string& folder, const std::set<int>& lines);

}  // namespace perfcast::report
