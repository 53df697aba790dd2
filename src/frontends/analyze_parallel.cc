#include "frontends/analyze_parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>

#include "base/files.h"
#include "base/mpi.h"
#include "base/paths.h"
#include "base/run_tidily.h"
#include "base/text.h"
#include "frontends/mpi/record_messages.h"
#include "frontends/openmp/record_threads.h"
#include "record/sized_arguments.h"

namespace perfcast {
namespace fs = std::filesystem;
namespace {

// Only the counted rank finds the folder its counts go to, and that it is the one to trace.
std::vector<std::string> launcher_for(const MpiTools& tools, int ranks, int counted) {
  MpiLaunch launch;
  launch.ranks = ranks;
  launch.command = {"sh", "-c",
                    "r=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}; [ \"$r\" = " + std::to_string(counted) +
                        " ] || unset PERFCAST_COUNTS PERFCAST_MEMORY_PROFILE PERFCAST_TRACED; exec \"$@\"", "sh"};
  RunRequest request = mpi_request(tools, launch);
  // What mpi_request sets in the environment goes into the command: others start it.
  std::vector<std::string> command = {"env"};
  for (const auto& [name, value] : request.environment) command.push_back(name + "=" + value);
  command.insert(command.end(), request.command.begin(), request.command.end());
  return command;
}

int busiest(const Skeleton& skeleton) {
  std::size_t best = 0;
  for (std::size_t r = 1; r < skeleton.totals.size(); r++)
    if (skeleton.totals[r].compute > skeleton.totals[best].compute) best = r;
  return static_cast<int>(best);
}

Result<Skeleton> record(const AnalyzeOptions& options, const std::string& executable, int ranks) {
  mpi::RecordOptions recording;
  recording.command = {executable};
  recording.command.insert(recording.command.end(), options.arguments.begin(), options.arguments.end());
  recording.ranks = ranks, recording.folder = options.folder, recording.limits = options.limits;
  TRY(recording.parameters, parameter_values(options.arguments, options.parameters));
  if (!options.input_file.empty()) recording.input_file = fs::absolute(options.input_file).string();
  return mpi::record_messages(recording);
}

// The runs asked for, and for each parameter one of half its size, so that sizes of messages become expressions: with most
// ranks, where there are some between the first and the last.
Result<MessageProfile> record_all(const AnalyzeOptions& options, const std::string& executable, const std::vector<int>& ranks) {
  MessageProfile all;
  for (int r : ranks) {
    if (options.progress) options.progress("recording messages of " + std::to_string(r) + " ranks");
    TRY(Skeleton skeleton, record(options, executable, r));
    all.runs.push_back(std::move(skeleton));
  }
  TRY(const auto values, parameter_values(options.arguments, options.parameters));
  for (const auto& [name, value] : values) {
    constexpr double largest = 1e15;
    if (!(value >= 4 && value <= largest) || value != std::floor(value)) continue;
    AnalyzeOptions half = options;
    const double smaller_size = std::floor(value / 2);
    half.arguments = arguments_at(options.arguments, options.parameters, {{name, smaller_size}});
    if (options.progress) options.progress(fmt::format("recording messages at {} = {}", name, smaller_size));
    if (auto smaller = record(half, executable, *std::ranges::max_element(ranks))) all.runs.push_back(std::move(*smaller));
  }
  return all;
}

Result<Profile> messages_only(const AnalyzeOptions& options, MessageProfile messages) {
  Profile profile;
  profile.program = fs::path(options.binary).filename().string();
  profile.made_by = made_here();
  profile.run.binary = options.binary, profile.run.arguments = options.arguments;
  profile.run.folder = fs::absolute(options.folder.empty() ? "." : options.folder).lexically_normal().string();
  profile.gaps.push_back({"a binary with ranks: its messages were recorded, its computation was timed and not counted", {}, 0});
  profile.messages = to_json_value(messages);
  return profile;
}

Result<Profile> analyze_ranks(AnalyzeOptions options, const ParallelAnalysis& parallel) {
  TRY(MpiTools tools, find_mpi());
  TRY(TemporaryFolder folder, TemporaryFolder::make("ranks"));
  std::string executable = options.binary.empty() ? folder.file("program") : fs::absolute(options.binary).string();
  if (options.binary.empty()) {
    std::vector<std::string> sources;
    for (const std::string& source : options.sources) sources.push_back((fs::path(options.folder) / source).string());
    TRY(options.cflags, with_mpi_flags(options.cflags, sources));
    if (options.progress) options.progress("compiling");
    CHECK_OK(build_program(options, executable));
  }
  TRY(MessageProfile messages, record_all(options, executable, parallel.ranks));
  Skeleton& first = messages.runs.front();
  first.counted_rank = busiest(first);
  if (!options.binary.empty()) return messages_only(options, std::move(messages));
  options.launcher = launcher_for(tools, first.ranks, *first.counted_rank);
  TRY(Profile profile, analyze(options));
  std::erase_if(profile.library_calls, [](const auto& call) { return is_mpi_routine(call.first); });
  if (std::ranges::any_of(profile.library_calls, [](const auto& call) { return call.first.starts_with("__kmpc_fork"); }))
    profile.gaps.push_back({"the ranks ran threads of their own: what these compute is counted as if one thread did it", {}, 0});
  const RankTotals& totals = first.totals[static_cast<std::size_t>(*first.counted_rank)];
  if (profile.run.libraries_cut) profile.run.seconds = totals.compute;  // what is missing took no longer
  profile.run.page_faults = totals.page_faults;
  profile.messages = to_json_value(messages);
  return profile;
}

// A variable that all programs started meanwhile find.
class InEnvironment {
 public:
  InEnvironment(const char* name, const char* value) : name_(name) {
    if (const char* now = std::getenv(name)) before_ = now;
    setenv(name, value, 1);
  }
  InEnvironment(const InEnvironment&) = delete;
  InEnvironment& operator=(const InEnvironment&) = delete;
  ~InEnvironment() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

Result<Profile> analyze_threads(AnalyzeOptions options, const ParallelAnalysis& parallel) {
  TRY(TemporaryFolder folder, TemporaryFolder::make("threads"));
  std::string executable = options.binary.empty() ? folder.file("program") : fs::absolute(options.binary).string();
  if (options.binary.empty()) CHECK_OK(build_program(options, executable));
  openmp::RecordOptions recording;
  recording.command = {executable};
  recording.command.insert(recording.command.end(), options.arguments.begin(), options.arguments.end());
  recording.threads = parallel.threads, recording.spread = 24, recording.folder = options.folder, recording.limits = options.limits;
  recording.input_file = options.input_file;
  if (options.progress) options.progress("watching " + std::to_string(parallel.threads) + " threads");
  TRY(ThreadProfile threads, openmp::record_threads(recording));
  // Counted with one thread: the same work, and memory behaves as for one.
  const InEnvironment one_thread("OMP_NUM_THREADS", "1");
  TRY(Profile profile, analyze(options));
  std::erase_if(profile.library_calls, [](const auto& call) { return call.first.starts_with("__kmpc_") || call.first.starts_with("omp_"); });
  profile.parallel = to_json_value(threads);
  return profile;
}

bool is_fortran(const std::string& source) {
  const std::string ending = fs::path(source).extension().string();
  return ending.starts_with(".f") || ending.starts_with(".F");
}

// The module mpi_f08 has types and interfaces that no header of MPI holds.
Status refuse_f08(const std::vector<std::string>& sources) {
  for (const std::string& source : sources) {
    if (!is_fortran(source)) continue;
    auto text = read_file(source);
    if (!text) continue;
    std::ranges::transform(*text, text->begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (text->find("use mpi_f08") != std::string::npos)
      return unfit("the module mpi_f08 is made for the compiler behind mpifort and cannot be read by flang", source,
                   "mpifort -g " + fs::path(source).filename().string() + " -o app, then perfcast analyze --binary app --ranks 2");
  }
  return {};
}

// `use mpi`, out of the header mpif.h of the MPI that is there. Written once and kept: profiles name the folder in their flags.
Result<std::string> mpi_module(const std::string& flags) {
  const fs::path folder = user_data() / ("mpi-module-" + std::to_string(std::hash<std::string>{}(flags) % 1000000));
  if (fs::exists(folder / "mpi.mod")) return folder.string();
  std::error_code failed;
  fs::create_directories(folder, failed);
  CHECK_OK(write_file((folder / "mpi.f90").string(), "module mpi\n  include 'mpif.h'\nend module mpi\n"));
  RunRequest request;
  request.command = {"flang-new-19", "-fsyntax-only"};
  for (const std::string& word : split_words(flags))
    if (word.starts_with("-I")) request.command.push_back(word);
  request.command.push_back("mpi.f90"), request.folder = folder.string();
  TRY(RunOutcome outcome, run_tidily(request));
  if (!outcome.ok() || !fs::exists(folder / "mpi.mod")) return unfit("flang cannot read mpif.h:\n" + outcome.errors.substr(0, 1000), "flang-new-19 -fsyntax-only", "install libopenmpi-dev");
  return folder.string();
}

bool is_cxx(const std::string& source) {
  const std::string ending = fs::path(source).extension().string();
  return ending == ".cc" || ending == ".cpp" || ending == ".cxx" || ending == ".c++" || ending == ".C";
}

// What mpifort or mpicxx adds for the linker. Folders of modules are for its own compiler.
Result<std::string> libraries_of(MpiTools tools, const std::string& compiler) {
  auto found = find_program(compiler);
  if (!found) return unfit("the MPI compiler " + compiler + " was not found", "", "install libopenmpi-dev, g++ and gfortran");
  tools.cc = *found;
  TRY(std::string flags, mpi_compile_flags(tools));
  std::string kept;
  for (const std::string& word : split_words(flags))
    if (word.starts_with("-L") || word.starts_with("-l")) kept += (kept.empty() ? "" : " ") + word;
  return kept;
}

}  // namespace

Result<std::string> with_mpi_flags(const std::string& cflags, const std::vector<std::string>& sources) {
  TRY(MpiTools tools, find_mpi());
  TRY(std::string flags, mpi_compile_flags(tools));
  if (std::ranges::any_of(sources, is_fortran)) {
    CHECK_OK(refuse_f08(sources));
    TRY(std::string module_folder, mpi_module(flags));
    TRY(std::string libraries, libraries_of(tools, "mpifort"));
    flags = "-I" + module_folder + " " + flags + " " + libraries;
  }
  // The header of a C++ program may hold classes whose code lies in a library of its own.
  if (std::ranges::any_of(sources, is_cxx)) {
    TRY(std::string libraries, libraries_of(tools, "mpicxx"));
    flags += " " + libraries;
  }
  return cflags + (cflags.empty() ? "" : " ") + flags;
}

Result<Profile> analyze_parallel(AnalyzeOptions options, const ParallelAnalysis& parallel) {
  if (!parallel.ranks.empty() && parallel.threads > 0) return wrong_usage("ranks with threads inside are analysed one at a time: --ranks or --threads");
  const bool alone = parallel.ranks.empty() && parallel.threads == 0;
  if (!alone && !options.target.empty()) return wrong_usage("programs with ranks or threads are recorded on this machine: leave --target away");
  if (!parallel.ranks.empty()) return analyze_ranks(std::move(options), parallel);
  if (parallel.threads > 0) return analyze_threads(std::move(options), parallel);
  return analyze(options);
}

}  // namespace perfcast
