// Performance without a run: the static model of a program on processors, and the balance of external sorting (Clement
// 1994, chapter 3). Each file is the question; the answers are filled in.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/equation.h"

namespace perfcast {

// Counts X as expressions, costs C in units of one operation.
struct StaticProblem {
  static constexpr const char* format = "perfcast.static";
  static constexpr int version = 1;
  std::string name, about, source;
  std::string sequential, parallel, misses, loops;  // X_s, X_p, X_m, X_lambda; both first empty: from a profile's source level
  std::vector<std::string> parallel_parts;          // then: functions or file:line whose work is divided; "*": everything
  std::string network = "hypercube";
  std::vector<PlannedCommunication> communications;  // X_c, by pattern
  std::map<std::string, double> costs;               // operation (1), miss, startup, per_byte, in operations
  std::map<std::string, double> values;              // of the parameters
  std::vector<double> processors;
  std::optional<double> operation_seconds;           // to say limits in seconds
  std::vector<StaticAnswer> answers;
  bool operator==(const StaticProblem&) const = default;
};
template <class Fields>
void describe(Fields& f, StaticProblem& p) {
  f("name", p.name), f("about", p.about), f("source", p.source), f("sequential", p.sequential), f("parallel", p.parallel);
  f("misses", p.misses), f("loops", p.loops), f("parallel_parts", p.parallel_parts), f("network", p.network);
  f("communications", p.communications), f("costs", p.costs), f("values", p.values), f("processors", p.processors);
  f("operation_seconds", p.operation_seconds), f("answers", p.answers);
}

// A machine that sorts more than its memory holds; times in comparisons.
struct SortingCase {
  std::string name;
  double processors = 1, items = 0;
  double disk = 0, network = 0, startup = 0;  // to read or write an item, to send one, to start a message
  double skew = 1.5;                          // data of the busiest processor over the mean
  bool shared_network = false, overlapped = true;
  std::optional<double> actual, printed;      // speedups: measured, by the paper's model
  // The answer.
  double speedup = 0;
  std::map<std::string, double> parts;        // sort, merge, disk, network, startup: comparison times on the busiest processor
  std::string limit;                          // what is slowest
  std::vector<std::array<double, 2>> by_processors;
  bool operator==(const SortingCase&) const = default;
};
template <class Fields>
void describe(Fields& f, SortingCase& c) {
  f.need("name", c.name), f.need("processors", c.processors), f.need("items", c.items), f("disk", c.disk), f("network", c.network);
  f("startup", c.startup), f("skew", c.skew), f("shared_network", c.shared_network), f("overlapped", c.overlapped);
  f("actual", c.actual), f("printed", c.printed), f("speedup", c.speedup), f("parts", c.parts), f("limit", c.limit);
  f("by_processors", c.by_processors);
}

struct SortingStudy {
  static constexpr const char* format = "perfcast.sorting";
  static constexpr int version = 1;
  std::string name, about, source;
  std::vector<SortingCase> machines;
  bool operator==(const SortingStudy&) const = default;
};
template <class Fields>
void describe(Fields& f, SortingStudy& s) { f("name", s.name), f("about", s.about), f("source", s.source), f.need("machines", s.machines); }

PERFCAST_RECORD_FILE(extern, StaticProblem)
PERFCAST_RECORD_FILE(extern, SortingStudy)

}  // namespace perfcast
