#include "methods/bounds/threads.h"

#include <algorithm>
#include <numeric>

namespace perfcast::bounds {
namespace {

// The body of a parallel region is a function of its own; clang and flang name it so.
bool is_parallel_body(const std::string& name) {
  return name.find(".omp_outlined") != std::string::npos || name.find("..omp_par") != std::string::npos || name.find("omp_task_entry") != std::string::npos;
}

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

class ThreadsMaker {
 public:
  ThreadsMaker(const Profile& profile, const Steps& steps, double hertz, const std::vector<LoopGroup>& groups)
      : profile_(profile), steps_(steps), hertz_(hertz), groups_(groups) {}

  ThreadsBound make(const ThreadedRun& run, const ThreadsBound* one) const {
    ThreadsBound out;
    out.threads = run.threads;
    if (run.seconds > 0) out.measured_seconds = run.seconds;
    double balanced = 0, actual = 0;
    for (std::size_t f = 0; f < profile_.machine->functions.size() && f < run.counts.size(); f++) {
      const Function& function = profile_.machine->functions[f];
      std::vector<double> by_thread = seconds_by_thread(static_cast<int>(f), run);
      if (!is_parallel_body(function.name)) {
        // What parallel regions call runs on their threads; the rest on the first alone.
        double others = sum_of(by_thread) - (by_thread.empty() ? 0 : by_thread[0]);
        if (others <= 0) {
          out.sequential_seconds += sum_of(by_thread);
          continue;
        }
      }
      if (sum_of(by_thread) <= 0) continue;
      ParallelRegionBound region;
      region.function = function.readable.empty() ? function.name : function.readable;
      region.function = region.function.substr(0, region.function.find(".omp_outlined"));
      region.at = function.at, region.threads = run.threads;
      region.balanced_seconds = sum_of(by_thread) / run.threads;                       // 4.17
      region.actual_seconds = *std::ranges::max_element(by_thread);                    // 4.18
      region.imbalance = region.balanced_seconds > 0 ? region.actual_seconds / region.balanced_seconds - 1 : 0;
      region.iterations = iterations_by_thread(static_cast<int>(f), run);
      balanced += region.balanced_seconds, actual += region.actual_seconds;
      out.regions.push_back(std::move(region));
    }
    std::ranges::sort(out.regions, std::greater{}, &ParallelRegionBound::actual_seconds);
    out.balanced_seconds = out.sequential_seconds + balanced, out.actual_seconds = out.sequential_seconds + actual;  // 4.19
    if (out.measured_seconds && *out.measured_seconds > 0) {
      out.utilisation = (out.sequential_seconds + balanced * run.threads) / (*out.measured_seconds * run.threads);   // 7.1, averaged over CPUs
      if (one && one->measured_seconds) out.speedup = *one->measured_seconds / *out.measured_seconds;
      else out.speedup = 1;
    }
    return out;
  }

 private:
  // Nested regions may start more threads than were asked for.
  static std::size_t seen_threads(int f, const ThreadedRun& run) {
    std::size_t seen = static_cast<std::size_t>(run.threads);
    for (const auto& block : run.counts[static_cast<std::size_t>(f)]) seen = std::max(seen, block.size());
    return seen;
  }
  // MACS cycles of one execution of a block, times how often each thread ran it.
  std::vector<double> seconds_by_thread(int f, const ThreadedRun& run) const {
    std::vector<double> seconds(seen_threads(f, run), 0);
    const Function& function = profile_.machine->functions[static_cast<std::size_t>(f)];
    const auto& counts = run.counts[static_cast<std::size_t>(f)];
    for (std::size_t b = 0; b < function.blocks.size() && b < counts.size(); b++) {
      if (function.blocks[b].count.value <= 0) continue;
      double each = steps_.macs_cycles(f, static_cast<int>(b)) / function.blocks[b].count.value / hertz_;
      for (std::size_t t = 0; t < counts[b].size(); t++) seconds[std::min(t, seconds.size() - 1)] += each * counts[b][t];
    }
    return seconds;
  }
  // Iterations of the loops in a region, source iterations by thread.
  std::vector<double> iterations_by_thread(int f, const ThreadedRun& run) const {
    std::vector<double> iterations(seen_threads(f, run), 0);
    const Function& function = profile_.machine->functions[static_cast<std::size_t>(f)];
    for (const LoopGroup& group : groups_) {
      if (group.function != f || group.outer) continue;
      for (int l : group.machine_loops) {
        const auto& counts = run.counts[static_cast<std::size_t>(f)];
        std::size_t header = static_cast<std::size_t>(function.loops[static_cast<std::size_t>(l)].header);
        if (header >= counts.size()) continue;
        for (std::size_t t = 0; t < counts[header].size(); t++)
          iterations[std::min(t, iterations.size() - 1)] += counts[header][t] * group.iterations / group.machine_iterations;
      }
    }
    return iterations;
  }

  const Profile& profile_;
  const Steps& steps_;
  double hertz_;
  const std::vector<LoopGroup>& groups_;
};

}  // namespace

void add_threads(const Profile& profile, const BoundsOptions& options, const Steps& steps, double hertz, const std::vector<LoopGroup>& groups, Bounds& out) {
  ThreadsMaker maker(profile, steps, hertz, groups);
  for (const ThreadedRun& run : options.threaded) out.threads.push_back(maker.make(run, out.threads.empty() ? nullptr : &out.threads.front()));
  double fastest = 0, best = 0;
  for (const ThreadsBound& at : out.threads) {
    if (!at.measured_seconds) continue;
    if (!out.fastest_threads || *at.measured_seconds < fastest) out.fastest_threads = at.threads, fastest = *at.measured_seconds;
    if (at.utilisation && (!out.best_used_threads || *at.utilisation > best)) out.best_used_threads = at.threads, best = *at.utilisation;
  }
}

}  // namespace perfcast::bounds
