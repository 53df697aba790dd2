#include "frontends/mpi/record_messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"

namespace perfcast::mpi {
namespace {

// The library, compiled once while perfcast runs.
Result<std::string> recorder(const MpiTools& tools) {
  static std::optional<TemporaryFolder> folder;
  if (folder) return folder->file("record.so");
  TRY(TemporaryFolder made, TemporaryFolder::make("recorder"));
  CHECK_OK(build_mpi_helper(tools, {"mpi_record.c", "mpi_record_rest.c"}, made.file("record.so"), true));
  folder.emplace(std::move(made));
  return folder->file("record.so");
}

}  // namespace

Result<Skeleton> record_messages(const RecordOptions& options) {
  if (options.ranks < 1) return wrong_usage("a program has one rank at least");
  TRY(MpiTools tools, find_mpi());
  TRY(TemporaryFolder work, TemporaryFolder::make("messages"));
  TRY(std::string library, recorder(tools));
  MpiLaunch launch;
  launch.ranks = options.ranks, launch.command = options.command, launch.folder = options.folder, launch.limits = options.limits;
  launch.preload = library;
  launch.environment["PERFCAST_MESSAGES"] = work.path().string();
  if (!options.input_file.empty()) launch.input_file = options.input_file;
  RunRequest request = mpi_request(tools, launch);
  TRY(RunOutcome outcome, run_program(request));
  auto skeleton = read_traces(work.path().string());
  if (!skeleton) {
    std::string said = outcome.errors.substr(0, 2000);
    if (!outcome.ok()) return unfit("the program " + outcome.how_it_ended(options.limits) + " before it called MPI" + (said.empty() ? "" : ":\n" + said), options.command[0]);
    return unfit("the program made no MPI call that could be recorded", options.command[0],
                 "a program linked statically to MPI cannot be recorded; without MPI, leave --ranks away");
  }
  skeleton->parameters = options.parameters;
  skeleton->crowded = options.ranks > usable_processors();
  if (!outcome.ok()) skeleton->gaps.push_back({"the program " + outcome.how_it_ended(options.limits), {}, 0});
  if (skeleton->crowded)
    skeleton->gaps.push_back({fmt::format("{} ranks ran on {} processors: what they send is right, waiting times are not", options.ranks, usable_processors()), {}, 0});
  return skeleton;
}

}  // namespace perfcast::mpi
