// Partial knowledge: something that was not understood or not known, with its place. Work goes on; the report ends
// with its coverage.
#pragma once

#include <string>

#include "base/json.h"

namespace perfcast {

struct Location {
  std::string file;
  int line = 0, column = 0;
  auto operator<=>(const Location&) const = default;
  bool known() const { return line > 0; }
  std::string text() const { return file + ":" + std::to_string(line); }
};
template <class Fields>
void describe(Fields& f, Location& l) {
  f("file", l.file), f("line", l.line);
  if (Fields::reading || l.column) f("column", l.column);
}

struct Gap {
  std::string what;   // "operator new[] with placement arguments"
  Location at;
  double weight = 0;  // how often it was executed, where known
  bool operator==(const Gap&) const = default;
};
template <class Fields>
void describe(Fields& f, Gap& g) {
  f.need("what", g.what), f("at", g.at), f("weight", g.weight);
}

}  // namespace perfcast
