#include "frontends/openmp/record_threads.h"

#include <algorithm>
#include <sstream>

#include "base/files.h"
#include "base/mpi.h"
#include "base/paths.h"
#include "base/symbols.h"

namespace perfcast::openmp {

Result<ThreadProfile> threads_of(const std::string& written) {
  ThreadProfile profile;
  std::istringstream in(written);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "whole") words >> profile.elapsed >> profile.serial;
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
    if (auto places = code_places(module, {offset}); places && !places->empty()) {
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
  TRY(RunOutcome built, run_program(build));
  if (!built.ok()) return unfit("the tool that watches threads does not compile:\n" + built.errors, *clang, "apt install libomp-19-dev");
  RunRequest request;
  request.command = options.command, request.folder = options.folder, request.limits = options.limits;
  if (!options.input_file.empty()) request.input_file = options.input_file;
  request.environment = {{"LD_PRELOAD", folder.file("tool.so")}, {"PERFCAST_THREADS", folder.file("threads")},
                         {"OMP_NUM_THREADS", std::to_string(options.threads)}, {"OMP_DYNAMIC", "false"}};
  TRY(RunOutcome outcome, run_program(request));
  auto text = read_file(folder.file("threads"));
  if (!text) {
    if (outcome.ending != Ending::exited) return unfit("the program " + outcome.how_it_ended(options.limits), options.command[0]);
    return unfit("the program ran no parallel region that could be watched", options.command[0], "compile with -fopenmp by clang; libgomp cannot be watched");
  }
  TRY(ThreadProfile profile, threads_of(*text));
  if (!outcome.ok()) profile.gaps.push_back({"the program " + outcome.how_it_ended(options.limits), {}, 0});
  if (options.threads > usable_processors()) profile.gaps.push_back({"more threads than processors: times by thread mean little", {}, 0});
  return profile;
}

}  // namespace perfcast::openmp
