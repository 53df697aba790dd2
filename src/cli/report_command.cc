// perfcast report: one offline page from any mix of records. A profile with a machine is predicted on the way.
#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/text.h"
#include "cli/against_llvm.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/report_records.h"
#include "methods/predict/predict.h"
#include "report/page.h"

namespace perfcast::cli {
namespace {

struct ReportArguments {
  std::vector<std::string> files;
  std::string title, output;
};

// Bundled machines that most others can be compared with: today's cores and the classic yardstick.
void add_references(report::PageData& page) {
  for (const char* name : {"emerald-rapids", "neoverse-v1", "vax-11-780"})
    if (auto machine = find_machine(name)) page.references.push_back(std::move(*machine));
}

// Every program that has no prediction among the files is predicted on every machine there is, by every model.
void predict_profiles(ReportRecords& records, report::PageData& page) {
  if (records.machines.empty()) return;
  for (const Profile& profile : records.profiles) {
    if (std::ranges::any_of(records.predictions, [&](const Prediction& p) { return p.program == profile.program; })) continue;
    predict::PredictOptions options;
    options.models = {Model::icc, Model::intcc, Model::hllc, Model::poc, Model::dbc};
    auto prediction = predict::predict(profile, records.machines, options);
    if (!prediction) {
      remark("no prediction of " + profile.program + ": " + prediction.error().what);
      continue;
    }
    page.records.push_back({profile.program, true, Json::parse(record_text(*prediction))});
    records.predictions.push_back(std::move(*prediction));
  }
}

std::string title_of(const ReportRecords& records) {
  std::vector<std::string> names;
  auto add = [&](const std::string& name) {
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const auto& prediction : records.predictions) add(prediction.program);
  for (const auto& profile : records.profiles) add(profile.program);
  if (names.empty())
    for (const auto& machine : records.machines) add(machine.name);
  if (names.empty()) return "Report";
  if (names.size() > 3) names.resize(3), names.push_back("…");
  return join(names, ", ");
}

Status run(const ReportArguments& arguments) {
  CHECK_OK(can_write(arguments.output));
  ReportRecords records;
  report::PageData page;
  for (const auto& file : arguments.files) CHECK_OK(read_report_record(file, records, page));
  predict_profiles(records, page);
  page.title = arguments.title.empty() ? title_of(records) : arguments.title;
  page.made_by = made_here();
  for (const Prediction& prediction : records.predictions) {
    auto profile = std::ranges::find(records.profiles, prediction.program, &Profile::program);
    report::add_prediction_views(page, prediction, profile == records.profiles.end() ? nullptr : &*profile);
  }
  for (const Machine& machine : records.machines)
    if (auto llvm = machine.core ? against_llvm(machine) : instructions::AgainstLlvm(); llvm && !llvm->rows.empty())
      page.against_llvm.push_back(against_llvm_json(machine, *llvm));
  if (!records.machines.empty()) add_references(page);
  report::add_meanings(page);
  TRY(std::string html, report::page_html(page));
  constexpr std::size_t heavy = 3'000'000;
  if (html.size() > heavy) remark("the page has " + size_text(static_cast<double>(html.size())) + "; fewer records make it lighter");
  CHECK_OK(write_file(arguments.output, html));
  if (arguments.output != "-") remark("written to " + arguments.output + "; open it in a browser");
  return {};
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ReportArguments>();
  app.add_option("files", arguments->files, "Files that perfcast wrote, or names of bundled machines and profiles")->required();
  app.add_option("--title", arguments->title, "Title of the page; otherwise the names of the programs");
  app.add_option("-o,--output", arguments->output, "The page; - is standard output")->required();
  action = [arguments] { return run(*arguments); };
}

}  // namespace perfcast::cli
