// The tables inside any record, for other programs: every list of objects of its JSON is one ("predictions",
// "predictions.parts"), and so is every object whose entries are alike (the costs of a machine). Rows of an inner list
// begin with the words that tell the outer ones apart. Numbers are exact, not rounded for people.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/text.h"

namespace perfcast::report {

struct NamedTable {
  std::string name;
  Table table;
  std::size_t rows = 0;
};

// In the order in which they stand in the record.
std::vector<NamedTable> tables_in(const Json& record);

}  // namespace perfcast::report
