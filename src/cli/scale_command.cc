// perfcast scale: the time as an equation in the program's parameters, processors and machine.
#include <algorithm>
#include <cmath>

#include "base/paths.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/models.h"
#include "cli/program.h"
#include "cli/progress.h"
#include "methods/scale/scale.h"
#include "report/equation_text.h"

namespace perfcast::cli {
namespace {

struct ScaleArguments {
  ProgramWords program;
  std::vector<std::string> machines, at;
  std::string plan, cost;
  bool measure = false, measure_at = false;
  scale::ScaleOptions options;
  report::EquationView view;
  OutputOptions output;
};

// "N=8000,P=16" as a setting.
Result<std::vector<scale::Setting>> settings_at(const std::vector<std::string>& words) {
  std::vector<scale::Setting> all;
  for (const auto& word : words) {
    TRY(scale::Setting set, settings_of(split(word, ',')));
    all.push_back(std::move(set));
  }
  return all;
}

template <class Record>
Result<Record> named_file(const std::string& name, const char* folder, const char* ending) {
  std::error_code ignored;
  std::string bundled = (bundled_data() / folder / (name + ending)).string();
  bool own = std::filesystem::exists(name, ignored);
  if (!own && !std::filesystem::exists(bundled, ignored)) return unfit("there is no such file", name);
  return read_record<Record>(own ? name : bundled);
}

std::vector<std::string> arguments_at(const ProgramRun& run, const scale::Setting& set) {
  std::vector<std::string> arguments = run.arguments;
  for (const auto& [name, number] : run.parameter_arguments)
    if (auto it = set.find(name); it != set.end() && number >= 1 && static_cast<std::size_t>(number) <= arguments.size())
      arguments[static_cast<std::size_t>(number - 1)] = it->second == std::floor(it->second) ? std::to_string(static_cast<long long>(it->second)) : std::to_string(it->second);
  return arguments;
}

// Times the program at one setting; a size that fails is passed over with a remark.
std::optional<double> timed(ReadyProgram& ready, const ProgramRun& run, const scale::Setting& set) {
  ready.run.command.resize(1);
  for (const auto& argument : arguments_at(run, set)) ready.run.command.push_back(argument);
  ReferenceChain chain;
  auto runs = time_program(ready.run, chain, run.exit_code);
  if (!runs) {
    remark("not timed: " + runs.error().message());
    return {};
  }
  return summarize_runs(*runs).seconds;
}

// Sizes up to the recorded one that ran: an eighth of it, a quarter, ... .
Status calibrate(const Profile& profile, ScaleArguments& arguments) {
  TRY(ReadyProgram ready, ready_program(profile.run, Seconds{arguments.program.timeout}));
  ProgressBar bar;
  const double factors[] = {0.25, 0.35, 0.5, 0.7, 1.0, 2.0};
  double done = 0, spent = 0;
  for (double factor : factors) {
    bar.show("timing the program at small sizes", done++ / std::size(factors));
    scale::Setting set;
    for (const auto& [name, value] : profile.run.parameters) set[name] = std::max(1.0, std::round(value * factor));
    bool taken = factor == 1 || std::ranges::none_of(profile.scaling->runs, [&](const SizedRun& r) { return r.set == set && !r.failed.empty(); });
    if (!taken || spent > 1) continue;
    if (auto seconds = timed(ready, profile.run, set)) {
      EquationPoint point;
      point.set = set, point.seconds = *seconds, spent = std::max(spent, *seconds);
      arguments.options.measured.push_back(point);
    }
  }
  if (arguments.options.measured.empty()) return unfit("no size of the program could be timed", profile.program);
  return {};
}

Status run(ScaleArguments& arguments) {
  TRY(arguments.options.at, settings_at(arguments.at));
  if (!arguments.plan.empty()) {
    TRY(arguments.options.plan, read_record<ParallelPlan>(arguments.plan));
  }
  if (!arguments.cost.empty()) {
    TRY(arguments.options.cost, named_file<CostFile>(arguments.cost, "costs", ".cost.json"));
  }
  TRY(std::vector<Machine> machines, load_machines(arguments.machines));
  arguments.program.arguments = program_arguments();
  TRY(Profile profile, profile_of(arguments.program));
  if (!profile.scaling || profile.scaling->shares.empty())
    return unfit("the profile knows its counts for the recorded run only", profile.program, "perfcast analyze prog.c --param N=ARG1 -- 500");
  if (arguments.measure || arguments.measure_at) CHECK_OK(calibrate(profile, arguments));
  TRY(std::vector<Equation> equations, scale::scale(profile, machines, arguments.options));
  if (arguments.measure_at) {
    TRY(ReadyProgram ready, ready_program(profile.run, Seconds{arguments.program.timeout}));
    for (EquationPoint& point : equations.front().at) point.measured = timed(ready, profile.run, point.set);
  }
  return emit(equations.front(), report::equations_text(equations, arguments.view), arguments.output);
}

}  // namespace

void add_scale(CLI::App& app, Action& action) {
  auto a = std::make_shared<ScaleArguments>();
  add_program_options(app, a->program);
  add_machine_option(app, a->machines);
  app.add_option("--at", a->at, "Where to evaluate: N=8000 or N=8000,P=16; repeatable")->allow_extra_args(false);
  app.add_option("--sensitivity", a->options.sensitivity, "Derivative and elasticity in these parameters; \"all\" ranks everything")->delimiter(',')->allow_extra_args(false);
  app.add_option("--optimum", a->cost, "A cost file (or the name of a bundled one): best performance for the price, offers by price");
  app.add_option("--plan", a->plan, "How the work is divided among P processors and what they send (perfcast.plan)");
  app.add_flag("--measure", a->measure, "Time the program here at small sizes and calibrate the costs by them");
  app.add_flag("--check", a->measure_at, "As --measure, and time it at the --at sizes too");
  app.add_flag("--views", a->options.views, "Speedup, scaleup and scaled speedup with the share of each term");
  app.add_flag("--surfaces", a->options.surfaces, "Time, and sensitivities, over sizes and processors");
  app.add_option("--as", a->view.as, "The equation alone: latex or c")->check(CLI::IsMember({"text", "latex", "c"}));
  app.add_option("--rows", a->view.rows, "Terms to show")->capture_default_str();
  app.add_option("--confidence", a->options.confidence, "Of the intervals")->check(CLI::Range(0.01, 0.999))->capture_default_str();
  add_output_options(app, a->output);
  action = [a] { return run(*a); };
}

}  // namespace perfcast::cli
