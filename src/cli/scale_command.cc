// perfcast scale: the time as an equation in the program's parameters, processors and machine.
#include <algorithm>
#include <cmath>

#include "base/paths.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/models.h"
#include "cli/program.h"
#include "cli/scale_runs.h"
#include "methods/scale/features.h"
#include "methods/scale/model.h"
#include "methods/scale/regression.h"
#include "methods/scale/scale.h"
#include "methods/scale/static_model.h"
#include "report/equation_text.h"
#include "report/scale_text.h"

namespace perfcast::cli {
namespace {

struct ScaleArguments {
  ProgramWords program;
  std::vector<std::string> machines, at;
  std::string plan, cost, runs, save_runs, regression, static_file, sorting;
  bool measure = false, measure_at = false;
  scale::ScaleOptions options;
  report::EquationView view;
  OutputOptions output;
};

// "N=8000,P=16" as a setting.
Result<std::vector<scale::Setting>> settings_at(const std::vector<std::string>& words) {
  std::vector<scale::Setting> all;
  for (const auto& word : words) {
    TRY(scale::Setting set, settings_of(split(word, ','), "--at N=1000"));
    all.push_back(std::move(set));
  }
  return all;
}

// A file, or the name of a bundled one.
template <class Record>
Result<Record> named_file(const std::string& name, const char* folder, const char* ending) {
  std::error_code ignored;
  std::string bundled = (bundled_data() / folder / (name + ending)).string();
  bool own = std::filesystem::exists(name, ignored);
  if (!own && !std::filesystem::exists(bundled, ignored)) return unfit("there is no such file", name);
  return read_record<Record>(own ? name : bundled);
}

// What needs no program of its own.
Status without_program(const ScaleArguments& arguments) {
  if (!arguments.sorting.empty()) {
    TRY(SortingStudy study, named_file<SortingStudy>(arguments.sorting, "sorting", ".sorting.json"));
    TRY(study, scale::solve_sorting(std::move(study)));
    return emit(study, report::sorting_text(study), arguments.output);
  }
  if (!arguments.static_file.empty()) {
    TRY(StaticProblem problem, named_file<StaticProblem>(arguments.static_file, "static", ".static.json"));
    TRY(problem, scale::solve_static(std::move(problem), arguments.options.at.empty() ? scale::Setting{} : arguments.options.at.front()));
    return emit(problem, report::static_text(problem), arguments.output);
  }
  if (!arguments.regression.empty()) {
    TRY(TimedRuns runs, read_record<TimedRuns>(arguments.regression));
    TRY(Regression regression, scale::fit_costs(runs.runs));
    regression.machine = runs.machine, regression.made_by = made_here();
    return emit(regression, report::regression_text(regression), arguments.output);
  }
  if (!arguments.cost.empty()) {
    TRY(CostFile cost, named_file<CostFile>(arguments.cost, "costs", ".cost.json"));
    if (cost.time.empty() || cost.costs.empty())
      return wrong_usage("the cost file " + arguments.cost + " has no time of its own, and no program is named", "perfcast scale PROFILE --optimum " + arguments.cost);
    Equation equation;
    equation.program = cost.name, equation.seconds = cost.time, equation.made_by = made_here();
    TRY(equation.optimum, scale::optimum(expr::Expr(1), cost, arguments.options.at.empty() ? scale::Setting{} : arguments.options.at.front()));
    return emit(equation, cost.name + ": " + cost.about + "\n" + report::optimum_text(*equation.optimum), arguments.output);
  }
  return wrong_usage("no program is named", "perfcast scale PROFILE --at N=8000, or --static, --sorting, --regression, --optimum FILE");
}

Status by_regression(const Profile& profile, ScaleArguments& arguments) {
  TRY(TimedRuns runs, read_record<TimedRuns>(arguments.regression));
  // What is asked for must not be in the fit: its own runs calibrate instead.
  std::erase_if(runs.runs, [&](const Observation& o) { return o.program == profile.program; });
  TRY(Regression regression, scale::fit_costs(runs.runs));
  regression.machine = runs.machine;
  TRY(Equation equation, scale::scale_by_regression(profile, regression, arguments.options));
  return emit(equation, report::equation_text(equation, arguments.view), arguments.output);
}

Status run(ScaleArguments& arguments) {
  CHECK_OK(can_write(arguments.output.file));
  TRY(arguments.options.at, settings_at(arguments.at));
  if (arguments.program.words.empty()) return without_program(arguments);
  if (!arguments.sorting.empty()) return wrong_usage("--sorting stands alone: it is about no program");
  if (!arguments.runs.empty() && (arguments.measure || arguments.measure_at)) return wrong_usage("--runs takes the place of --measure", "leave one of them away");
  if (!arguments.plan.empty()) {
    TRY(arguments.options.plan, read_record<ParallelPlan>(arguments.plan));
  }
  if (!arguments.cost.empty()) {
    TRY(arguments.options.cost, named_file<CostFile>(arguments.cost, "costs", ".cost.json"));
  }
  std::vector<Machine> machines;
  if (arguments.regression.empty() && arguments.static_file.empty()) {
    TRY(machines, machines_for(arguments.program, arguments.machines));
  }
  arguments.program.arguments = program_arguments();
  TRY(Profile profile, profile_of(arguments.program));
  CHECK_OK(scale::has_expressions(profile));
  if (!arguments.static_file.empty()) {
    TRY(StaticProblem problem, named_file<StaticProblem>(arguments.static_file, "static", ".static.json"));
    TRY(problem, scale::solve_static(std::move(problem), arguments.options.at.empty() ? scale::Setting{} : arguments.options.at.front(), &profile));
    return emit(problem, report::static_text(problem), arguments.output);
  }
  SizedTimer timer(profile, arguments.program.limits.limits());
  if (!arguments.runs.empty()) {
    TRY(arguments.options.measured, runs_of(arguments.runs, profile));
  }
  if (arguments.measure || arguments.measure_at) {
    TRY(arguments.options.measured, time_small_sizes(profile, timer));
  }
  if (!arguments.regression.empty()) return by_regression(profile, arguments);
  if (!arguments.save_runs.empty()) CHECK_OK(save_runs(arguments.save_runs, profile, machines.front().name, arguments.options.measured));
  TRY(std::vector<Equation> equations, scale::scale(profile, machines, arguments.options));
  if (arguments.measure_at)
    for (EquationPoint& point : equations.front().at) point.measured = timer(point.set);
  return emit(equations.front(), report::equations_text(equations, arguments.view), arguments.output);
}

}  // namespace

void add_scale(CLI::App& app, Action& action) {
  auto a = std::make_shared<ScaleArguments>();
  add_program_options(app, a->program);
  app.get_option("program")->required(false);
  add_machine_option(app, a->machines);
  app.add_option("--at", a->at, "Where to evaluate: N=8000 or N=8000,P=16; repeatable")->allow_extra_args(false);
  app.add_option("--sensitivity", a->options.sensitivity, "Derivative and elasticity in these parameters; \"all\" ranks everything")->delimiter(',')->allow_extra_args(false);
  app.add_option("--optimum", a->cost, "A cost file (or the name of a bundled one): best performance for the price, offers by price");
  app.add_option("--plan", a->plan, "How the work is divided among P processors and what they send (perfcast.plan)");
  app.add_flag("--measure", a->measure, "Time the program here at small sizes and calibrate the costs by them");
  app.add_flag("--check", a->measure_at, "As --measure, and time it at the --at sizes too");
  app.add_option("--runs", a->runs, "Calibrate by the runs of this program in a file (perfcast.runs) instead of timing it now");
  app.add_option("--save-runs", a->save_runs, "With --measure: add the timed runs, with what they execute, to this file");
  app.add_option("--regression", a->regression, "Machine costs by regression over the runs in a file; with a program, its time by them");
  app.add_option("--static", a->static_file, "Speedup, utilisation and the largest startup by counts alone (perfcast.static, or the name of a bundled one)");
  app.add_option("--sorting", a->sorting, "External sorting: balance of processors, disks and network (perfcast.sorting, or the name of a bundled one)");
  app.add_flag("--views", a->options.views, "Speedup, scaleup and scaled speedup with the share of each term");
  app.add_flag("--surfaces", a->options.surfaces, "Time, and sensitivities, over sizes and processors");
  app.add_option("--as", a->view.as, "The equation alone: latex or c")->check(CLI::IsMember({"text", "latex", "c"}));
  app.add_option("--rows", a->view.rows, "Terms to show")->capture_default_str();
  app.add_option("--confidence", a->options.confidence, "Of the intervals")->check(CLI::Range(0.01, 0.999))->capture_default_str();
  add_output_options(app, a->output);
  action = [a] { return run(*a); };
}

}  // namespace perfcast::cli
