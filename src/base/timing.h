// Timing other programs honestly on a machine that others use too.
//
// The time of a run is the process CPU time of the program. A run is disturbed when a chain of dependent additions,
// timed just before and after it, runs slower than the clock allows (another tenant on the core, a lowered clock), when
// a stream of independent additions does (a second hardware thread on the core: chains keep their speed, throughput
// falls), when the program was preempted more often than an idle system does, or when a hypervisor took the core away
// meanwhile (steal.h). Disturbed runs are kept, marked, and not used while enough others exist. The stream is also timed
// on the program's core while it runs (core_watch.h): where the core was never left alone, the time it would have taken is
// extrapolated from runs that shared it more and less.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/process.h"

namespace perfcast {

// Tells whether somebody else uses the core at the same time: cycles per addition of a stream of independent ones,
// in steps of a chain timed beside it, so that the clock does not matter. What counts as undisturbed is the best seen
// in this session, or in an earlier one that is known: a core that was shared all the time looks like a narrower core.
class ThroughputCanary {
 public:
  // What canaries made from now on know from an earlier session on this machine (its machine file); 0: nothing.
  static void remember(double best_cycles);
  ThroughputCanary();
  static constexpr double tolerance = 0.1;
  // No core adds more than twelve times in a cycle. A look below that is one whose chains were held up and not its stream; counted, it
  // would make every later one look crowded (met once: 0.047 on a core that takes 0.216).
  static constexpr double least_possible = 1.0 / 12;
  // Cycles per addition now, the middle of three looks: about 15 microseconds. What cannot be is looked at again.
  double cycles();
  // A single one with the chain beside it, which tells the clock.
  struct Look {
    double cycles = 0, step_ns = 0;
  };
  Look look_with_clock();
  // The chain's step beside the last cycles(): a cycle of the clock then.
  double step_ns() const { return step_ns_; }
  double best_cycles() const { return best_; }
  // What cycles() gave, in its order.
  const std::vector<double>& seen() const { return seen_; }
  bool crowded(double cycles) const { return best_ > 0 && cycles > (1 + tolerance) * best_; }

 private:
  double best_ = 0, step_ns_ = 0;
  std::vector<double> seen_;
};

// A chain of dependent operations of one cycle each; its speed is the clock, if nobody disturbs. The canary beside it
// sees those who share the core without slowing the chain.
class ReferenceChain {
 public:
  // Nanoseconds per step now: the median of a few slices of some 20 microseconds.
  double step_ns();
  // The fastest seen so far: what the clock allows.
  double best_ns() const { return best_; }
  // A few looks at each core, so that the best of the session is known before anything is timed.
  void settle();

  ThroughputCanary canary;

 private:
  double best_ = 0;
};

// Where to time: the last of the cores we may use that nobody shares now, else the one that is shared least. Neighbours
// stay for seconds, and seldom on all cores at once.
std::optional<int> calm_core(ThroughputCanary& canary);

struct TimedRun {
  Seconds cpu, wall;
  double reference_ns = 0;      // the slower of the chain's speeds before and after
  double step_ns = 0;           // of the chain while it ran: a cycle of its core; the mean of before and after where it was not followed
  double canary_cycles = 0;     // the canary's mean while it ran; the slower of before and after where it was not followed
  int looks = 0;                // at the canary while it ran: so often the program was put aside
  double sharing = 0;           // by how much the canary was slower than alone; see mark_disturbed
  bool crowded = false;         // the core was shared; see mark_disturbed
  double preemptions = 0;       // per second of CPU time
  Seconds stolen = {0};         // by the hypervisor, from its core, or from all cores where it may run on any
  bool disturbed = false;       // see mark_disturbed
  RunOutcome outcome;

  bool ended_with(int code) const { return outcome.ending == Ending::exited && outcome.code == code; }
};

// Runs it once between two timings of the chain and its canary, beginning on a calm core unless it has one of its own.
Result<TimedRun> timed_run(const RunRequest& request, ReferenceChain& chain);

// The same for what several threads or processes do at once: `run` gives the elapsed seconds and how often the system took
// a core away from it; all cores are watched meanwhile. Times are elapsed time, under `cpu` and `wall` alike.
struct ElapsedRun {
  double seconds = 0, preemptions = 0;
};
Result<TimedRun> timed_together(const std::function<Result<ElapsedRun>()>& run, ReferenceChain& chain);

struct DisturbanceLimits {
  double slower = 0.025;         // chain slower than the best by more than this
  double preemptions = 30;       // per second of CPU time, beyond a few
  double preemptions_free = 3;
  double waiting = 0.25;         // of the CPU time spent waiting for the core, beyond what starting a process takes
  Seconds waiting_free = {0.005};
  double stolen = 0.02;          // of the elapsed time taken by the hypervisor, beyond a tick
  Seconds stolen_free = {0.01};
};
// Judges all runs against the fastest chain and stream of the session; later runs may show that earlier ones were slow.
void mark_disturbed(std::span<TimedRun> runs, const ReferenceChain& chain, const DisturbanceLimits& limits = {});

struct RunSummary {
  double seconds = 0;
  std::array<double, 2> interval{0, 0};  // of the runs that were used: 5 and 95 percent
  int runs = 0, disturbed = 0, crowded = 0;  // crowded: of the disturbed, those that shared their core
  std::optional<double> clock_ghz;  // of the core while they ran, in the middle
  std::string how;
};
// The median of the undisturbed runs; where they are fewer than half and fewer than five, all runs as they would be on a
// core of their own, if they were followed, else a low quantile of all; `how` says so. Needs at least one run.
RunSummary summarize_runs(std::span<const TimedRun> runs);

inline constexpr int wanted_runs = 5;

// Runs until five runs are undisturbed, at most `most` times (more while that is cheap) and at most `budget` of wall time
// (but always five times). A run that does not exit with `expected_code` is an error. `progress` is told which share of
// the wanted runs is done.
Result<std::vector<TimedRun>> time_program(const RunRequest& request, ReferenceChain& chain, int expected_code = 0,
                                           int most = 15, Seconds budget = {20},
                                           const std::function<void(double)>& progress = {});

}  // namespace perfcast
