// What the preloaded library writes, one file per process, and what the ranks of one run amount to.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "record/dilation.h"

namespace perfcast::dilate {

struct RankRecord {
  double d = 1;
  std::string host;
  int cores = 0;                  // it may run on
  double clock_seconds = 0;       // of one reading
  double elapsed = 0;             // from MPI initialised to finalization entered
  double compute = 0, stretched = 0, system = 0;  // undilated computation; what was added; the kernel's part of it
  double segments = 0, short_segments = 0, short_seconds = 0;
  double switches = 0;            // involuntary
  double running = 0;             // CPU time: ranks that wait for messages keep polling
  int threads = 1;                // that called MPI: what follows and computation are sums over them
  std::map<std::string, double> seconds, calls;   // by kind of call
  std::vector<double> bins, bin_seconds;          // segments by length: powers of two of a nanosecond
};
template <class Fields>
void describe(Fields& f, RankRecord& r) {
  f.need("d", r.d), f("host", r.host), f("cores", r.cores), f.need("clock_seconds", r.clock_seconds);
  f.need("elapsed", r.elapsed), f.need("compute", r.compute), f("stretched", r.stretched), f("system", r.system);
  f.need("segments", r.segments), f("short_segments", r.short_segments), f("short_seconds", r.short_seconds);
  f("switches", r.switches), f("running", r.running), f("threads", r.threads), f.need("seconds", r.seconds), f.need("calls", r.calls);
  f("bins", r.bins), f("bin_seconds", r.bin_seconds);
}

// One file; refused where its numbers are of no run.
Result<RankRecord> rank_in(const Json& json, const std::string& name);
// All rank files of a folder.
Result<std::vector<RankRecord>> read_ranks(const std::string& folder);

// A rank in which several threads call MPI, as one thread: sums divided by how many were at work at a time, on average.
// What a thread spends outside MPI without running, as waiting for another, is not work.
RankRecord average_thread(const RankRecord& rank);

// One run: averages over ranks, the elapsed time of the slowest, the clock's cost taken off. Points of several runs are
// joined by join_repeats.
struct DilatedRun {
  DilationPoint point;
  int ranks = 0;
  double compute = 0;             // undilated, per rank
  double slowest = 0;             // computation of the rank that needs most for it
  double slowed = 1;              // what that took before it was brought to the same in all runs, relative
  double clock_seconds = 0;
  double polls = 0, calls = 0;    // per rank
  double most_on_one_host = 0;    // ranks, or their threads where several call MPI
  bool threaded = false;          // several threads of a rank call MPI
};
DilatedRun run_of(const std::vector<RankRecord>& ranks);
// The residue and the normalised times that follow from elapsed time and times.
void account(DilationPoint& point);

// Ranks were preempted and lost time by it. Brief preemptions are the rule, by the launcher and the system itself; what
// counts is the time during which a rank did not run, or, where waiting may sleep, very many of them.
constexpr double lost_much = 0.02;       // of the elapsed time
constexpr double preempted_often = 150;  // per second
constexpr double preempted_free = 3;     // times in a run
inline bool is_disturbed(const DilationPoint& p) {
  return p.switches * p.elapsed > preempted_free && (p.lost_share > lost_much || p.switches > preempted_often);
}

// Medians of the runs of one factor; of the undisturbed ones where there are three, or half of all.
DilatedRun join_repeats(const std::vector<DilatedRun>& runs);

}  // namespace perfcast::dilate
