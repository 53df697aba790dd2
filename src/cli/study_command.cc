// perfcast study: every resource model against measurement, node by node.
#include <filesystem>
#include <memory>

#include "base/paths.h"
#include "base/source_is_there.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/models.h"
#include "cli/parallel.h"
#include "cli/program.h"
#include "cli/progress.h"
#include "methods/graph/graph.h"
#include "methods/predict/predict.h"
#include "methods/study/components.h"
#include "methods/study/study.h"
#include "methods/validate/suite.h"
#include "report/study_text.h"

namespace perfcast::cli {
namespace fs = std::filesystem;
namespace {

struct StudyArguments {
  std::vector<std::string> sources, machines, models = {"all"}, only;
  std::string suite, cflags, input, design;
  LimitWords limits;
  bool no_components = false;
  predict::PredictOptions predicting;
  study::StudyOptions options;
  OutputOptions output;
};

// The design of a program is NAME.design beside its first source; its parameters are N = the first argument.
Status add_design(const validate::SuiteProgram& program, const std::string& named, const Machine& machine, study::StudyInput& input) {
  fs::path file = named.empty() ? fs::path(program.sources[0]).replace_extension(".design") : fs::path(named);
  std::error_code ignored;
  if (named.empty() && !fs::exists(file, ignored)) return {};
  TRY(graph::Design sketch, graph::read_design(file.string()));
  std::map<std::string, double> set;
  if (!program.args.empty() && sketch.has_parameter("N")) set["N"] = std::atof(program.args[0].c_str());
  predict::PredictOptions dbc;
  dbc.models = {Model::dbc}, dbc.set = set;
  TRY(Prediction predicted, predict_design(file.string(), {machine}, dbc, {}));
  std::erase_if(input.prediction.refused, [](const std::string& text) { return text.starts_with("dbc:"); });
  input.prediction.predictions.push_back(predicted.predictions[0]);
  return {};
}

Result<study::StudyInput> look_at(const validate::SuiteProgram& program, const StudyArguments& arguments, const std::vector<Machine>& machines) {
  ProgramWords words{program.sources, program.cflags, program.args, program.input, arguments.limits};
  choose_levels(words, arguments.predicting.models, machines);
  TRY(Profile profile, profile_of(words));
  study::StudyInput input;
  input.name = program.name;
  TRY(input.prediction, predict::predict(profile, machines, arguments.predicting));
  if (std::ranges::find(arguments.predicting.models, Model::dbc) != arguments.predicting.models.end())
    CHECK_OK(add_design(program, arguments.design, machines[0], input));
  TRY(ReadyProgram built, ready_program(profile.run, arguments.limits.limits()));
  ReferenceChain chain;
  TRY(std::vector<TimedRun> runs, time_program(built.run, chain, profile.run.exit_code));
  input.measured = summarize_runs(runs).seconds;
  if (input.measured <= 0) return unfit("the program is too short to be timed", program.name, "give it a larger problem");
  input.view = profile.regions.empty() ? "function" : "region";
  if (arguments.no_components) return input;
  TRY(study::Components components, study::component_shares(built.run, profile.regions));
  for (const auto& [node, share] : components.shares) input.components[node] = share * input.measured;
  return input;
}

Result<validate::Suite> programs_of(const StudyArguments& arguments) {
  if (arguments.sources.empty())
    return validate::read_suite(arguments.suite.empty() ? (bundled_data() / "study").string() : arguments.suite);
  validate::Suite suite;
  for (const std::string& source : arguments.sources)  // said before a machine is measured for it
    CHECK_OK(source_is_there(source, source));
  suite.folder = fs::current_path().string();
  suite.programs.push_back({fs::path(arguments.sources[0]).stem().string(), arguments.sources, arguments.cflags, program_arguments(), arguments.input});
  return suite;
}

Status run(StudyArguments& arguments) {
  CHECK_OK(can_write(arguments.output.file));
  TRY(arguments.predicting.models, models_named(arguments.models));
  arguments.predicting.alone = true;  // as the times measured are
  std::erase(arguments.predicting.models, Model::ct);  // the components are timed instead
  TRY(validate::Suite suite, programs_of(arguments));
  if (!arguments.only.empty())
    std::erase_if(suite.programs, [&](const auto& program) {
      return std::ranges::none_of(arguments.only, [&](const auto& name) { return program.name.starts_with(name); });
    });
  if (suite.programs.empty()) return unfit("no program of this name", join(arguments.only, ", "));
  TRY(std::vector<Machine> machines, load_machines(arguments.machines));
  if (machines.size() != 1) return wrong_usage("study takes one machine: the one it runs on");
  if (machines[0].isa != host_instruction_set())
    return unfit("a study times programs here, and this is not " + machines[0].name, "", "perfcast characterize");
  ProgressBar bar;
  std::vector<study::StudyInput> inputs;
  std::vector<std::string> failed;
  InFolder in_folder(suite.folder);
  double done = 0;
  for (const auto& program : suite.programs) {
    bar.show(program.name, done++ / static_cast<double>(suite.programs.size()));
    auto input = look_at(program, arguments, machines);
    if (input) inputs.push_back(std::move(*input));
    else failed.push_back(program.name + ": " + input.error().message());
  }
  bar.clear();
  if (inputs.empty()) return unfit("nothing could be studied; " + failed.front());
  Study result = study::study(inputs, machines[0].name, arguments.options);
  result.failed = failed;
  return emit(result, report::study_text(result), arguments.output);
}

}  // namespace

void add_study(CLI::App& app, Action& action) {
  auto a = std::make_shared<StudyArguments>();
  app.add_option("sources", a->sources, "A program of your own; without one the bundled kernels are studied");
  app.add_option("--suite", a->suite, "A folder with suite.json instead");
  app.add_option("--only", a->only, "Only programs whose name begins so; repeatable")->delimiter(',')->allow_extra_args(false);
  app.add_option("--cflags", a->cflags, "Flags of compiler and linker, as one word");
  app.add_option("--input", a->input, "A file given as standard input");
  app.add_option("--design", a->design, "A design of the program, for the model dbc; default: NAME.design beside the source");
  add_machine_option(app, a->machines);
  app.add_option("--model", a->models, "dbc, poc, hllc, intcc, icc or all")->delimiter(',')->allow_extra_args(false)->capture_default_str();
  add_limit_options(app, a->limits);
  app.add_flag("--no-components", a->no_components, "Do not time the nodes");
  app.add_option("--least-share", a->options.least_share, "Nodes that take less of the time are not listed")->capture_default_str();
  add_output_options(app, a->output);
  action = [a] { return run(*a); };
}

}  // namespace perfcast::cli
