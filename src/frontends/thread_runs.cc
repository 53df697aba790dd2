#include "frontends/thread_runs.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/timing.h"
#include "frontends/analyze.h"
#include "frontends/llvm_ir/instrument.h"
#include "frontends/llvm_ir/plain_bodies.h"
#include "frontends/openmp/record_threads.h"

namespace perfcast {
namespace {

using Counts = std::map<std::pair<std::string, std::string>, std::vector<double>>;  // function, IR block -> by thread

// `plain`: only those of bodies of parallel regions that were called plainly.
Counts counts_by_thread(const llvm_ir::CountedRun& run, bool plain) {
  Counts counts;
  for (std::size_t t = 0; t < run.threads.size(); t++)
    for (const auto& unit : run.threads[t]) {
      std::map<std::string, std::string> unique;
      for (const auto& function : unit.functions) unique[function.name] = function.unique;
      for (const auto& function : unit.functions) {
        const std::string body = llvm_ir::without_plain_mark(function.name);
        if (plain && body == function.name) continue;
        for (const auto& block : function.blocks) {
          auto& by_thread = counts[{unique[body], block.name}];
          by_thread.resize(run.threads.size());
          by_thread[t] += block.count;
        }
      }
    }
  return counts;
}

// Machine blocks run as often as the IR blocks they came from, in the proportion of the recorded run.
std::vector<std::vector<std::vector<double>>> on_machine(const Profile& profile, const Counts& counts, std::size_t threads) {
  std::map<std::pair<std::string, std::string>, double> recorded;
  for (const Function& function : profile.ir->functions)
    for (const Block& block : function.blocks) recorded[{function.name, block.name}] = block.count.value;
  std::vector<std::vector<std::vector<double>>> all;
  for (const Function& function : profile.machine->functions) {
    auto& blocks = all.emplace_back();
    for (const Block& block : function.blocks) {
      auto& by_thread = blocks.emplace_back(threads, 0.0);
      if (!block.from) continue;
      auto found = counts.find({function.name, *block.from});
      auto before = recorded.find({function.name, *block.from});
      if (found == counts.end() || before == recorded.end() || before->second <= 0) continue;
      for (std::size_t t = 0; t < threads && t < found->second.size(); t++)
        by_thread[t] = found->second[t] * block.count.value / before->second;
    }
  }
  return all;
}

Result<double> elapsed(const std::string& executable, const Profile& profile, int threads, Seconds limit) {
  RunRequest request;
  request.command = {executable};
  request.command.insert(request.command.end(), profile.run.arguments.begin(), profile.run.arguments.end());
  request.environment["OMP_NUM_THREADS"] = std::to_string(threads);
  request.folder = profile.run.folder, request.limits.time = limit;
  if (!profile.run.input.empty()) request.input_file = (std::filesystem::path(profile.run.folder) / profile.run.input).string();
  std::vector<double> seconds;
  double spent = 0;
  for (int k = 0; k < 5 && (k == 0 || spent < 3); k++) {
    TRY(RunOutcome outcome, run_program(request));
    if (outcome.ending != Ending::exited) return unfit("the program " + outcome.how_it_ended(request.limits) + " with " + std::to_string(threads) + " threads", profile.program);
    seconds.push_back(outcome.wall.value), spent += outcome.wall.value;
  }
  return *std::ranges::min_element(seconds);  // what others take from the machine only adds
}

// The elapsed time of the program, and of its regions as the run-time library tells it; of a few runs the shortest.
Status time_run(const std::string& plain, const Profile& profile, Seconds time_limit, ThreadRun& run) {
  ReferenceChain chain;
  const double before = chain.step_ns();
  TRY(run.seconds, elapsed(plain, profile, run.threads, time_limit));
  openmp::RecordOptions watch;
  watch.command = {plain}, watch.threads = run.threads, watch.folder = profile.run.folder, watch.limits.time = time_limit;
  watch.command.insert(watch.command.end(), profile.run.arguments.begin(), profile.run.arguments.end());
  if (!profile.run.input.empty()) watch.input_file = (std::filesystem::path(profile.run.folder) / profile.run.input).string();
  double shortest = 0;
  for (int k = 0; k < 3 && (k == 0 || k * run.seconds < 2); k++)
    if (auto watched = openmp::record_threads(watch); watched && (shortest == 0 || watched->elapsed < shortest)) shortest = watched->elapsed, run.regions = std::move(watched->regions);
  run.clock_ghz = 2 / (before + chain.step_ns());
  return {};
}

Result<llvm_ir::CompiledProgram> compiled_again(const ProgramRun& run) {
  AnalyzeOptions options = options_of(run);
  llvm_ir::CompileRequest request;
  request.sources = options.sources, request.build_folder = options.build_folder, request.folder = options.folder;
  request.cflags = options.cflags, request.target = options.target, request.cpu = options.cpu, request.early = false;
  return llvm_ir::compile_program(request);
}

}  // namespace

bool runs_threads(const Profile& profile) {
  if (!profile.machine) return false;
  return std::ranges::any_of(profile.machine->functions, [](const Function& function) {
    return function.name.find(".omp_outlined") != std::string::npos || function.name.find("..omp_par") != std::string::npos;
  });
}

Result<std::vector<ThreadRun>> run_threads(const Profile& profile, const std::vector<int>& threads, Seconds time_limit, bool timed) {
  if (!profile.ir || !profile.machine || !profile.run.binary.empty()) return unfit("threads are counted in programs analysed from their sources", profile.program);
  TRY(llvm_ir::CompiledProgram program, compiled_again(profile.run));
  if (!program.threads) return std::vector<ThreadRun>{};
  const std::string plain = program.scratch.file("plain-threads");
  if (timed) CHECK_OK(llvm_ir::build_plain(program, plain));
  CHECK_OK(llvm_ir::separate_plain_bodies(program));
  std::vector<ThreadRun> runs;
  for (int number : threads) {
    llvm_ir::CountOptions count;
    count.arguments = profile.run.arguments, count.input_file = profile.run.input, count.folder = profile.run.folder;
    count.limits.time = time_limit, count.environment["OMP_NUM_THREADS"] = std::to_string(number);
    TRY(llvm_ir::CountedRun counted, llvm_ir::count_run(program, llvm_ir::Stage::final, count));
    ThreadRun run;
    const std::size_t in_all = std::max<std::size_t>(counted.threads.size(), 1);
    run.threads = number, run.counts = on_machine(profile, counts_by_thread(counted, false), in_all);
    run.plain = on_machine(profile, counts_by_thread(counted, true), in_all);
    if (timed) CHECK_OK(time_run(plain, profile, time_limit, run));
    runs.push_back(std::move(run));
  }
  return runs;
}

Result<llvm_ir::Traced> trace_region(const Profile& profile, const std::string& file, int first, int last, const std::string& output, Seconds time_limit) {
  if (profile.run.sources.empty()) return unfit("addresses are traced in programs analysed from their sources", profile.program);
  TRY(llvm_ir::CompiledProgram program, compiled_again(profile.run));
  llvm_ir::CountOptions options;
  options.arguments = profile.run.arguments, options.input_file = profile.run.input, options.folder = profile.run.folder, options.limits.time = time_limit;
  return llvm_ir::trace_addresses(program, {file, first, last, output}, options);
}

}  // namespace perfcast
