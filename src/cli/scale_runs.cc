#include "cli/scale_runs.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "base/text.h"
#include "cli/common.h"
#include "cli/parallel.h"
#include "cli/program.h"
#include "cli/progress.h"
#include "methods/scale/features.h"
#include "methods/scale/regression.h"
#include "record/sized_arguments.h"

namespace perfcast::cli {
namespace {

// The program did not take sizes near this one.
bool refused(const Profile& profile, const std::string& name, double size) {
  return std::ranges::any_of(profile.scaling->runs, [&](const SizedRun& run) { auto it = run.set.find(name); return it != run.set.end() && it->second == size && !run.failed.empty(); });
}

// More sizes were refused than taken: only those that were taken are safe.
bool choosy(const Profile& profile) {
  const auto failed = std::ranges::count_if(profile.scaling->runs, [](const SizedRun& run) { return !run.failed.empty(); });
  return 2 * failed > static_cast<std::ptrdiff_t>(profile.scaling->runs.size());
}

double processors_of(const scale::Setting& set) {
  auto it = set.find("P");
  return it == set.end() ? 1 : it->second;
}

}  // namespace

struct SizedTimer::Built {
  ReadyProgram program;
  ReferenceChain chain;
};

std::optional<double> SizedTimer::operator()(const scale::Setting& set) {
  auto not_timed = [](const Error& error) -> std::optional<double> {
    remark("not timed: " + error.message());
    return {};
  };
  const bool own = profile_.run.parameters.contains("P");
  const double processors = own ? 1 : processors_of(set);
  if (!profile_.messages.is_null() || processors > 1) {
    if (profile_.messages.is_null() && profile_.parallel.is_null()) {
      remark("not timed: the program has neither threads nor ranks that were recorded, so it runs on one processor only");
      return {};
    }
    Profile sized = profile_;
    sized.run.arguments = arguments_at(profile_.run.arguments, profile_.run.parameter_arguments, set);
    auto measured = measure_on(sized, static_cast<int>(std::lround(processors)), limits_);
    return measured ? std::optional(measured->seconds) : not_timed(measured.error());
  }
  if (!built_) {
    auto ready = ready_program(profile_.run, limits_);
    if (!ready) return not_timed(ready.error());
    built_ = std::make_shared<Built>(Built{std::move(*ready), {}});
    if (!profile_.parallel.is_null()) built_->program.run.environment["OMP_NUM_THREADS"] = "1";
  }
  built_->program.run.command.resize(1);
  for (const auto& argument : arguments_at(profile_.run.arguments, profile_.run.parameter_arguments, set)) built_->program.run.command.push_back(argument);
  auto runs = time_program(built_->program.run, built_->chain, profile_.run.exit_code);
  return runs ? std::optional(summarize_runs(*runs).seconds) : not_timed(runs.error());
}

Result<std::vector<EquationPoint>> time_small_sizes(const Profile& profile, SizedTimer& timer) {
  ProgressBar bar;
  constexpr double longest = 1;  // seconds: small sizes are short
  std::vector<EquationPoint> points;
  const std::vector<double> factors = scale::systematic_sample(0.25, 1, 6, false);
  for (std::size_t k = 0; k < factors.size(); k++) {
    bar.show("timing the program at small sizes", static_cast<double>(k) / static_cast<double>(factors.size()));
    EquationPoint point;
    for (const auto& [name, value] : profile.run.parameters) {
      // Programs that take powers of two only, or multiples, took these: the nearest size that was taken.
      double wanted = std::max(1.0, std::round(value * factors[k])), best = value;
      for (const SizedRun& run : profile.scaling->runs)
        if (auto it = run.set.find(name); it != run.set.end() && run.failed.empty() && std::abs(std::log(it->second / wanted)) < std::abs(std::log(best / wanted))) best = it->second;
      point.set[name] = std::abs(std::log(best / wanted)) < 0.2 || refused(profile, name, wanted) || choosy(profile) ? best : wanted;
    }
    const bool known = std::ranges::any_of(points, [&](const auto& p) { return p.set == point.set; });
    if (known || (!points.empty() && points.back().seconds > longest)) continue;
    if (auto seconds = timer(point.set)) point.seconds = *seconds, points.push_back(point);
  }
  if (points.empty()) return unfit("no size of the program could be timed", profile.program);
  return points;
}

Result<std::vector<EquationPoint>> runs_of(const std::string& file, const Profile& profile) {
  TRY(TimedRuns runs, read_record<TimedRuns>(file));
  std::vector<EquationPoint> points;
  for (const Observation& run : runs.runs) {
    if (run.program != profile.program) continue;
    if (!(run.seconds > 0)) return unfit("a run without a positive time", file);
    for (const auto& [name, value] : run.set)
      if (name != "P" && !profile.run.parameters.contains(name)) return unfit("a run has the parameter \"" + name + "\", the profile has not", file);
    EquationPoint point;
    point.set = run.set, point.seconds = run.seconds;
    points.push_back(std::move(point));
  }
  if (points.empty()) return unfit("the file has no runs of " + profile.program, file, "perfcast scale PROFILE --measure --save-runs FILE");
  return points;
}

Status save_runs(const std::string& file, const Profile& profile, const std::string& machine, const std::vector<EquationPoint>& points) {
  TimedRuns runs;
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) {
    TRY(runs, read_record<TimedRuns>(file));
    if (!runs.machine.empty() && runs.machine != machine) return unfit("the runs in it are of " + runs.machine, file, "one file per machine");
  }
  runs.machine = machine, runs.made_by = made_here();
  for (const EquationPoint& point : points) {
    TRY(Observation observation, scale::observation_of(profile, point));
    std::erase_if(runs.runs, [&](const Observation& o) { return o.program == observation.program && o.set == observation.set; });
    runs.runs.push_back(std::move(observation));
  }
  return write_record(file, runs);
}

}  // namespace perfcast::cli
