// The report page: records put into the one-file HTML that page/ is built to. Nothing is loaded from a network.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "record/machine.h"
#include "record/prediction.h"
#include "record/profile.h"
#include "report/call_tree.h"
#include "report/profile_digest.h"
#include "report/source_text.h"

namespace perfcast::report {

// A record in the page, as its file holds it.
struct EmbeddedRecord {
  std::string file;       // where it came from
  bool computed = false;  // made for this report from that file
  Json record;
};
template <class Fields>
void describe(Fields& f, EmbeddedRecord& e) { f.need("file", e.file), f("computed", e.computed), f.need("record", e.record); }

// The predicted time of a program as a tree of calls.
struct Flame {
  std::string program, machine, model;
  Frame root;
};
template <class Fields>
void describe(Fields& f, Flame& flame) {
  f.need("program", flame.program), f.need("machine", flame.machine), f.need("model", flame.model), f.need("root", flame.root);
}

struct PageData {
  static constexpr const char* format = "perfcast.report";
  static constexpr int version = 1;
  std::string title;
  MadeBy made_by;
  std::vector<EmbeddedRecord> records;
  std::vector<Machine> references;      // bundled machines to compare those of the report with
  std::vector<Json> against_llvm;       // what `machines show --against-llvm` says of each machine
  std::vector<SourceText> sources;
  std::vector<Flame> flames;
  std::map<std::string, std::string> meanings;  // of source operations
};
template <class Fields>
void describe(Fields& f, PageData& p) {
  f.need("title", p.title), f("made_by", p.made_by), f.need("records", p.records), f("references", p.references);
  f("against_llvm", p.against_llvm), f("sources", p.sources), f("flames", p.flames), f("meanings", p.meanings);
}

// Adds what the page shows beside a prediction: flame graphs (where the profile is known) and the text of the sources.
void add_prediction_views(PageData& page, const Prediction& prediction, const Profile* profile);
// The words for the operations that machines, predictions and profiles of the page name.
void add_meanings(PageData& page);

// The finished page. Unfit when the front end was not built with the program.
Result<std::string> page_html(const PageData& page);

}  // namespace perfcast::report
