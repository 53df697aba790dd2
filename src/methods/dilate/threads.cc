#include "methods/dilate/threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/files.h"
#include "base/preload.h"
#include "base/statistics.h"
#include "base/text.h"
#include "methods/dilate/same_work.h"
#include "record/check.h"

namespace perfcast::dilate {
namespace {

Result<ThreadsRecord> read_threads(const std::string& folder, const std::string& program) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::string name = entry.path().filename().string();
    if (!name.starts_with("threads-")) continue;
    TRY(Json json, read_json_file(entry.path().string()));
    TRY(ThreadsRecord record, threads_in(json, name));
    if (record.regions.size() > 1) return record;
  }
  return unfit("no parallel region was entered: there are no threads to look at", program,
               "an OpenMP program, linked dynamically with libomp or libgomp");
}

Result<ThreadsRecord> run_once(const std::vector<std::string>& command, const std::string& library, double d, const std::string& region,
                               const DilateOptions& options) {
  TRY(TemporaryFolder folder, TemporaryFolder::make("dilate"));
  TRY(RunRequest request, preloaded(command, library, {{"PERFCAST_DILATE_D", number_text(d, 17)},
                                                       {"PERFCAST_DILATE_REGION", region},
                                                       {"PERFCAST_DILATE_FOLDER", folder.path().string()}}));
  request.limits.time = options.time_limit;
  TRY(RunOutcome outcome, run_program(request));
  if (!outcome.ok()) return failure_of(outcome, request.limits, d, command);
  return read_threads(folder.path().string(), join(command, " "));
}

std::string readable(const std::string& name) {
  auto plus = name.rfind('+');
  if (plus == std::string::npos || !find_program("addr2line")) return name;
  RunRequest request;
  request.command = {"addr2line", "-f", "-C", "-s", "-e", name.substr(0, plus), "0x" + name.substr(plus + 1)};
  request.limits.time = Seconds{10};
  auto outcome = run_program(request);
  std::string file = std::filesystem::path(name).filename().string();
  if (!outcome || !outcome->ok()) return file;
  auto lines = split(outcome->output, '\n');
  if (lines.size() < 2 || lines[0] == "??") return file;
  std::string place = lines[1].substr(0, lines[1].find(' '));
  return place.starts_with("??") ? lines[0] : lines[0] + " (" + place + ")";
}

DilationPoint point_of(const std::vector<ThreadsRecord>& runs, double first_elapsed, const Circumstances& circumstances) {
  DilatedRun joined;
  DilationPoint& p = joined.point;
  std::vector<double> switches;
  double work = 0, short_seconds = 0;
  p.d = runs.front().d;
  for (const auto& run : runs) {
    p.repeats.push_back(run.elapsed), switches.push_back(run.switches / std::max(1e-9, run.elapsed) / std::max(1, run.threads));
    for (const auto& region : run.regions) work += region.work, short_seconds += region.short_seconds, p.segments += region.segments;
    joined.clock_seconds = std::max(joined.clock_seconds, run.clock_seconds);
    joined.most_on_one_host = std::max<double>(joined.most_on_one_host, run.threads);
  }
  double n = static_cast<double>(runs.size());
  p.elapsed = median(p.repeats), p.normalized = p.elapsed / p.d, p.speedup = p.normalized > 0 ? first_elapsed / p.normalized : 1;
  p.segments /= n * std::max(1, runs.front().threads), p.switches = median(switches);
  p.segment_seconds = p.segments > 0 ? work / n / std::max(1, runs.front().threads) / p.segments : 0;
  p.short_share = work > 0 ? short_seconds / work : 0;
  p.drift = p.elapsed > 0 ? (quantile(p.repeats, 0.75) - quantile(p.repeats, 0.25)) / p.elapsed : 0;
  joined.compute = p.elapsed / p.d;
  judge_point(joined, circumstances);
  return p;
}

}  // namespace

const DilationPoint* largest_valid(const RegionSpeedup& region) {
  const DilationPoint* largest = nullptr;
  for (const auto& point : region.points)
    if (point.valid && (!largest || point.d > largest->d)) largest = &point;
  return largest;
}

std::vector<std::string> readable_names(const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  texts.reserve(names.size());
  for (const auto& name : names) texts.push_back(readable(name));
  std::vector<std::string> distinct = texts;
  for (std::size_t i = 0; i < names.size(); i++)
    if (std::ranges::count(texts, texts[i]) > 1) distinct[i] += " at " + std::filesystem::path(names[i]).filename().string();
  return distinct;
}

Result<ThreadsRecord> threads_in(const Json& json, const std::string& name) {
  ThreadsRecord record;
  try {
    from_json_value(json, record, "");
    need(record.d >= 1 && record.elapsed > 0 && record.threads >= 1, "", "not the times of a run");
    for (double seconds : record.level_seconds) need(seconds >= 0, "/level_seconds", "times are not negative");
  } catch (const JsonMismatch& mismatch) {
    return unfit(mismatch.what, name + ": " + mismatch.place);
  }
  return record;
}

DemandProfile demand_of(const std::vector<ThreadsRecord>& runs) {
  DemandProfile demand;
  demand.trials = static_cast<int>(runs.size());
  std::map<int, std::vector<double>> shares;
  double seconds = 0;
  for (const auto& run : runs) {
    demand.processors = std::max(demand.processors, run.threads);
    double work = 0;
    for (std::size_t i = 1; i < run.level_seconds.size(); i++) work += static_cast<double>(i) * run.level_seconds[i], seconds += run.level_seconds[i];
    if (!run.level_seconds.empty()) demand.synchronisation += run.level_seconds[0] / static_cast<double>(runs.size());
    for (std::size_t i = 1; i < run.level_seconds.size() && work > 0; i++)
      shares[static_cast<int>(i)].push_back(static_cast<double>(i) * run.level_seconds[i] / work);
  }
  demand.seconds = seconds / static_cast<double>(std::max<std::size_t>(1, runs.size()));
  double sum = 0;
  for (const auto& [active, values] : shares) sum += mean(values);
  for (const auto& [active, values] : shares)
    if (double share = mean(values) / sum; share > 0)
      demand.modes.push_back({active, share, *std::ranges::min_element(values), *std::ranges::max_element(values)});
  return demand;
}

Result<Dilation> dilate_threads(const std::vector<std::string>& command, const std::vector<double>& factors, const DilateOptions& options) {
  if (!find_program(command[0])) return unfit("there is no such program", command[0], "its path");
  TRY(std::string library, runtime_library("dilate_threads"));
  Circumstances circumstances = circumstances_now();
  circumstances.who = "threads";
  Dilation dilation;
  dilation.program = join(command, " "), dilation.made_by = made_here(), dilation.kind = "threads", dilation.cores = circumstances.cores;
  auto say = [&](const std::string& doing, double fraction) { if (options.progress) options.progress(doing, fraction); };
  say("looking for parallel regions", 0);
  TRY(ThreadsRecord first, run_once(command, library, 1, "none", options));
  std::vector<ThreadRegion> regions = first.regions;
  std::ranges::sort(regions, std::greater<>(), &ThreadRegion::wall);
  std::erase_if(regions, [&](const ThreadRegion& r) { return r.wall < 0.01 * first.elapsed; });
  if (static_cast<int>(regions.size()) > options.regions) regions.resize(static_cast<std::size_t>(options.regions));

  std::vector<ThreadsRecord> plain;
  std::map<std::pair<std::size_t, double>, std::vector<ThreadsRecord>> runs;
  double done = 0, all = options.repeats * (1 + static_cast<double>(regions.size() * (factors.size() - 1)));
  for (int k = 0; k < options.repeats; k++) {
    say("plain", done++ / all);
    TRY(ThreadsRecord run, run_once(command, library, 1, "none", options));
    plain.push_back(std::move(run));
    for (std::size_t r = 0; r < regions.size(); r++)
      for (double d : factors) {
        if (d <= 1) continue;
        say("all but region " + std::to_string(r + 1) + " slower by " + number_text(d), done++ / all);
        TRY(ThreadsRecord slowed, run_once(command, library, d, regions[r].name, options));
        runs[{r, d}].push_back(std::move(slowed));
      }
  }
  std::vector<ThreadsRecord*> every;
  every.reserve(plain.size());
  for (auto& run : plain) every.push_back(&run);
  for (auto& [region, slowed] : runs)
    for (auto& run : slowed) every.push_back(&run);
  bring_to_same_work(every);
  DilationPoint base = point_of(plain, 1, circumstances);
  base.speedup = 1;
  dilation.points = {base};
  dilation.ranks = first.threads, dilation.clock_seconds = first.clock_seconds;
  dilation.compute_share = 1;
  dilation.demand = demand_of(plain);
  dilation.demand->program = dilation.program;
  std::vector<std::string> places;
  places.reserve(regions.size());
  for (const auto& region : regions) places.push_back(region.name);
  std::vector<std::string> names = readable_names(places);
  for (std::size_t r = 0; r < regions.size(); r++) {
    RegionSpeedup region;
    region.region = names[r];
    std::vector<double> shares;
    for (const auto& run : plain)
      for (const auto& seen : run.regions)
        if (seen.name == regions[r].name) shares.push_back(seen.wall / run.elapsed);
    region.share = shares.empty() ? 0 : median(shares);
    for (double d : factors)
      if (d > 1) {
        region.points.push_back(point_of(runs[{r, d}], base.elapsed, circumstances));
        if (!base.valid) region.points.back().valid = false;
      }
    if (const DilationPoint* point = largest_valid(region)) region.promised = point->speedup;
    dilation.regions.push_back(std::move(region));
  }
  std::ranges::sort(dilation.regions, [](const RegionSpeedup& a, const RegionSpeedup& b) {
    return a.promised != b.promised ? a.promised > b.promised : a.region < b.region;
  });
  // Sorted by what was promised, 1 where nothing is valid: the first that can be trusted.
  auto trusted = std::ranges::find_if(dilation.regions, [](const RegionSpeedup& r) { return largest_valid(r) != nullptr; });
  if (trusted != dilation.regions.end()) {
    const RegionSpeedup& best = *trusted;
    dilation.verdict = DilationVerdict::compute_bound;
    dilation.explanation = fmt::format("speeding up {} pays most: {:g} times as fast makes the program {:.2f} times as fast; it takes {} of the time",
                                       best.region, largest_valid(best)->d, best.promised, percent_text(best.share));
  } else {
    dilation.verdict = DilationVerdict::unclear, dilation.explanation = "no point can be trusted: see what is said of each";
  }
  return dilation;
}

}  // namespace perfcast::dilate
