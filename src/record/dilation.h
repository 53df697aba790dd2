// Time dilation of a program that runs in parallel (Lyon & Snelick 1990): every computation is stretched by D, so that
// what lies between computations, the passing of messages, looks D times faster. Times are medians over repeats, in
// seconds, averaged over ranks; T/D and E/D are the normalised ones.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/demand.h"
#include "record/made_by.h"
#include "record/record_file.h"

namespace perfcast {

// Where the time of an average rank went. They add up to the elapsed time but for `residue`.
struct DilatedTimes {
  double user = 0;          // computation, with its stretching
  double system = 0;        // the kernel's part of the computation
  double wait_receive = 0;  // in receives and waits
  double send = 0;
  double collective = 0;
  double other = 0;         // other MPI calls
  double residue = 0;       // elapsed time that none of them accounts for
  bool operator==(const DilatedTimes&) const = default;
};
template <class Fields>
void describe(Fields& f, DilatedTimes& t) {
  f.need("user", t.user), f.need("system", t.system), f.need("wait_receive", t.wait_receive), f.need("send", t.send);
  f.need("collective", t.collective), f("other", t.other), f("residue", t.residue);
}

struct DilationPoint {
  double d = 1;
  double elapsed = 0;               // E: median over repeats
  double normalized = 0;            // E / D
  double speedup = 1;               // E(1) / (E / D)
  std::vector<double> repeats;      // elapsed of each that was used, brought to the same computation
  int disturbed = 0;                // repeats that were preempted, and not used while enough others were not
  DilatedTimes times;               // T
  DilatedTimes normalized_times;    // T / D
  double segments = 0;              // computation segments per rank
  double segment_seconds = 0;       // their median length, undilated
  double short_share = 0;           // part of the computation in segments too short to be stretched truly
  double switches = 0;              // involuntary context switches per rank and second
  double lost_share = 0;            // of the time during which a rank did not run
  double drift = 0;                 // spread of the repeats, relative
  bool valid = true;
  std::vector<std::string> doubts;  // why not, in words
  bool operator==(const DilationPoint&) const = default;
};
template <class Fields>
void describe(Fields& f, DilationPoint& p) {
  f.need("d", p.d), f.need("elapsed", p.elapsed), f.need("normalized", p.normalized), f.need("speedup", p.speedup);
  f("repeats", p.repeats);
  if (Fields::reading || p.disturbed) f("disturbed", p.disturbed);
  f("times", p.times), f("normalized_times", p.normalized_times);
  f.need("segments", p.segments), f("segment_seconds", p.segment_seconds), f("short_share", p.short_share);
  f("switches", p.switches), f("lost_share", p.lost_share), f("drift", p.drift), f.need("valid", p.valid), f("doubts", p.doubts);
}

enum class DilationVerdict { compute_bound, transport_bound, logic_bound, unclear };
template <>
struct EnumWords<DilationVerdict> {
  static constexpr std::pair<DilationVerdict, const char*> words[] = {{DilationVerdict::compute_bound, "compute-bound"},
                                                                      {DilationVerdict::transport_bound, "transport-bound"},
                                                                      {DilationVerdict::logic_bound, "logic-bound"},
                                                                      {DilationVerdict::unclear, "unclear"}};
};

// A region of threads made D times faster than everything else.
struct RegionSpeedup {
  std::string region;                  // the function that is run in parallel, or "serial"
  double share = 0;                    // of the elapsed time, undilated
  std::vector<DilationPoint> points;
  double promised = 1;                 // speed-up of the program at the largest valid D
  bool operator==(const RegionSpeedup&) const = default;
};
template <class Fields>
void describe(Fields& f, RegionSpeedup& r) {
  f.need("region", r.region), f.need("share", r.share), f.need("points", r.points), f("promised", r.promised);
}

struct Dilation {
  static constexpr const char* format = "perfcast.dilation";
  static constexpr int version = 1;
  std::string program;                 // the command
  MadeBy made_by;
  std::string kind = "messages";       // or "threads"
  int ranks = 0, cores = 0;            // processes or threads; cores they may use
  double clock_seconds = 0;            // cost of reading the clock, measured and taken off
  std::vector<DilationPoint> points;
  DilationVerdict verdict = DilationVerdict::unclear;
  std::string explanation;
  double compute_share = 0;            // at D = 1
  std::optional<double> transport_share, logic_share;  // of the elapsed time at D = 1, from the fit over D
  std::optional<double> ideal;         // speed-up at the largest D if all that the slowest rank does not compute were transport
  std::optional<double> useful_until;  // D beyond which less than 2 % is gained
  std::vector<RegionSpeedup> regions;  // threads
  std::optional<DemandProfile> demand; // threads: how the work divides among levels of parallelism
  std::vector<std::string> remarks;
  bool operator==(const Dilation&) const = default;
};
template <class Fields>
void describe(Fields& f, Dilation& d) {
  f.need("program", d.program), f("made_by", d.made_by), f("kind", d.kind), f("ranks", d.ranks), f("cores", d.cores);
  f("clock_seconds", d.clock_seconds), f.need("points", d.points), f.need("verdict", d.verdict);
  f("explanation", d.explanation), f("compute_share", d.compute_share), f("transport_share", d.transport_share);
  f("logic_share", d.logic_share), f("ideal", d.ideal), f("useful_until", d.useful_until), f("regions", d.regions), f("demand", d.demand);
  f("remarks", d.remarks);
}

PERFCAST_RECORD_FILE(extern, Dilation)

}  // namespace perfcast
