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

// Nanoseconds per step of so many rounds.
double chain_ns(int rounds) {
  constexpr int steps = 64;
  std::uint64_t x = 1, y = 3;
  asm volatile("" : "+r"(y));
  auto start = Clock::now();
  for (int i = 0; i < rounds; i++) chain_steps<steps>(x, y);
  auto end = Clock::now();
  asm volatile("" : : "r"(x));
  return std::chrono::duration<double, std::nano>(end - start).count() / (steps * rounds);
}

// Eight registers, each added to once: as many additions at a time as the core can do.
inline void stream_step(std::uint64_t (&x)[8], std::uint64_t y) {
  x[0] += y, x[1] += y, x[2] += y, x[3] += y, x[4] += y, x[5] += y, x[6] += y, x[7] += y;
  asm volatile("" : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3]), "+r"(x[4]), "+r"(x[5]), "+r"(x[6]), "+r"(x[7]));
}

// Nanoseconds per addition.
double stream_ns() {
  constexpr int rounds = 1000, steps = 4, registers = 8;
  std::uint64_t x[registers] = {1, 2, 3, 4, 5, 6, 7, 8}, y = 3;
  asm volatile("" : "+r"(y));
  auto start = Clock::now();
  for (int i = 0; i < rounds; i++) stream_step(x, y), stream_step(x, y), stream_step(x, y), stream_step(x, y);
  auto end = Clock::now();
  return std::chrono::duration<double, std::nano>(end - start).count() / (rounds * steps * registers);
}

}  // namespace

double ThroughputCanary::cycles() {
  constexpr int rounds = 120;  // of the chain: as long as the stream
  double looks[3];
  for (double& look : looks) {
    double before = chain_ns(rounds), stream = stream_ns(), after = chain_ns(rounds);
    look = 2 * stream / (before + after);
  }
  double now = median(looks);
  best_ = best_ == 0 ? now : std::min(best_, now);
  return now;
}

void ReferenceChain::settle() {
  constexpr int looks = 20;
  for (int i = 0; i < looks; i++) canary.cycles();
  step_ns();
}

double ReferenceChain::step_ns() {
  constexpr int slices = 15, rounds = 1000;
  double times[slices];
  for (double& time : times) time = chain_ns(rounds);
  double fastest = *std::min_element(times, times + slices);
  best_ = best_ == 0 ? fastest : std::min(best_, fastest);
  return median(times);
}

Result<TimedRun> timed_run(const RunRequest& request, ReferenceChain& chain) {
  if (chain.canary.best_cycles() == 0) chain.settle();
  TimedRun run;
  double before = chain.step_ns(), canary_before = chain.canary.cycles();
  TRY(run.outcome, run_program(request));
  run.canary_cycles = std::max(canary_before, chain.canary.cycles());
  run.reference_ns = std::max(before, chain.step_ns());
  run.cpu = run.outcome.cpu, run.wall = run.outcome.wall;
  return run;
}

void mark_disturbed(std::span<TimedRun> runs, const ReferenceChain& chain, const DisturbanceLimits& limits) {
  for (auto& run : runs) {
    double switches = static_cast<double>(run.outcome.switches_involuntary) - limits.preemptions_free;
    run.preemptions = std::max(0.0, switches) / std::max(run.cpu.value, 1e-3);
    run.crowded = chain.canary.crowded(run.canary_cycles);
    run.disturbed = run.crowded || run.reference_ns > (1 + limits.slower) * chain.best_ns() || run.preemptions > limits.preemptions;
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
  summary.crowded = static_cast<int>(std::ranges::count_if(runs, &TimedRun::crowded));
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
  if (summary.crowded > 0) summary.how += "; " + std::to_string(summary.crowded) + " shared their core with another thread";
  return summary;
}

Result<std::vector<TimedRun>> time_program(const RunRequest& request, ReferenceChain& chain, int expected_code, int most,
                                           Seconds budget, const std::function<void(double)>& progress) {
  std::vector<TimedRun> runs;
  auto start = Clock::now();
  auto good = [&] { return std::count_if(runs.begin(), runs.end(), [](const auto& run) { return !run.disturbed; }); };
  auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  while (good() < wanted_runs) {
    auto done = static_cast<int>(runs.size());
    if (done >= wanted_runs && elapsed() > budget.value) break;
    if (done >= most && (done >= 4 * most || elapsed() > cheap_seconds)) break;
    if (progress) progress(std::max(static_cast<double>(good()) / wanted_runs, static_cast<double>(done) / (most + 1)));
    TRY(TimedRun run, timed_run(request, chain));
    if (!run.ended_with(expected_code)) return unfit("the program " + run.outcome.how_it_ended(request.limits), request.command[0]);
    runs.push_back(std::move(run));
    mark_disturbed(runs, chain);
  }
  return runs;
}

}  // namespace perfcast
