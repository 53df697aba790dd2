// The resource-model study: every model against measurement, node by node of the execution graph, and the error that is
// due to the resource model alone (Papaefstathiou et al. 1994, section 5, tables 6 and 7, figure 12).
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/made_by.h"
#include "record/record_file.h"

namespace perfcast {

// A node of the execution graph: a marked region, or a function.
struct StudyNode {
  std::string name;
  std::optional<double> timed;            // component timing, seconds in the whole run
  std::map<std::string, double> models;   // seconds in the whole run, by model
  bool operator==(const StudyNode&) const = default;
};
template <class Fields>
void describe(Fields& f, StudyNode& n) { f.need("name", n.name), f("timed", n.timed), f.need("models", n.models); }

struct StudyCase {
  std::string name;                       // kernel and size
  double measured = 0;                    // seconds of the whole program
  std::optional<double> components;       // what component timing adds up to
  std::map<std::string, double> models;   // predicted seconds
  std::map<std::string, double> errors;   // (predicted - measured) / measured
  std::map<std::string, double> model_errors;  // due to the resource model alone: |error - error of component timing|
  std::vector<StudyNode> nodes;
  std::vector<std::string> refused;       // models without an answer, with the reason
  bool operator==(const StudyCase&) const = default;
};
template <class Fields>
void describe(Fields& f, StudyCase& c) {
  f.need("name", c.name), f.need("measured", c.measured), f("components", c.components), f.need("models", c.models);
  f.need("errors", c.errors), f("model_errors", c.model_errors), f("nodes", c.nodes), f("refused", c.refused);
}

// A line of table 7; fractions.
struct ErrorStatistics {
  double mean = 0, sd = 0, least = 0, most = 0;
  std::array<double, 2> mean_interval{0, 0};  // 90 % confidence of the mean
  int cases = 0;
  bool operator==(const ErrorStatistics&) const = default;
};
template <class Fields>
void describe(Fields& f, ErrorStatistics& s) {
  f.need("mean", s.mean), f.need("sd", s.sd), f.need("min", s.least), f.need("max", s.most);
  f.need("mean_interval", s.mean_interval), f("cases", s.cases);
}

struct Study {
  static constexpr const char* format = "perfcast.study";
  static constexpr int version = 1;
  std::string machine;
  MadeBy made_by;
  std::vector<StudyCase> cases;
  std::map<std::string, ErrorStatistics> models;  // of the errors due to the model alone
  std::map<std::string, ErrorStatistics> nodes;   // of the errors per node, weighted by nothing
  std::vector<std::string> failed;                // programs that could not be studied
  bool operator==(const Study&) const = default;
};
template <class Fields>
void describe(Fields& f, Study& s) {
  f.need("machine", s.machine), f("made_by", s.made_by), f.need("cases", s.cases), f.need("models", s.models);
  f("nodes", s.nodes), f("failed", s.failed);
}

PERFCAST_RECORD_FILE(extern, Study)

}  // namespace perfcast
