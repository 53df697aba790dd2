#include "frontends/openmp/record_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

#include "base/files.h"
#include "base/mpi.h"
#include "base/paths.h"
#include "base/run_tidily.h"
#include "base/symbols.h"

namespace perfcast::openmp {
namespace {

// Of a region with so many threads: "shares TASKS SECONDS BUSIEST", then for other numbers of threads the busiest one's seconds.
void add_shares(std::istringstream& words, int threads, ThreadRegion& region) {
  double seconds = 0, busiest = 0;
  if (!(words >> region.tasks >> seconds >> busiest) || seconds <= 0) return;
  double number = 0, longest = 0;
  auto put = [&](const std::string& of, double ratio) { if (std::isfinite(ratio)) region.uneven[of] = std::max(1.0, ratio); };
  while (words >> number >> longest) put(fmt::format("{:g}", number), longest * number / seconds);
  // Chunks go to whoever is free: that one thread did more of them tells who was kept from working, not how the work is.
  const bool to_whoever_is_free = region.schedule == "dynamic" || region.schedule == "guided";
  const std::string recorded = std::to_string(threads);
  if (!to_whoever_is_free || !region.uneven.contains(recorded)) put(recorded, busiest * threads / seconds);
}

// One run with these threads; none: it took too long or ended badly, and nothing was written.
Result<std::optional<ThreadProfile>> watch(const RecordOptions& options, int threads, const RunLimits& limits, const std::string& tool, const std::string& written) {
  RunRequest request;
  request.command = options.command, request.folder = options.folder, request.limits = limits;
  if (!options.input_file.empty()) request.input_file = options.input_file;
  request.environment = {{"LD_PRELOAD", tool}, {"PERFCAST_THREADS", written}, {"OMP_NUM_THREADS", std::to_string(threads)}, {"OMP_DYNAMIC", "false"}};
  // Threads that wait by spinning would keep those from working that have no processor.
  if (threads > usable_processors()) request.environment["KMP_BLOCKTIME"] = "0";
  TRY(RunOutcome outcome, run_program(request));
  auto text = read_file(written);
  if (!text) {
    if (outcome.ending != Ending::exited) return unfit("the program " + outcome.how_it_ended(limits), options.command[0]);
    return std::optional<ThreadProfile>();
  }
  TRY(ThreadProfile profile, threads_of(*text));
  if (!outcome.ok()) profile.gaps.push_back({"the program " + outcome.how_it_ended(limits), {}, 0});
  return profile;
}

// What two runs say of the same regions, the less uneven of both.
void keep_least(const ThreadProfile& again, ThreadProfile& many) {
  for (std::size_t r = 0; r < many.regions.size() && r < again.regions.size(); r++) {
    if (many.regions[r].function != again.regions[r].function || !(many.regions[r].at == again.regions[r].at)) return;
    for (auto& [threads, uneven] : many.regions[r].uneven)
      if (auto it = again.regions[r].uneven.find(threads); it != again.regions[r].uneven.end()) uneven = std::min(uneven, it->second);
  }
}

// Many threads tell where in its iterations a region has most to do. They are believed where they explain what the few did.
void take_shares(const ThreadProfile& many, ThreadProfile& few) {
  constexpr double alike = 0.15;
  for (ThreadRegion& region : few.regions) {
    const auto same = std::ranges::find_if(many.regions, [&](const ThreadRegion& r) { return r.function == region.function && r.at == region.at && r.entries == region.entries; });
    if (same == many.regions.end()) continue;
    if (same->seconds.size() == region.seconds.size()) region.fixed_threads = static_cast<int>(region.seconds.size());
    const std::string number = std::to_string(region.seconds.size());
    const auto seen = region.uneven.find(number);
    const auto explained = same->uneven.find(number);
    if (seen == region.uneven.end() || explained == same->uneven.end() || std::abs(explained->second - seen->second) > alike * seen->second) continue;
    const double recorded = seen->second;
    region.uneven = same->uneven;
    region.uneven[number] = recorded;
  }
}

}  // namespace

Result<ThreadProfile> threads_of(const std::string& written, const FindPlaces& find_places) {
  ThreadProfile profile;
  std::istringstream in(written);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "whole") words >> profile.elapsed >> profile.serial;
    if (kind == "shares" && !profile.regions.empty()) add_shares(words, static_cast<int>(profile.regions.back().seconds.size()), profile.regions.back());
    if (kind != "region") continue;
    ThreadRegion region;
    std::string module;
    unsigned long long offset = 0;
    int threads = 0;
    if (!(words >> module >> std::hex >> offset >> std::dec >> region.entries >> region.wall >> region.schedule >> region.iterations >> region.chunks >> region.barriers >> region.held >> threads))
      return unfit("a line about a parallel region is not understood", line);
    for (double s; words >> s;) region.seconds.push_back(std::max(0.0, s));
    profile.threads = std::max(profile.threads, threads);
    if (region.schedule == "none") region.schedule.clear();
    if (auto places = find_places(module, {offset}); places && !places->empty()) {
      region.function = places->front().function;
      if (places->front().line > 0) region.at = {places->front().file, places->front().line, 0};
    }
    profile.regions.push_back(std::move(region));
  }
  return profile;
}

Result<ThreadProfile> record_threads(const RecordOptions& options) {
  auto clang = find_program("clang-19");
  if (!clang) return unfit("watching threads needs clang-19 and its libomp", "", "apt install clang-19 libomp-19-dev");
  TRY(TemporaryFolder folder, TemporaryFolder::make("threads"));
  RunRequest build;
  build.command = {*clang, "-O2", "-w", "-fPIC", "-shared", (bundled_data() / "runtime/threads_record.c").string(), "-o", folder.file("tool.so")};
  TRY(RunOutcome built, run_tidily(build));
  if (!built.ok()) return unfit("the tool that watches threads does not compile:\n" + built.errors, *clang, "apt install libomp-19-dev");
  const std::string tool = folder.file("tool.so");
  TRY(auto profile, watch(options, options.threads, options.limits, tool, folder.file("threads")));
  if (!profile)
    return unfit("the program ran no parallel region that could be watched", options.command[0], "compile with -fopenmp by clang; libgomp cannot be watched");
  if (options.threads > usable_processors()) profile->gaps.push_back({"more threads than processors: times by thread mean little", {}, 0});
  if (options.spread > options.threads && profile->threads > 1) {
    // Twenty-four threads on two processors wait for each other at every barrier.
    constexpr double patience = 4, at_least = 5;
    RunLimits limits = options.limits;
    limits.time = Seconds{std::min(limits.time.value, std::max(at_least, patience * profile->elapsed))};
    // Who is disturbed looks busier than the others, so the least of a few quick runs is nearest.
    constexpr double seconds_in_all = 2;
    constexpr int most_runs = 3;
    std::optional<ThreadProfile> many;
    double spent = 0;
    for (int run = 0; run < most_runs && spent < seconds_in_all; run++) {
      auto again = watch(options, options.spread, limits, tool, folder.file("spread" + std::to_string(run)));
      if (!again || !*again) break;
      spent += (*again)->elapsed;
      if (many) keep_least(**again, *many);
      else many = std::move(*again);
    }
    if (many) take_shares(*many, *profile);
  }
  return std::move(*profile);
}

}  // namespace perfcast::openmp
