#include <atomic>
#include <memory>

#include "base/ending.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/models.h"
#include "cli/program.h"
#include "cli/progress.h"
#include "methods/predict/predict.h"
#include "methods/validate/validate.h"
#include "report/validation_text.h"

namespace perfcast::cli {
namespace {

std::atomic<bool> interrupted = false;

struct ValidateArguments {
  std::string suite;
  std::vector<std::string> machines, models = {"all"}, only;
  LimitWords limits;
  validate::ValidateOptions options;
  predict::PredictOptions predicting;
  OutputOptions output;
};

Result<validate::Prepared> prepare(const validate::SuiteProgram& program, const std::string& folder,
                                   const std::vector<Machine>& machines, const ValidateArguments& arguments) {
  InFolder in_folder(folder);
  ProgramWords words{program.sources, program.cflags, program.args, program.input, arguments.limits};
  choose_levels(words, arguments.predicting.models, machines);
  TRY(Profile profile, profile_of(words));
  validate::Prepared prepared;
  TRY(prepared.prediction, predict::predict(profile, machines, arguments.predicting));
  TRY(ReadyProgram built, ready_program(profile.run, arguments.limits.limits()));
  prepared.run = std::move(built.run), prepared.exit_code = profile.run.exit_code;
  prepared.keeps = std::move(built.folder);
  return prepared;
}

Status run(ValidateArguments& arguments) {
  CHECK_OK(can_write(arguments.output.file));
  TRY(arguments.predicting.models, models_named(arguments.models));
  arguments.predicting.alone = true;  // as the times measured are
  std::erase(arguments.predicting.models, Model::ct);  // it is the measurement itself
  if (arguments.predicting.models.empty()) return wrong_usage("ct is what the other models are compared with", "--model all");
  TRY(validate::Suite suite, validate::read_suite(arguments.suite));
  if (!arguments.only.empty())
    std::erase_if(suite.programs, [&](const auto& program) { return std::find(arguments.only.begin(), arguments.only.end(), program.name) == arguments.only.end(); });
  if (suite.programs.empty()) return unfit("the suite has no program of this name", join(arguments.only, ", "));
  TRY(std::vector<Machine> machines, load_machines(arguments.machines));
  if (machines.size() != 1) return wrong_usage("validate takes one machine: the one it runs on");
  if (machines[0].core) arguments.options.machine_ghz = machines[0].core->clock_ghz.value;
  validate::Steps steps;
  steps.prepare = [&](const validate::SuiteProgram& program) { return prepare(program, suite.folder, machines, arguments); };
  ProgressBar bar;
  steps.progress = [&](const std::string& what, double share) { bar.show(what, share); };
  arguments.options.stop = &interrupted;
  stop_at_first_interrupt(interrupted);  // a second Ctrl-C ends at once
  TRY(Validation validation, validate::validate(suite, machines[0].name, steps, arguments.options));
  bar.clear();
  if (interrupted) remark("interrupted: what was analysed by then is told");
  return emit(validation, report::validation_text(validation), arguments.output);
}

}  // namespace

void add_validate(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ValidateArguments>();
  app.add_option("--suite", arguments->suite, "A folder with suite.json, or such a file")->required();
  add_machine_option(app, arguments->machines);
  app.add_option("--model", arguments->models, "dbc, poc, hllc, intcc, icc or all")->delimiter(',')->allow_extra_args(false)->capture_default_str();
  app.add_option("--only", arguments->only, "Only the program of this name; repeatable")->delimiter(',')->allow_extra_args(false);
  add_limit_options(app, arguments->limits);
  app.add_option("--budget", arguments->options.budget.value, "Seconds after which no more than five runs each are made")->capture_default_str();
  app.add_option("--confidence", arguments->predicting.confidence, "Of the intervals")->check(CLI::Range(0.01, 0.999))->capture_default_str();
  add_output_options(app, arguments->output);
  action = [arguments] { return run(*arguments); };
}

}  // namespace perfcast::cli
