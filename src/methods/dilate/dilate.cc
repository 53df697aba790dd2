#include "methods/dilate/dilate.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "base/files.h"
#include "base/mpi.h"
#include "base/preload.h"
#include "base/text.h"
#include "methods/dilate/ranks.h"
#include "methods/dilate/same_work.h"
#include "methods/dilate/threads.h"
#include "methods/dilate/verdict.h"

namespace perfcast::dilate {
namespace {

constexpr double much_longer = 1.05;  // worth a word

Result<std::vector<double>> checked_factors(std::vector<double> factors) {
  for (double d : factors)
    if (!(d >= 1 && d <= 1000)) return wrong_usage("a dilation of " + number_text(d) + " is not between 1 and 1000", "-D 1,2,4,6");
  factors.push_back(1);
  std::ranges::sort(factors);
  factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
  if (factors.size() < 2) return wrong_usage("dilation needs a factor beyond 1", "-D 1,2,4,6");
  return factors;
}

std::string tail_of(const std::string& text) {
  constexpr std::size_t most = 1200;
  return text.size() <= most ? text : "..." + text.substr(text.size() - most);
}

}  // namespace

std::unexpected<Error> failure_of(const RunOutcome& outcome, const RunLimits& limits, double d, const std::vector<std::string>& command) {
  std::string name = join(command, " ");
  if (outcome.ending == Ending::timed_out)
    return unfit("the program, dilated by " + number_text(d) + ", " + outcome.how_it_ended(limits), name, "--timeout, or smaller factors");
  RunRequest plain;
  plain.command = command, plain.limits = limits;
  if (is_mpi_launcher(command[0]) && ::geteuid() == 0) plain.environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
  auto again = run_program(plain);
  std::string said = tail_of(outcome.errors.empty() ? outcome.output : outcome.errors);
  if (again && again->ok())
    return unfit("the program runs by itself but, dilated by " + number_text(d) + ", " + outcome.how_it_ended(limits) + "\n" + said, name,
                 "it may depend on timing, or on a library that must be preloaded first");
  return unfit("the program " + outcome.how_it_ended(limits) + ", with and without dilation\n" + said, name);
}

namespace {

Result<DilatedRun> run_once(const std::vector<std::string>& command, const std::string& library, double d, const DilateOptions& options) {
  TRY(TemporaryFolder folder, TemporaryFolder::make("dilate"));
  std::map<std::string, std::string> environment = {{"PERFCAST_DILATE_D", number_text(d, 17)},
                                                    {"PERFCAST_DILATE_FOLDER", folder.path().string()}};
  if (options.cpu_clock) environment["PERFCAST_DILATE_CLOCK"] = "cpu";
  TRY(RunRequest request, preloaded(command, library, environment));
  request.limits.time = options.time_limit;
  TRY(RunOutcome outcome, run_program(request));
  if (!outcome.ok()) return failure_of(outcome, request.limits, d, command);
  TRY(std::vector<RankRecord> ranks, read_ranks(folder.path().string()));
  if (ranks.empty())
    return unfit("no process initialised and finalized MPI through a shared library: there are no messages to look at", join(command, " "),
                 "an MPI program, linked dynamically; for OpenMP programs --threads");
  return run_of(ranks);
}

}  // namespace

Circumstances circumstances_now() {
  Circumstances found;
  found.cores = usable_processors();
  auto busy_and_all = [] {
    std::ifstream file("/proc/stat");
    std::string word;
    double value = 0, all = 0, idle = 0;
    file >> word;
    for (int i = 0; i < 8 && file >> value; i++) {
      all += value;
      if (i == 3 || i == 4) idle += value;  // idle, waiting for a device
    }
    return std::pair(all - idle, all);
  };
  auto [busy, all] = busy_and_all();
  ::usleep(300'000);
  auto [busy_later, all_later] = busy_and_all();
  double cores = static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN));
  if (all_later > all) found.busy_elsewhere = cores * (busy_later - busy) / (all_later - all);
  return found;
}

Result<Dilation> dilate(const std::vector<std::string>& command, const DilateOptions& options) {
  if (command.empty()) return wrong_usage("no program is named", "perfcast dilate -D 1,2,4,6 -- mpirun -n 2 ./app");
  TRY(std::vector<double> factors, checked_factors(options.factors));
  if (options.repeats < 1) return wrong_usage("at least one repeat is needed", "--repeats 5");
  if (!(options.time_limit.value > 0)) return wrong_usage("a run needs time: more than 0 seconds", "--timeout 600");
  if (options.regions < 1) return wrong_usage("at least one region is needed", "--regions 4");
  if (options.threads) return dilate_threads(command, factors, options);
  if (!find_program(command[0]))
    return unfit("there is no such program", command[0],
                 is_mpi_launcher(command[0]) ? "install an MPI, as the package openmpi-bin" : "its path");
  TRY(std::string library, runtime_library("dilate"));
  Dilation dilation;
  dilation.program = join(command, " ");
  dilation.made_by = made_here();
  Circumstances circumstances = circumstances_now();
  dilation.cores = circumstances.cores;
  std::vector<std::vector<DilatedRun>> runs(factors.size());
  double done = 0, all = static_cast<double>(factors.size()) * options.repeats;
  // Where runs were disturbed there are more rounds, until each factor has enough that were not.
  auto enough = [&](const std::vector<DilatedRun>& of_factor) {
    return std::ranges::count_if(of_factor, [](const DilatedRun& run) { return !is_disturbed(run.point); }) >= std::min(3, options.repeats);
  };
  for (int k = 0; k < 3 * options.repeats; k++)
    for (std::size_t i = 0; i < factors.size(); i++) {
      if (k >= options.repeats && std::ranges::all_of(runs, enough)) break;
      if (options.progress) options.progress("D = " + number_text(factors[i]), std::min(0.99, done++ / all));
      TRY(DilatedRun run, run_once(command, library, factors[i], options));
      runs[i].push_back(std::move(run));
    }
  SameWork work = bring_to_same_work(runs);
  if (work.longest > much_longer * work.shortest)
    dilation.remarks.push_back(fmt::format("the computation of the slowest rank took {} to {}, undilated, as others used the cores: all runs are brought to {}",
                                           time_text(work.shortest), time_text(work.longest), time_text(work.middle)));
  std::vector<DilatedRun> joined;
  for (const auto& of_factor : runs) {
    joined.push_back(join_repeats(of_factor));
    judge_point(joined.back(), circumstances);
    if (int n = joined.back().point.disturbed; n > 0 && !is_disturbed(joined.back().point))
      dilation.remarks.push_back(fmt::format("D = {:g}: {} of {} runs were preempted and not used", of_factor.front().point.d, n, of_factor.size()));
  }
  conclude(dilation, joined);
  if (options.repeats < 3) dilation.remarks.push_back("fewer than three repeats: their spread says little");
  if (joined.front().threaded)
    dilation.remarks.push_back("several threads of a rank call MPI: computation is their CPU time, and times are of an average thread at work");
  if (joined.front().ranks == 1) dilation.remarks.push_back("there is a single rank: no message can be under way");
  dilation.remarks.push_back("what is called transport is the whole communication path: wire, kernel, and the copying MPI does on the same cores");
  return dilation;
}

}  // namespace perfcast::dilate
