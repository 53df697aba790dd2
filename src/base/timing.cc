#include "base/timing.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/assert.h"
#include "base/statistics.h"

namespace perfcast {
namespace {

using Clock = std::chrono::steady_clock;

// Short programs may be run more often than asked for, as long as all runs together take less than this.
constexpr double cheap_seconds = 3;

// The empty assembly keeps the compiler from joining the additions; what is left is one dependent register operation
// per step on any instruction set. Both operands are registers: additions of constants are folded on some cores.
template <int n>
inline void chain_steps(std::uint64_t& x, std::uint64_t y) {
  if constexpr (n > 0) {
    x += y;
    asm volatile("" : "+r"(x));
    chain_steps<n - 1>(x, y);
  }
}

double slice_ns() {
  constexpr int steps = 64, rounds = 1000;
  std::uint64_t x = 1, y = 3;
  asm volatile("" : "+r"(y));
  auto start = Clock::now();
  for (int i = 0; i < rounds; i++) chain_steps<steps>(x, y);
  auto end = Clock::now();
  asm volatile("" : : "r"(x));
  return std::chrono::duration<double, std::nano>(end - start).count() / (steps * rounds);
}

}  // namespace

double ReferenceChain::step_ns() {
  constexpr int slices = 15;
  double times[slices];
  for (double& time : times) time = slice_ns();
  double fastest = *std::min_element(times, times + slices);
  best_ = best_ == 0 ? fastest : std::min(best_, fastest);
  return median(times);
}

Result<TimedRun> timed_run(const RunRequest& request, ReferenceChain& chain) {
  TimedRun run;
  double before = chain.step_ns();
  TRY(run.outcome, run_program(request));
  run.reference_ns = std::max(before, chain.step_ns());
  run.cpu = run.outcome.cpu, run.wall = run.outcome.wall;
  return run;
}

void mark_disturbed(std::span<TimedRun> runs, const ReferenceChain& chain, const DisturbanceLimits& limits) {
  for (auto& run : runs) {
    double switches = static_cast<double>(run.outcome.switches_involuntary) - limits.preemptions_free;
    run.preemptions = std::max(0.0, switches) / std::max(run.cpu.value, 1e-3);
    run.disturbed = run.reference_ns > (1 + limits.slower) * chain.best_ns() || run.preemptions > limits.preemptions;
  }
}

RunSummary summarize_runs(std::span<const TimedRun> runs) {
  ensure(!runs.empty(), "a summary is of at least one run");
  std::vector<double> good, all;
  for (const auto& run : runs) {
    all.push_back(run.cpu.value);
    if (!run.disturbed) good.push_back(run.cpu.value);
  }
  RunSummary summary;
  summary.runs = static_cast<int>(runs.size());
  summary.disturbed = static_cast<int>(all.size() - good.size());
  bool enough = good.size() >= static_cast<std::size_t>(wanted_runs) || 2 * good.size() >= all.size();
  if (enough) {
    summary.seconds = median(good);
    summary.interval = {quantile(good, 0.05), quantile(good, 0.95)};
    summary.how = "median of undisturbed runs, process CPU time";
  } else {
    // Disturbance only ever adds time.
    constexpr double low = 0.1;
    summary.seconds = quantile(all, low);
    summary.interval = {quantile(all, 0), quantile(all, 0.5)};
    summary.how = "low quantile (0.1) of all runs: most were disturbed; process CPU time";
  }
  return summary;
}

Result<std::vector<TimedRun>> time_program(const RunRequest& request, ReferenceChain& chain, int expected_code, int most,
                                           Seconds budget) {
  std::vector<TimedRun> runs;
  auto start = Clock::now();
  auto good = [&] { return std::count_if(runs.begin(), runs.end(), [](const auto& run) { return !run.disturbed; }); };
  auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  while (good() < wanted_runs) {
    auto done = static_cast<int>(runs.size());
    if (done >= wanted_runs && elapsed() > budget.value) break;
    if (done >= most && (done >= 4 * most || elapsed() > cheap_seconds)) break;
    TRY(TimedRun run, timed_run(request, chain));
    if (!run.ended_with(expected_code)) return unfit("the program " + run.outcome.how_it_ended(request.limits), request.command[0]);
    runs.push_back(std::move(run));
    mark_disturbed(runs, chain);
  }
  return runs;
}

}  // namespace perfcast
