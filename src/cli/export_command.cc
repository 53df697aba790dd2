// perfcast export: what other tools read. Any table of any record as CSV, a summary as Markdown, a predicted flame graph
// as collapsed stacks.
#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/models.h"
#include "methods/predict/predict.h"
#include "record/gate.h"
#include "record/validation.h"
#include "report/call_tree.h"
#include "report/gate_text.h"
#include "report/markdown.h"
#include "report/record_tables.h"

namespace perfcast::cli {
namespace {

struct ExportArguments {
  std::string record, as = "csv", table, model, file = "-";
  std::vector<std::string> machines;
  bool list = false;
};

Result<Json> read_any(const std::string& name) {
  std::error_code ignored;
  std::string path = name;
  if (!std::filesystem::exists(name, ignored))
    if (auto found = path_of_record(name)) path = *found;
  TRY(Json json, read_json_file(path));
  if (format_of(json).empty()) return unfit("this is not a perfcast file (no \"format\")", name);
  return json;
}

std::string names_of(const std::vector<report::NamedTable>& tables) {
  std::string text;
  for (const auto& table : tables) text += table.name + "  (" + std::to_string(table.rows) + " rows)\n";
  return text;
}

Result<report::NamedTable> table_of(const Json& json, const ExportArguments& arguments) {
  auto tables = report::tables_in(json);
  if (tables.empty()) return unfit("there is no table in this file", arguments.record);
  if (arguments.table.empty()) return tables.front();
  auto found = std::ranges::find(tables, arguments.table, &report::NamedTable::name);
  if (found == tables.end()) return wrong_usage("there is no table \"" + arguments.table + "\" in " + arguments.record, "one of\n" + names_of(tables));
  return *found;
}

Result<std::string> markdown_of(const Json& json, const ExportArguments& arguments) {
  const std::string format = format_of(json);
  if (arguments.table.empty() && format == Prediction::format) {
    TRY(Prediction prediction, record_from_json<Prediction>(json, arguments.record));
    return report::prediction_markdown(prediction);
  }
  if (arguments.table.empty() && format == Validation::format) {
    TRY(Validation validation, record_from_json<Validation>(json, arguments.record));
    return report::validation_markdown(validation);
  }
  if (arguments.table.empty() && format == Gate::format) {
    TRY(Gate gate, record_from_json<Gate>(json, arguments.record));
    return report::gate_markdown(gate);
  }
  TRY(report::NamedTable table, table_of(json, arguments));
  return table.table.markdown();
}

Result<std::string> flame_graph_of(const ExportArguments& arguments) {
  TRY(Profile profile, find_profile(arguments.record));
  TRY(std::vector<Machine> machines, load_machines(arguments.machines));
  predict::PredictOptions options;
  if (!arguments.model.empty()) {
    TRY(options.models, models_named({arguments.model}));
  }
  TRY(Prediction prediction, predict::predict(profile, std::span(machines).first(1), options));
  return report::collapsed_stacks(report::call_tree(profile, prediction.predictions.front(), 0));
}

Status run(const ExportArguments& arguments) {
  if (arguments.as == "flamegraph") {
    TRY(std::string stacks, flame_graph_of(arguments));
    return write_file(arguments.file, stacks);
  }
  TRY(Json json, read_any(arguments.record));
  if (arguments.list) return write_file(arguments.file, names_of(report::tables_in(json)));
  if (arguments.as == "markdown") {
    TRY(std::string text, markdown_of(json, arguments));
    return write_file(arguments.file, text);
  }
  TRY(report::NamedTable table, table_of(json, arguments));
  return write_file(arguments.file, table.table.csv());
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ExportArguments>();
  app.add_option("record", arguments->record, "A file that perfcast wrote, or the name of a bundled machine or profile")->required();
  app.add_option("--as", arguments->as, "csv, markdown (a summary, or the table named), or flamegraph (of a profile)")
      ->check(CLI::IsMember({"csv", "markdown", "flamegraph"}))
      ->capture_default_str();
  app.add_option("--table", arguments->table, "Which table; --list names them; otherwise the first");
  app.add_flag("--list", arguments->list, "Only name the tables");
  add_machine_option(app, arguments->machines);
  app.add_option("--model", arguments->model, "Of the flame graph; default: the best that can answer");
  app.add_option("-o,--output", arguments->file, "Write to this file; - is standard output");
  action = [arguments] { return run(*arguments); };
}

}  // namespace perfcast::cli
