// Shows what a record file says. A profile is shown as the statistics of its source level, whole or in part.
#include "cli/command.h"
#include "cli/common.h"
#include "record/regression.h"
#include "record/static_model.h"
#include "report/bounds_text.h"
#include "report/choice_text.h"
#include "report/comparison_text.h"
#include "report/dilation_text.h"
#include "report/equation_text.h"
#include "report/gate_text.h"
#include "report/machine_text.h"
#include "report/parallel_text.h"
#include "report/prediction_text.h"
#include "report/scale_text.h"
#include "report/statistics.h"
#include "report/study_text.h"
#include "report/tree_text.h"
#include "report/validation_text.h"

namespace perfcast::cli {
namespace {

struct ShowArguments {
  std::string record, scope;
  bool only_static = false, only_dynamic = false, only_statements = false;
  std::size_t rows = report::StatisticsScope().rows;
  OutputOptions output;
};

Status show_profile(const Profile& profile, const ShowArguments& arguments) {
  TRY(report::StatisticsScope scope, report::scope_named(arguments.scope, profile));
  if (arguments.only_static || arguments.only_dynamic || arguments.only_statements) {
    scope.show_static = arguments.only_static;
    scope.show_dynamic = arguments.only_dynamic;
    scope.show_statements = arguments.only_statements;
  }
  scope.rows = arguments.rows;
  return emit(report::source_statistics(profile, scope), report::source_statistics_text(profile, scope) + report::parallel_text(profile), arguments.output);
}

Status run(const ShowArguments& arguments) {
  auto json = read_json_file(arguments.record);
  std::string format = json ? format_of(*json) : "";
  if (!json || format == Profile::format) {  // a file, or the name of a bundled profile
    auto profile = json ? record_from_json<Profile>(*json, arguments.record) : find_profile(arguments.record);
    if (!profile) return std::unexpected(profile.error());
    json = Json();  // a profile may be large
    return show_profile(*profile, arguments);
  }
  if (!arguments.scope.empty()) return wrong_usage("only profiles have parts to show", "leave --scope away");
  if (format == Machine::format) {
    TRY(Machine machine, record_from_json<Machine>(*json, arguments.record));
    return emit(machine, report::machine_text(machine) + report::parallel_costs_text(machine), arguments.output);
  }
  if (format == Prediction::format) {
    TRY(Prediction prediction, record_from_json<Prediction>(*json, arguments.record));
    return emit(prediction, report::prediction_text(prediction), arguments.output);
  }
  if (format == Choice::format) {
    TRY(Choice choice, record_from_json<Choice>(*json, arguments.record));
    return emit(choice, report::choice_text(choice), arguments.output);
  }
  if (format == Comparison::format) {
    TRY(Comparison comparison, record_from_json<Comparison>(*json, arguments.record));
    return emit(comparison, report::comparison_text(comparison, {arguments.rows}), arguments.output);
  }
  if (format == Bounds::format) {
    TRY(Bounds bounds, record_from_json<Bounds>(*json, arguments.record));
    report::BoundsView view;
    view.loops = arguments.rows;
    return emit(bounds, report::bounds_text(bounds, view), arguments.output);
  }
  if (format == Dilation::format) {
    TRY(Dilation dilation, record_from_json<Dilation>(*json, arguments.record));
    return emit(dilation, report::dilation_text(dilation), arguments.output);
  }
  if (format == Gate::format) {
    TRY(Gate gate, record_from_json<Gate>(*json, arguments.record));
    return emit(gate, report::gate_text(gate, arguments.rows), arguments.output);
  }
  if (format == UseTree::format) {
    TRY(UseTree tree, record_from_json<UseTree>(*json, arguments.record));
    return emit(tree, report::tree_text(tree), arguments.output);
  }
  if (format == Equation::format) {
    TRY(Equation equation, record_from_json<Equation>(*json, arguments.record));
    return emit(equation, report::equation_text(equation, {arguments.rows}), arguments.output);
  }
  if (format == Regression::format) {
    TRY(Regression regression, record_from_json<Regression>(*json, arguments.record));
    return emit(regression, report::regression_text(regression), arguments.output);
  }
  if (format == StaticProblem::format) {
    TRY(StaticProblem problem, record_from_json<StaticProblem>(*json, arguments.record));
    return emit(problem, report::static_text(problem), arguments.output);
  }
  if (format == SortingStudy::format) {
    TRY(SortingStudy study, record_from_json<SortingStudy>(*json, arguments.record));
    return emit(study, report::sorting_text(study), arguments.output);
  }
  if (format == Study::format) {
    TRY(Study study, record_from_json<Study>(*json, arguments.record));
    return emit(study, report::study_text(study), arguments.output);
  }
  if (format == Validation::format) {
    TRY(Validation validation, record_from_json<Validation>(*json, arguments.record));
    return emit(validation, report::validation_text(validation), arguments.output);
  }
  return unfit("there is no text view of this kind of file", arguments.record, "perfcast report " + arguments.record);
}

}  // namespace

void add_show(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ShowArguments>();
  app.add_option("record", arguments->record, "A file that perfcast wrote, or the name of a bundled profile")->required();
  app.add_option("--scope", arguments->scope,
                 "Part of the program: a region, a function, FUNCTION:LINE of a loop, or FILE:FIRST-LAST");
  app.add_flag("--static", arguments->only_static, "Operations in the text");
  app.add_flag("--dynamic", arguments->only_dynamic, "Operations executed");
  app.add_flag("--statements", arguments->only_statements, "Distribution of statements");
  app.add_option("--rows", arguments->rows, "Rows of a table; the rest is one line")->capture_default_str();
  add_output_options(app, arguments->output);
  action = [arguments] { return run(*arguments); };
}

}  // namespace perfcast::cli
