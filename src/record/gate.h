// Two versions of a program compared by counted cost on one machine: what a check before merging looks at.
#pragma once

#include <string>
#include <vector>

#include "record/made_by.h"
#include "record/record_file.h"

namespace perfcast {

enum class CostChange { same, slower, faster, added, removed };
template <>
struct EnumWords<CostChange> {
  static constexpr std::pair<CostChange, const char*> words[] = {{CostChange::same, "same"},
                                                                 {CostChange::slower, "slower"},
                                                                 {CostChange::faster, "faster"},
                                                                 {CostChange::added, "added"},
                                                                 {CostChange::removed, "removed"}};
};

struct FunctionCost {
  std::string name;
  double base_seconds = 0, seconds = 0;
  std::optional<double> change;  // (new - base) / base; absent for added functions
  double share = 0;              // of the change in the base's whole time
  CostChange status = CostChange::same;
  bool operator==(const FunctionCost&) const = default;
};
template <class Fields>
void describe(Fields& f, FunctionCost& c) {
  f.need("name", c.name), f.need("base_seconds", c.base_seconds), f.need("seconds", c.seconds), f("change", c.change);
  f("share", c.share), f.need("status", c.status);
}

struct Gate {
  static constexpr const char* format = "perfcast.gate";
  static constexpr int version = 1;
  std::string base, candidate;   // programs, or the files they came from
  std::string machine, model;
  MadeBy made_by;
  double limit = 0.03;           // allowed growth of the whole time
  double base_seconds = 0, seconds = 0, change = 0;
  bool passed = true;
  bool sampled = false;          // memory and mispredictions, which are sampled, are in the cost
  std::vector<FunctionCost> functions;  // largest change first
  std::vector<std::string> remarks;
  bool operator==(const Gate&) const = default;
};
template <class Fields>
void describe(Fields& f, Gate& g) {
  f.need("base", g.base), f.need("candidate", g.candidate), f.need("machine", g.machine), f.need("model", g.model);
  f("made_by", g.made_by), f.need("limit", g.limit), f.need("base_seconds", g.base_seconds), f.need("seconds", g.seconds);
  f.need("change", g.change), f.need("passed", g.passed), f("sampled", g.sampled), f.need("functions", g.functions);
  f("remarks", g.remarks);
}

PERFCAST_RECORD_FILE(extern, Gate)

}  // namespace perfcast
