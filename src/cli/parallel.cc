#include "cli/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/statistics.h"
#include "base/text.h"
#include "base/timing.h"
#include "cli/program.h"
#include "expr/parse.h"
#include "frontends/mpi/record_messages.h"
#include "methods/graph/graph.h"
#include "record/called_from.h"
#include "record/library.h"

namespace perfcast::cli {
namespace fs = std::filesystem;
namespace {

constexpr int fewest_runs = 11, most_runs = 40;
constexpr double longest_seconds = 20;  // for all runs, beyond the fewest

// Runs it until five runs were left alone; what all agree on for cores of their own where others shared them.
Result<MeasuredTime> measure_together(const std::function<Result<ElapsedRun>()>& run) {
  ReferenceChain chain;
  std::vector<TimedRun> runs;
  double spent = 0;
  auto undisturbed = [&] { return std::ranges::count_if(runs, [](const TimedRun& r) { return !r.disturbed; }); };
  for (int i = 0; i < most_runs && (i < fewest_runs || (spent < longest_seconds && undisturbed() < wanted_runs)); i++) {
    TRY(TimedRun made, timed_together(run, chain));
    spent += made.wall.value;
    if (made.wall.value > 0) runs.push_back(std::move(made));
    else if (runs.empty()) return unfit("the program did not end well when it was timed", "--measure");
    mark_disturbed(runs, chain);
  }
  RunSummary summary = summarize_runs(runs);
  MeasuredTime m;
  m.seconds = summary.seconds, m.interval = summary.interval, m.runs = summary.runs, m.disturbed = summary.disturbed;
  m.how = summary.how;
  if (auto at = m.how.find("process CPU time"); at != m.how.npos) m.how.replace(at, std::string("process CPU time").size(), "wall time");
  return m;
}

Result<MeasuredTime> measure_ranks(const Profile& profile, int ranks, const RunLimits& limits) {
  if (ranks > usable_processors())
    return unfit(std::to_string(ranks) + " ranks cannot be timed on " + std::to_string(usable_processors()) + " processors", "--measure", "fewer --ranks");
  TRY(ReadyProgram built, ready_program(profile.run, limits));
  mpi::RecordOptions recording;
  recording.command = built.run.command, recording.ranks = ranks, recording.folder = built.run.folder, recording.limits = built.run.limits;
  if (built.run.input_file) recording.input_file = *built.run.input_file;
  return measure_together([&]() -> Result<ElapsedRun> {
    TRY(Skeleton run, mpi::record_messages(recording));
    ElapsedRun made{run.elapsed, 0};
    for (const auto& t : run.totals) made.preemptions += t.preemptions;
    return made;
  });
}

Result<MeasuredTime> measure_threads(const Profile& profile, int threads, const RunLimits& limits) {
  if (threads > usable_processors())
    return unfit(std::to_string(threads) + " threads cannot be timed on " + std::to_string(usable_processors()) + " processors", "--measure", "fewer --threads");
  TRY(ReadyProgram built, ready_program(profile.run, limits));
  built.run.environment["OMP_NUM_THREADS"] = std::to_string(threads);
  return measure_together([&]() -> Result<ElapsedRun> {
    TRY(RunOutcome outcome, run_program(built.run));
    if (outcome.ending != Ending::exited) return unfit("the program " + outcome.how_it_ended(built.run.limits), profile.program);
    return ElapsedRun{outcome.wall.value, static_cast<double>(outcome.switches_involuntary)};
  });
}

// The computation of the recorded run itself, where nothing was counted.
ModelPrediction as_timed(const Profile& profile, const Machine& machine) {
  ModelPrediction p;
  p.model = Model::ct, p.machine = machine.name;
  if (auto messages = part_of<MessageProfile>(profile.messages, ""); messages && *messages && !(*messages)->runs.empty()) {
    const Skeleton& run = (*messages)->runs.front();
    if (run.counted_rank && static_cast<std::size_t>(*run.counted_rank) < run.totals.size()) p.seconds = run.totals.at(static_cast<std::size_t>(*run.counted_rank)).compute;
  }
  p.interval = {0.8 * p.seconds, 1.2 * p.seconds};
  p.remarks.push_back("computation as timed when the messages were recorded, on the machine they were recorded on");
  return p;
}

}  // namespace

void add_parallel_options(CLI::App& app, parallel::ParallelOptions& options) {
  app.add_option("--ranks", options.ranks, "Processors with messages between them; default: as many as were recorded")->check(CLI::Range(1, 100000));
  app.add_option("--threads", options.threads, "Threads of an OpenMP program")->check(CLI::Range(1, 4096));
  app.add_option("--template", options.pattern, "A parallel template for a program without messages (perfcast templates)");
  app.add_option("--path", options.path, "How messages travel: \"shared memory\", tcp, ...; default: the machine's first");
  app.add_option("--network", options.network, "simgrid plays the messages on a platform; for templates also a network of data/networks");
  app.add_option("--platform", options.platform, "simgrid: a platform file, a name of data/platforms, or measured");
}

Status about_messages(const Profile& profile, const parallel::ParallelOptions& options) {
  for (const auto& [option, value] : {std::pair{"--path", &options.path}, std::pair{"--network", &options.network}, std::pair{"--platform", &options.platform}})
    if (!value->empty()) return wrong_usage(std::string(option) + " is about messages, and " + profile.program + " is predicted without any", "analyze with --ranks 2, or predict with --template");
  return {};
}

bool runs_in_parallel(const Profile& profile, const parallel::ParallelOptions& options) {
  return !profile.messages.is_null() || options.ranks > 0 || !options.pattern.empty() || options.threads > 0;
}

namespace {

// Machines without message costs get those of the user's own machine, or of a bundled one; by name, what was used instead.
std::map<std::string, std::string> borrow_messages(std::vector<Machine>& machines) {
  std::map<std::string, std::string> used;
  for (Machine& machine : machines)
    for (const std::string& name : {default_machine().value_or(""), std::string("neoverse-v1")}) {
      if (name.empty() || used.contains(machine.name)) continue;
      if (auto other = find_machine(name))
        if (auto remark = parallel::borrow_messages(machine, *other)) used[machine.name] = *remark;
    }
  return used;
}

// The number of ranks that P was set to.
Result<int> ranks_of(double p) {
  if (!(p >= 1 && p <= 100'000) || p != std::floor(p)) return wrong_usage(fmt::format("P = {:g} is no number of ranks", p), "--set P=8: a whole number from 1 to 100000");
  return static_cast<int>(p);
}

// A program that cannot be timed is predicted all the same.
void keep_or_say(Result<MeasuredTime> measured, Prediction& result) {
  if (measured) result.measured = std::move(*measured);
  else
    for (auto& p : result.predictions) p.remarks.push_back("not measured: " + measured.error().what);
}

}  // namespace

Result<MeasuredTime> measure_on(const Profile& profile, int processors, const RunLimits& limits) {
  return profile.messages.is_null() ? measure_threads(profile, processors, limits) : measure_ranks(profile, processors, limits);
}

Result<Prediction> predict_parallel(const Profile& profile, const std::vector<Machine>& given, predict::PredictOptions predicting,
                                    parallel::ParallelOptions options, bool measure, const RunLimits& limits) {
  std::vector<Machine> machines = given;
  if (!options.platform.empty() && options.network != "simgrid") return wrong_usage("--platform belongs to --network simgrid");
  if (auto it = predicting.set.find("P"); it != predicting.set.end()) {
    TRY(options.ranks, ranks_of(it->second));
    predicting.set.erase(it);
  }
  options.set = predicting.set;
  if (measure) predicting.alone = true;  // as the time measured is
  if (!options.pattern.empty()) {
    TRY(parallel::Template pattern, parallel::find_template(options.pattern));
    auto own = options.set;
    std::erase_if(own, [&](const auto& s) { return profile.run.parameters.contains(s.first); });
    if (auto unknown = parallel::unknown_setting(pattern, own))
      return wrong_usage("neither the program nor the template " + pattern.name + " has a parameter " + *unknown, "perfcast templates " + pattern.name);
  }
  const bool by_template = !options.pattern.empty(), by_ranks = !by_template && (options.ranks > 0 || (options.threads == 0 && !profile.messages.is_null()));
  if (!by_template && !by_ranks) CHECK_OK(about_messages(profile, options));
  // A template's own parameters are not the program's.
  std::erase_if(predicting.set, [&](const auto& s) { return !profile.run.parameters.contains(s.first); });
  std::erase(predicting.models, Model::ct);
  std::map<std::string, std::string> borrowed;
  if (by_ranks || by_template) borrowed = borrow_messages(machines);
  Prediction result;
  if (by_ranks && !profile.machine && !profile.ir && !profile.source) {
    result.program = profile.program, result.made_by = made_here();
    for (const auto& machine : machines) result.predictions.push_back(as_timed(profile, machine));
  } else {
    TRY(result, predict::predict(profile, machines, predicting));
  }
  std::vector<ModelPrediction> carried;
  for (const auto& one : result.predictions) {
    auto machine = std::ranges::find(machines, one.machine, &Machine::name);
    if (machine == machines.end()) continue;
    auto many = by_template ? parallel::by_template(one, *machine, options)
                : by_ranks  ? parallel::on_ranks(one, profile, *machine, options)
                            : parallel::on_threads(one, profile, *machine, options);
    if (!many) return std::unexpected(many.error());
    if (auto it = borrowed.find(one.machine); it != borrowed.end()) many->remarks.insert(many->remarks.begin(), it->second);
    carried.push_back(std::move(*many));
  }
  result.predictions = std::move(carried);
  if (measure && by_template) return wrong_usage("a template is not a program that could be timed", "leave --measure away");
  if (measure && by_ranks) {
    int ranks = options.ranks;
    TRY(auto messages, part_of<MessageProfile>(profile.messages, profile.program));
    if (ranks == 0 && messages) ranks = messages->runs.front().ranks;
    keep_or_say(measure_ranks(profile, ranks, limits), result);
  } else if (measure) {
    int threads = options.threads;
    TRY(auto recorded, part_of<ThreadProfile>(profile.parallel, profile.program));
    if (threads == 0 && recorded) threads = recorded->threads;
    keep_or_say(measure_threads(profile, threads, limits), result);
  }
  return result;
}

namespace {

// What a model says of a function with all that it calls, for one call from outside of it.
Result<double> function_seconds(const Profile& profile, const ModelPrediction& p, const std::string& name) {
  const std::optional<Graph>& code = p.model == Model::icc ? profile.machine : p.model == Model::intcc ? profile.ir : profile.source;
  const auto view = p.views.find("function");
  if (code && view != p.views.end())
    for (const Function& function : code->functions) {
      if (function.name != name && function.readable != name) continue;
      const CallTree tree = call_tree(*code, function.name);
      std::map<std::string, double> parts;  // rows have readable names
      for (const Function& f : code->functions)
        if (const auto part = tree.parts.find(f.name); part != tree.parts.end()) parts[f.readable.empty() ? f.name : f.readable] = part->second;
      double seconds = 0;
      for (const Part& row : view->second)
        if (const auto part = parts.find(row.name); part != parts.end()) seconds += part->second * row.seconds;
      return seconds / std::max(1.0, tree.begun);
    }
  return unfit("the profile has no function " + name, profile.program);
}

// Named from here, or from where the design lies.
fs::path code_file(const graph::CodeReference& code, const fs::path& beside) {
  std::error_code ignored;
  return fs::path(code.profile).is_absolute() || fs::exists(code.profile, ignored) ? fs::path(code.profile) : beside / code.profile;
}

// Seconds of one execution of the code that stands for a step, by this model; none: by the best there is. Parameters of the design that
// the code has too are the same ones.
Result<double> code_seconds(const graph::CodeReference& code, const fs::path& beside, const std::map<std::string, double>& parameters, const Machine& machine,
                            std::optional<Model> model) {
  const fs::path file = code_file(code, beside);
  TRY(Profile profile, find_profile(file.string()));
  predict::PredictOptions options;
  if (model) options.models = {*model};
  for (const auto& [name, recorded] : profile.run.parameters)
    if (const auto wanted = parameters.find(name); wanted != parameters.end() && wanted->second != recorded) options.set[name] = wanted->second;
  TRY(Prediction predicted, predict::predict(profile, {&machine, 1}, options));
  const ModelPrediction& p = predicted.predictions.front();
  if (code.function.empty() && code.region.empty()) return p.seconds;
  if (code.region.empty()) return function_seconds(profile, p, code.function);
  if (auto it = p.views.find("region"); it != p.views.end())
    for (const auto& part : it->second)
      if (part.name == code.region) return part.seconds;
  return unfit("the profile has no region " + code.region, file.string());
}

// The template of a step, with the values that the design gives it.
Status set_template(const graph::Design& sketch, const graph::Node& step, const std::map<std::string, double>& parameters, parallel::ParallelOptions& one) {
  const std::string place = sketch.file + ":" + std::to_string(step.line);
  one.pattern = step.pattern, one.set.clear();
  for (const auto& [key, text] : step.settings) {
    TRY(expr::Expr parsed, expr::parse(text, place));
    TRY(one.set[key], expr::evaluate(parsed, parameters));
  }
  TRY(parallel::Template pattern, parallel::find_template(one.pattern));
  if (auto unknown = parallel::unknown_setting(pattern, one.set))
    return unfit("the template " + pattern.name + " has no parameter " + *unknown, place, "perfcast templates " + pattern.name + " shows those it has");
  for (const auto& parameter : pattern.parameters)
    if (parameter.name != "P" && !parameter.value && !one.set.contains(parameter.name))
      return unfit("the template " + pattern.name + " needs " + parameter.name + ": " + parameter.remark, place,
                   "step " + step.name + " with " + pattern.name + "(" + parameter.name + " = ...)");
  return {};
}

// Steps with a template: each execution takes what the template makes of its time.
Status apply_templates(const graph::Design& sketch, const std::vector<graph::CountedStep>& steps, const Profile& profile,
                       const Machine& machine, const parallel::ParallelOptions& options, ModelPrediction& p) {
  const ModelPrediction before = p;
  double communication = 0, saved = 0;
  // A step of a graph that is used several times is one region with all its executions.
  std::map<const graph::Node*, double> executions;
  for (const auto& s : steps)
    if (!s.step->pattern.empty() && s.count > 0) executions[s.step] += s.count;
  for (const auto& [step, count] : executions) {
    const auto region = std::ranges::find(profile.regions, step->line, &Region::first_line);
    Part* row = nullptr;
    if (auto view = p.views.find("region"); view != p.views.end() && region != profile.regions.end())
      if (auto it = std::ranges::find(view->second, region->name, &Part::name); it != view->second.end()) row = &*it;
    const double all = row ? row->seconds : 0;
    parallel::ParallelOptions one = options;
    CHECK_OK(set_template(sketch, *step, profile.run.parameters, one));
    ModelPrediction single = before;
    single.seconds = all / count;
    TRY(ModelPrediction shared, parallel::by_template(single, machine, one));
    const double now = shared.seconds * count;
    communication += (shared.seconds - shared.parts.front().seconds) * count;
    saved += all - now;
    if (row) row->seconds = now;
  }
  p.seconds = before.seconds - saved;
  p.parts = {{"computation", p.seconds - communication, {}, {}}, {"communication and waiting", communication, {}, {}}};
  for (std::size_t i : {0u, 1u}) p.interval[i] = before.seconds > 0 ? before.interval[i] * p.seconds / before.seconds : p.seconds;
  p.remarks.push_back(std::to_string(options.ranks) + " ranks; steps without a template are done by all of them alike");
  return {};
}

// A refusal of one model that was asked alone.
std::string without_preface(const std::string& refusal) {
  constexpr std::string_view preface = "no model can answer: ";
  return refusal.starts_with(preface) ? refusal.substr(preface.size()) : refusal;
}

// By one model. Where steps have code it costs that code, and the estimates of the others are added as they are.
Result<Prediction> predict_design_by(Model model, const graph::Design& sketch, const fs::path& folder, const std::vector<graph::CountedStep>& steps, const Machine& machine,
                                     const std::map<std::string, double>& set, predict::PredictOptions predicting, const parallel::ParallelOptions& options) {
  if (model == Model::ct) return unfit("ct: a design is no program that could be timed; perfcast study times one beside its design", sketch.file);
  std::map<std::string, double> code;
  const std::optional<Model> for_code = model == Model::dbc ? std::optional<Model>() : model;
  TRY(const Profile estimates, graph::profile_of(sketch, {set, {}}));
  for (const auto& s : steps)
    if (s.step->code && !code.contains(s.step->name)) {
      auto seconds = code_seconds(*s.step->code, folder, estimates.run.parameters, machine, for_code);
      if (!seconds) return unfit(without_preface(seconds.error().what) + " (the code of step " + s.step->name + ")", seconds.error().where, seconds.error().try_this);
      code[s.step->name] = *seconds;
    }
  TRY(Profile profile, graph::profile_of(sketch, {set, code}));
  predicting.set.clear();
  predicting.models = {code.empty() ? model : Model::dbc};
  auto predicted = predict::predict(profile, {&machine, 1}, predicting);
  const std::vector<std::string> doubts = graph::check(sketch, set);
  if (!predicted) return unfit(without_preface(predicted.error().what) + (doubts.empty() ? "" : " (" + join(doubts, "; ") + ")"), sketch.file);
  Prediction result = std::move(*predicted);
  for (auto& p : result.predictions) {
    p.model = model;
    if (options.ranks > 1) CHECK_OK(apply_templates(sketch, steps, profile, machine, options, p));
    if (for_code && !code.empty()) p.remarks.push_back(fmt::format("{} costs the steps that have code; the others are estimates of the design", word_of(model)));
    p.remarks.push_back(graph::timing_formula(sketch));
    for (const auto& doubt : doubts) p.remarks.push_back(doubt);
  }
  return result;
}

}  // namespace

Result<Prediction> predict_design(const std::string& file, const std::vector<Machine>& machines, const predict::PredictOptions& predicting,
                                  const parallel::ParallelOptions& given) {
  TRY(graph::Design sketch, graph::read_design(file));
  auto set = predicting.set;
  parallel::ParallelOptions options = given;
  if (auto it = set.find("P"); it != set.end() && !sketch.has_parameter("P")) {
    TRY(options.ranks, ranks_of(it->second));
    set.erase(it);
  }
  TRY(auto steps, graph::counted_steps(sketch, set));
  Prediction all;
  std::optional<Error> first_refusal;
  std::vector<std::string> refused;
  for (const auto& machine : machines)
    for (const Model model : predicting.models.empty() ? std::vector{Model::dbc} : predicting.models) {
      auto one = predict_design_by(model, sketch, fs::path(file).parent_path(), steps, machine, set, predicting, options);
      if (!one) {
        if (!first_refusal) first_refusal = one.error();
        if (std::ranges::find(refused, one.error().what) == refused.end()) refused.push_back(one.error().what);
      } else if (all.predictions.empty()) {
        all = std::move(*one);
      } else {
        all.predictions.insert(all.predictions.end(), one->predictions.begin(), one->predictions.end());
      }
    }
  if (all.predictions.empty()) return std::unexpected(*first_refusal);
  all.refused = std::move(refused);
  return all;
}

Result<std::optional<Profile>> code_of_design(const std::string& file) {
  TRY(graph::Design sketch, graph::read_design(file));
  TRY(auto steps, graph::counted_steps(sketch));
  std::optional<Profile> code;
  for (const auto& s : steps)
    if (s.step->code && !code) {
      TRY(code, find_profile(code_file(*s.step->code, fs::path(file).parent_path()).string()));
    }
  return code;
}

}  // namespace perfcast::cli
