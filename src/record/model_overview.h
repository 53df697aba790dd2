// The resource models side by side: what each needs, what it is good for, and which can be used now (Papaefstathiou et
// al. 1994, table 2).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/made_by.h"
#include "record/prediction.h"
#include "record/record_file.h"

namespace perfcast {

// A line of table 2. Stars go from 1 (low) to 3 (high); none: not at all.
struct ModelFacts {
  Model model = Model::icc;
  std::string title, block, costed_by;
  std::string detail, access;           // macro, micro or monitoring; abstract, software or system based
  bool code = false, compiler = false, system = false;  // what must exist
  std::string phase;                    // of development
  std::optional<int> portability;
  int accuracy = 1, effort = 1;
  std::optional<double> published_error;  // mean error due to the model alone in table 7, a fraction
  bool operator==(const ModelFacts&) const = default;
};
template <class Fields>
void describe(Fields& f, ModelFacts& m) {
  f.need("model", m.model), f("title", m.title), f("block", m.block), f("costed_by", m.costed_by), f("detail", m.detail);
  f("access", m.access), f("needs_code", m.code), f("needs_compiler", m.compiler), f("needs_system", m.system);
  f("phase", m.phase), f("portability", m.portability), f("accuracy", m.accuracy), f("effort", m.effort);
  f("published_error", m.published_error);
}

// Whether a model can be used for what the user has.
struct ModelStanding {
  ModelFacts facts;
  std::optional<bool> usable;       // unknown when no program was named
  std::string missing;              // what stands in the way
  std::optional<double> seen_error; // mean error in the validation that was given, a fraction
  bool operator==(const ModelStanding&) const = default;
};
template <class Fields>
void describe(Fields& f, ModelStanding& s) {
  f.need("facts", s.facts), f("usable", s.usable), f("missing", s.missing), f("seen_error", s.seen_error);
}

struct ModelOverview {
  static constexpr const char* format = "perfcast.models";
  static constexpr int version = 1;
  MadeBy made_by;
  std::string program, machine;
  std::vector<ModelStanding> models;  // from the least to the most detailed
  std::optional<Model> best;
  std::string why;                    // the best was chosen
  bool operator==(const ModelOverview&) const = default;
};
template <class Fields>
void describe(Fields& f, ModelOverview& o) {
  f("made_by", o.made_by), f("program", o.program), f("machine", o.machine), f.need("models", o.models);
  f("best", o.best), f("why", o.why);
}

PERFCAST_RECORD_FILE(extern, ModelOverview)

}  // namespace perfcast
