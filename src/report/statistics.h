// The statistics of a program at the source level, from its profile: static operations (Saavedra figure 5.2), dynamic
// ones sorted with fraction and cumulative fraction (tables 5.5 and 5.6), the distribution of statements (table 5.4);
// for the whole program or a part of it. One struct is filled once; text and JSON are both written from it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "record/profile.h"

namespace perfcast::report {

// What part of the program is looked at; empty is all of it.
struct StatisticsScope {
  std::string function;             // linkage or readable name
  std::string file;                 // a range of lines: file, first, last
  int first_line = 0, last_line = 0;
  std::optional<int> loop_line;     // the loop of `function` that starts on this line, with all inside it
  bool show_static = true, show_dynamic = true, show_statements = true;
  std::size_t rows = 30;            // of a table; the rest is one line
};

// Reads what a user writes: a region's name, FILE:A-B, FUNCTION:LINE (a loop), or a function's name.
Result<StatisticsScope> scope_named(const std::string& text, const Profile& profile);

struct OperationStatistics {
  std::string name, meaning;
  double in_text = 0;     // occurrences in the source
  double executed = 0;
  double fraction = 0, cumulative = 0;  // of all executed
};
template <class Fields>
void describe(Fields& f, OperationStatistics& o) {
  f.need("name", o.name), f("meaning", o.meaning), f("static", o.in_text), f("dynamic", o.executed);
  f("fraction", o.fraction), f("cumulative", o.cumulative);
}

struct StatementStatistics {
  std::string kind;
  double in_text = 0, executed = 0;
};
template <class Fields>
void describe(Fields& f, StatementStatistics& s) {
  f.need("kind", s.kind), f("static", s.in_text), f("dynamic", s.executed);
}

struct FunctionStatistics {
  std::string name;
  double calls = 0, operations = 0;
  bool library = false;
};
template <class Fields>
void describe(Fields& f, FunctionStatistics& s) {
  f.need("name", s.name), f("calls", s.calls), f("operations", s.operations), f("library", s.library);
}

struct SourceStatistics {
  static constexpr const char* format = "perfcast.statistics";
  static constexpr int version = 1;
  std::string program, scope;
  std::vector<OperationStatistics> operations;  // by executions, most first; then by occurrences
  std::vector<StatementStatistics> statements;
  std::vector<FunctionStatistics> functions;
  double in_library = 0;  // executed in functions of the system's headers
  double coverage = 1;    // executed operations that no gap concerns
  std::vector<Gap> gaps;  // of the scope, heaviest first
};
template <class Fields>
void describe(Fields& f, SourceStatistics& s) {
  f.need("program", s.program), f("scope", s.scope), f.need("operations", s.operations), f("statements", s.statements);
  f("functions", s.functions), f("in_library", s.in_library), f("coverage", s.coverage), f("gaps", s.gaps);
}

// `profile` needs a source level; without one the statistics are empty.
SourceStatistics source_statistics(const Profile& profile, const StatisticsScope& scope = {});
std::string source_statistics_text(const Profile& profile, const StatisticsScope& scope = {});

}  // namespace perfcast::report
