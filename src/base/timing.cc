#include "base/timing.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/assert.h"
#include "base/core_watch.h"
#include "base/cores.h"
#include "base/statistics.h"
#include "base/steal.h"

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

// Looks at the canary during a run that say how its core was shared.
constexpr int fewest_looks = 10;

// An interrupt within a look makes it several times as long: the highest twentieth is not counted.
double mean_without_strays(std::vector<double> looks) {
  std::ranges::sort(looks);
  looks.resize(std::max<std::size_t>(1, looks.size() - looks.size() / 20 - 1));
  return mean(looks);
}

double nanoseconds_between(Clock::time_point start, Clock::time_point end) { return std::chrono::duration<double, std::nano>(end - start).count(); }

// What two readings of the clock take by themselves: looks of some microseconds would be a percent or two longer by it.
double reading_ns() {
  static const double least = [] {
    constexpr int looks = 200;
    double shortest = 1e9;
    for (int i = 0; i < looks; i++) {
      auto start = Clock::now();
      shortest = std::min(shortest, nanoseconds_between(start, Clock::now()));
    }
    return shortest;
  }();
  return least;
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
  return (nanoseconds_between(start, end) - reading_ns()) / (steps * rounds);
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
  return (nanoseconds_between(start, end) - reading_ns()) / (rounds * steps * registers);
}

}  // namespace

namespace {
std::atomic<double> remembered = 0;
}  // namespace

void ThroughputCanary::remember(double best_cycles) { remembered = best_cycles < least_possible ? 0 : best_cycles; }

ThroughputCanary::ThroughputCanary() : best_(remembered) {}

ThroughputCanary::Look ThroughputCanary::look_with_clock() {
  constexpr int rounds = 120;  // of the chain: as long as the stream
  double before = chain_ns(rounds), stream = stream_ns(), after = chain_ns(rounds);
  double step = std::min(before, after);  // who interrupts makes either longer, never shorter
  return {stream / step, step};
}

namespace {
double middle(std::span<const ThroughputCanary::Look> looks, double ThroughputCanary::Look::*what) {
  std::vector<double> values;
  for (const auto& look : looks) values.push_back(look.*what);
  return median(values);
}
}  // namespace

double ThroughputCanary::cycles() {
  constexpr int tries = 5;
  double now = 0;
  for (int i = 0; i < tries && now < least_possible; i++) {
    const Look looks[] = {look_with_clock(), look_with_clock(), look_with_clock()};
    now = middle(looks, &Look::cycles), step_ns_ = middle(looks, &Look::step_ns);
  }
  if (now < least_possible) return best_;
  best_ = best_ == 0 ? now : std::min(best_, now);
  seen_.push_back(now);
  return now;
}

namespace {

// Enough to find a calm one; none is looked at for long.
std::vector<int> cores_to_look_at() {
  constexpr std::size_t most = 8;
  std::vector<int> cores = allowed_cores();
  std::ranges::reverse(cores);
  cores.resize(std::min(cores.size(), most));
  return cores;
}

}  // namespace

std::optional<int> calm_core(ThroughputCanary& canary) {
  auto look_on = [&](int core) {
    const OnCore here(core);
    return canary.cycles();
  };
  const std::vector<int> cores = cores_to_look_at();
  if (canary.best_cycles() == 0) std::ranges::for_each(cores, look_on);  // what a calm one is like
  std::optional<int> calmest;
  double least = 0;
  for (int core : cores) {
    const double cycles = look_on(core);
    if (!canary.crowded(cycles)) return core;
    if (!calmest || cycles < least) calmest = core, least = cycles;
  }
  return calmest;
}

void ReferenceChain::settle() {
  constexpr int looks = 10;
  for (int core : cores_to_look_at()) {
    OnCore here(core);
    for (int i = 0; i < looks; i++) canary.cycles();
    step_ns();
  }
}

double ReferenceChain::step_ns() {
  constexpr int slices = 15, rounds = 1000;
  double times[slices];
  for (double& time : times) time = chain_ns(rounds);
  double fastest = *std::min_element(times, times + slices);
  best_ = best_ == 0 ? fastest : std::min(best_, fastest);
  return median(times);
}

namespace {

// What was seen of the core, or of all cores, before, while and after something ran.
struct Before {
  double step_ns = 0, canary_cycles = 0;
};
Before look_before(ReferenceChain& chain, std::optional<int> core) {
  const OnCore here(core);
  return {chain.step_ns(), chain.canary.cycles()};
}
void look_after(const Before& before, const std::vector<ThroughputCanary::Look>& looks, ReferenceChain& chain, std::optional<int> core, TimedRun& run) {
  const OnCore here(core);
  run.looks = static_cast<int>(looks.size());
  run.canary_cycles = std::max(before.canary_cycles, chain.canary.cycles());
  double step_after = chain.step_ns();
  run.reference_ns = std::max(before.step_ns, step_after), run.step_ns = (before.step_ns + step_after) / 2;
  if (run.looks >= fewest_looks) {
    std::vector<double> shares, rates;
    for (const auto& look : looks) shares.push_back(look.cycles), rates.push_back(1 / look.step_ns);
    run.canary_cycles = mean_without_strays(std::move(shares)), run.step_ns = 1 / mean(rates);
  }
}

}  // namespace

Result<TimedRun> timed_run(const RunRequest& request, ReferenceChain& chain) {
  TimedRun run;
  if (chain.best_ns() == 0) chain.settle();
  RunRequest placed = request;
  if (!request.core) placed.first_core = calm_core(chain.canary);
  const std::optional<int> core = request.core ? request.core : placed.first_core;
  const Before before = look_before(chain, core);
  const double stolen_before = stolen_seconds(request.core).value;
  CoreWatch watch(chain.canary);
  auto outcome = run_program(placed);
  auto looks = watch.stop();
  TRY(run.outcome, std::move(outcome));
  run.stolen = {stolen_seconds(request.core).value - stolen_before};
  look_after(before, looks, chain, core, run);
  run.cpu = run.outcome.cpu, run.wall = run.outcome.wall;
  return run;
}

Result<TimedRun> timed_together(const std::function<Result<ElapsedRun>()>& what, ReferenceChain& chain) {
  TimedRun run;
  if (chain.best_ns() == 0) chain.settle();
  const Before before = look_before(chain, {});
  const double stolen_before = stolen_seconds({}).value;
  CoreWatch watch = CoreWatch::of_all_cores(chain.canary);
  auto elapsed = what();
  auto looks = watch.stop();
  TRY(ElapsedRun made, std::move(elapsed));
  run.stolen = {stolen_seconds({}).value - stolen_before};
  look_after(before, looks, chain, {}, run);
  run.cpu = run.wall = {made.seconds}, run.outcome.switches_involuntary = static_cast<long>(made.preemptions);
  return run;
}

void mark_disturbed(std::span<TimedRun> runs, const ReferenceChain& chain, const DisturbanceLimits& limits) {
  for (auto& run : runs) {
    double switches = static_cast<double>(run.outcome.switches_involuntary) - limits.preemptions_free - run.looks;
    run.preemptions = std::max(0.0, switches) / std::max(run.cpu.value, 1e-3);
    run.crowded = chain.canary.crowded(run.canary_cycles);
    run.sharing = chain.canary.best_cycles() > 0 ? std::max(0.0, run.canary_cycles / chain.canary.best_cycles() - 1) : 0;
    // Our own looks put the program aside too and hide preemptions by others; those show in how long it waited for the
    // core, unless it waited for something else.
    double waited = run.wall.value - run.cpu.value - limits.waiting_free.value;
    bool kept_waiting = waited > limits.waiting * run.cpu.value && run.outcome.switches_voluntary <= run.outcome.switches_involuntary;
    const bool stolen = run.stolen.value > limits.stolen_free.value + limits.stolen * run.wall.value;
    run.disturbed = kept_waiting || stolen || run.crowded || run.reference_ns > (1 + limits.slower) * chain.best_ns() || run.preemptions > limits.preemptions;
  }
}

// Each run's time on a core of its own, T / (1 + k sharing), for the k with which the runs agree best. Programs lie
// between 0 (they wait for memory or a chain) and 1 (they use all the core has): without evidence, the middle. Runs that all
// shared it alike are none, and agree by chance a little better for some k.
std::vector<double> times_alone(std::span<const TimedRun> runs) {
  constexpr double doubt = 0.1;
  std::vector<double> best;
  double least = 0;
  for (double k = 0; k <= 1.1; k += 0.05) {
    std::vector<double> times;
    for (const auto& run : runs) times.push_back(run.cpu.value / (1 + k * run.sharing));
    double middle = median(times), spread = 0;
    for (double time : times) spread += std::abs(time - middle) / middle / static_cast<double>(times.size());
    spread += doubt * std::abs(k - 0.5);
    if (best.empty() || spread < least) best = std::move(times), least = spread;
  }
  return best;
}

RunSummary summarize_runs(std::span<const TimedRun> runs) {
  ensure(!runs.empty(), "a summary is of at least one run");
  std::vector<double> good, all;
  std::vector<TimedRun> followed;
  for (const auto& run : runs) {
    all.push_back(run.cpu.value);
    if (!run.disturbed) good.push_back(run.cpu.value);
    if (run.looks >= fewest_looks) followed.push_back(run);
  }
  RunSummary summary;
  std::vector<double> steps;
  for (const auto& run : runs)
    if (run.step_ns > 0) steps.push_back(run.step_ns);
  if (!steps.empty()) summary.clock_ghz = 1 / median(steps);
  summary.crowded = static_cast<int>(std::ranges::count_if(runs, &TimedRun::crowded));
  summary.runs = static_cast<int>(runs.size());
  summary.disturbed = static_cast<int>(all.size() - good.size());
  bool enough = good.size() >= static_cast<std::size_t>(wanted_runs) || 2 * good.size() >= all.size();
  if (enough) {
    summary.seconds = median(good);
    summary.interval = {quantile(good, 0.05), quantile(good, 0.95)};
    summary.how = "median of undisturbed runs, process CPU time";
  } else if (static_cast<int>(followed.size()) >= wanted_runs && 2 * followed.size() > all.size()) {
    auto alone = times_alone(followed);
    summary.seconds = median(alone);
    summary.interval = {quantile(alone, 0.05), quantile(alone, 0.95)};
    summary.how = "what all runs agree on for a core of their own: most shared it; process CPU time";
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
