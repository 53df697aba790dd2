#include "cli/report_records.h"

#include <filesystem>

#include "record/bounds.h"
#include "record/choice.h"
#include "record/comparison.h"
#include "record/dilation.h"
#include "record/equation.h"
#include "record/gate.h"
#include "record/library.h"
#include "record/use_tree.h"
#include "record/validation.h"

namespace perfcast::cli {
namespace {

using report::PageData;
using Reader = Status (*)(const Json&, const std::string&, ReportRecords&, PageData&);

Status read_machine(const Json& json, const std::string& file, ReportRecords& records, PageData& page) {
  TRY(Machine machine, record_from_json<Machine>(json, file));
  page.records.push_back({file, false, json});
  records.machines.push_back(std::move(machine));
  return {};
}

// Profiles hold whole programs; the page gets what it shows of them.
Status read_profile(const Json& json, const std::string& file, ReportRecords& records, PageData& page) {
  TRY(Profile profile, record_from_json<Profile>(json, file));
  page.records.push_back({file, false, Json::parse(record_text(report::digest_profile(profile)))});
  records.profiles.push_back(std::move(profile));
  return {};
}

Status read_prediction(const Json& json, const std::string& file, ReportRecords& records, PageData& page) {
  TRY(Prediction prediction, record_from_json<Prediction>(json, file));
  page.records.push_back({file, false, json});
  records.predictions.push_back(std::move(prediction));
  return {};
}

// A record that the page shows as it is, once it is known to fit its format.
template <class Record>
Status read_plain(const Json& json, const std::string& file, ReportRecords&, PageData& page) {
  TRY(Record record, record_from_json<Record>(json, file));
  page.records.push_back({file, false, json});
  return {};
}

struct Kind {
  const char* format;
  Reader read;
};
constexpr Kind kinds[] = {
    {Machine::format, read_machine},
    {Profile::format, read_profile},
    {Prediction::format, read_prediction},
    {Validation::format, read_plain<Validation>},
    {Gate::format, read_plain<Gate>},
    {Choice::format, read_plain<Choice>},
    {Comparison::format, read_plain<Comparison>},
    {Bounds::format, read_plain<Bounds>},
    {Equation::format, read_plain<Equation>},
    {UseTree::format, read_plain<UseTree>},
    {Dilation::format, read_plain<Dilation>},
};

}  // namespace

Status read_report_record(const std::string& name, ReportRecords& records, PageData& page) {
  std::error_code ignored;
  std::string path = name;
  if (!std::filesystem::exists(name, ignored))
    if (auto found = path_of_record(name)) path = *found;
  TRY(Json json, read_json_file(path));
  const std::string format = format_of(json);
  for (const Kind& kind : kinds)
    if (format == kind.format) return kind.read(json, path, records, page);
  if (format.empty()) return unfit("this is not a perfcast file (no \"format\")", name);
  return unfit("a report has no view of " + format + " files", name,
               "machine, profile, prediction, bounds, equation, tree, dilation, validation, gate, choice and comparison files");
}

}  // namespace perfcast::cli
