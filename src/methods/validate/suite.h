// A suite: a folder with suite.json, or such a file, listing programs. Any folder of any user's programs can be one:
//   {"programs":[{"name","sources":["a.c"],"cflags":"-O2","args":["512"]}]}
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace perfcast::validate {

struct SuiteProgram {
  std::string name;
  std::vector<std::string> sources;  // relative to the suite's folder
  std::string cflags;
  std::vector<std::string> args;
  std::string input;                 // a file given as standard input
  bool operator==(const SuiteProgram&) const = default;
};
template <class Fields>
void describe(Fields& f, SuiteProgram& p) {
  f.need("name", p.name), f.need("sources", p.sources), f("cflags", p.cflags), f("args", p.args), f("input", p.input);
}

struct Suite {
  std::string folder;  // absolute
  std::vector<SuiteProgram> programs;
};
template <class Fields>
void describe(Fields& f, Suite& s) { f.need("programs", s.programs); }

Result<Suite> read_suite(const std::string& folder_or_file);
// The same of text; `file` says where it stands.
Result<Suite> parse_suite(const std::string& text, const std::string& file);

}  // namespace perfcast::validate
