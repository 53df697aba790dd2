#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/models.h"
#include "cli/parallel.h"
#include "cli/program.h"
#include "methods/predict/predict.h"
#include "report/prediction_text.h"

namespace perfcast::cli {
namespace {

struct PredictArguments {
  ProgramWords program;
  std::vector<std::string> machines, models, settings;
  parallel::ParallelOptions parallel;
  bool measure = false;
  predict::PredictOptions options;
  report::PredictionView view;
  OutputOptions output;
};

// Machines of another instruction set, or of none we know: what is measured here says nothing about them.
std::set<std::string> machines_elsewhere(const std::vector<Machine>& machines) {
  std::set<std::string> names;
  for (const auto& machine : machines)
    if (machine.isa != host_instruction_set()) names.insert(machine.name);
  return names;
}

Status run(PredictArguments& arguments) {
  TRY(arguments.options.models, models_named(arguments.models));
  TRY(arguments.options.set, settings_of(arguments.settings));
  arguments.program.arguments = program_arguments();
  TRY(std::vector<Machine> machines, machines_for(arguments.program, arguments.machines));
  choose_levels(arguments.program, arguments.options.models, machines);
  if (is_design_file(arguments.program.words[0])) {
    TRY(Prediction prediction, predict_design(design_path(arguments.program.words[0]), machines, arguments.options, arguments.parallel));
    return emit(prediction, report::prediction_text(prediction, arguments.view), arguments.output);
  }
  TRY(Profile profile, profile_of(arguments.program));
  if (runs_in_parallel(profile, arguments.parallel)) {
    arguments.view.elsewhere = machines_elsewhere(machines);
    TRY(Prediction prediction, predict_parallel(profile, machines, arguments.options, arguments.parallel, arguments.measure, arguments.program.limits.limits()));
    return emit(prediction, report::prediction_text(prediction, arguments.view), arguments.output);
  }
  CHECK_OK(about_messages(profile, arguments.parallel));
  bool ct_alone = arguments.options.models == std::vector{Model::ct};
  if (arguments.measure || ct_alone) {
    arguments.options.alone = true;  // as the time measured is
    TRY(arguments.options.timed, measure_program(profile.run, arguments.program.limits.limits()));
  }
  TRY(Prediction prediction, predict::predict(profile, machines, arguments.options));
  arguments.view.elsewhere = machines_elsewhere(machines);
  return emit(prediction, report::prediction_text(prediction, arguments.view), arguments.output);
}

}  // namespace

void add_predict(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<PredictArguments>();
  add_program_options(app, arguments->program);
  add_machine_option(app, arguments->machines);
  app.add_option("--model", arguments->models, "dbc, poc, hllc, intcc, icc, ct or all; default: the best that can answer")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--set", arguments->settings, "A parameter other than in the recorded run, NAME=VALUE; repeatable")
      ->allow_extra_args(false);
  add_parallel_options(app, arguments->parallel);
  app.add_option("--confidence", arguments->options.confidence, "Of the intervals")
      ->check(CLI::Range(0.01, 0.999))
      ->capture_default_str();
  app.add_option("--by", arguments->view.breakdown, "What the time is broken down by")
      ->check(CLI::IsMember({"operation", "function", "line", "region", "none"}))
      ->capture_default_str();
  app.add_option("--rows", arguments->view.rows, "Rows of a breakdown")->capture_default_str();
  app.add_flag("--measure", arguments->measure, "Build the program and time it here");
  app.add_flag("--alone", arguments->options.alone, "On a core nobody else uses, even if the machine file tells of neighbours");
  app.add_flag("--distribution", arguments->view.distribution, "Shares of the time, machines side by side");
  add_output_options(app, arguments->output);
  action = [arguments] { return run(*arguments); };
}

}  // namespace perfcast::cli
