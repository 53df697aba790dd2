// What a parallel program does between its computations (Profile::messages, Profile::parallel): per call site totals, and
// per rank the sequence of computations and messages, with repetitions folded into loops.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "record/gap.h"

namespace perfcast {

enum class Act {
  compute, send, ssend, isend, receive, ireceive, exchange, wait, probe, barrier, broadcast, reduce, allreduce, gather,
  scatter, allgather, alltoall, reduce_scatter, scan, one_sided, other, loop
};
template <>
struct EnumWords<Act> {
  static constexpr std::pair<Act, const char*> words[] = {
      {Act::compute, "compute"},   {Act::send, "send"},           {Act::ssend, "ssend"},         {Act::isend, "isend"},
      {Act::receive, "receive"},   {Act::ireceive, "ireceive"},   {Act::exchange, "exchange"},   {Act::wait, "wait"},
      {Act::probe, "probe"},       {Act::barrier, "barrier"},     {Act::broadcast, "broadcast"}, {Act::reduce, "reduce"},
      {Act::allreduce, "allreduce"}, {Act::gather, "gather"},     {Act::scatter, "scatter"},     {Act::allgather, "allgather"},
      {Act::alltoall, "alltoall"}, {Act::reduce_scatter, "reduce_scatter"}, {Act::scan, "scan"}, {Act::one_sided, "one_sided"},
      {Act::other, "other"},       {Act::loop, "loop"}};
};
inline bool is_collective(Act act) { return act >= Act::barrier && act <= Act::scan; }

// Which rank is meant: this rank plus an offset (around the ring of all ranks), a rank by number, or any.
enum class PeerKind { none, relative, absolute, any };
template <>
struct EnumWords<PeerKind> {
  static constexpr std::pair<PeerKind, const char*> words[] = {
      {PeerKind::none, "none"}, {PeerKind::relative, "relative"}, {PeerKind::absolute, "absolute"}, {PeerKind::any, "any"}};
};
struct Peer {
  PeerKind kind = PeerKind::none;
  int rank = 0;
  bool operator==(const Peer&) const = default;
  auto operator<=>(const Peer&) const = default;
};
// In JSON "+1", "-2", "=0", "any"; absent: none.
Json shape_to_json(const Peer& peer);
void shape_from_json(const Json& json, Peer& peer, const std::string& place);

// One step of a rank: computation, then a call. Or a loop of such steps.
struct Step {
  Act act = Act::compute;
  int site = -1;              // index into Skeleton::sites
  double seconds = 0;         // processor time of this rank before the call, in the recorded run
  double bytes = 0;           // sent or received; of a collective: the buffer of one rank
  Peer to, from;              // from: of a receive, and of an exchange; the root of a collective is `to`
  int tag = 0;
  std::optional<int> from_tag;  // of an exchange that receives under another tag than it sends
  int group = 0;              // index into Skeleton::groups; 0 all ranks
  bool later = false;         // of a collective: it is a request, and ends where it is waited for
  std::vector<int> requests;  // wait: which, counted back from the latest request started (0)
  double times = 1;           // of a loop
  std::vector<Step> body;
  bool operator==(const Step&) const = default;
};
template <class Fields>
void describe(Fields& f, Step& s) {
  f.need("do", s.act);
  if (Fields::reading || s.site >= 0) f("site", s.site);
  if (Fields::reading || s.seconds != 0) f("seconds", s.seconds);
  if (Fields::reading || s.bytes != 0) f("bytes", s.bytes);
  if (Fields::reading || s.to.kind != PeerKind::none) f("to", s.to);
  if (Fields::reading || s.from.kind != PeerKind::none) f("from", s.from);
  if (Fields::reading || s.tag != 0) f("tag", s.tag);
  f("from_tag", s.from_tag);
  if (Fields::reading || s.group != 0) f("group", s.group);
  if (Fields::reading || s.later) f("later", s.later);
  f("requests", s.requests);
  if (Fields::reading || s.act == Act::loop) f("times", s.times);
  f("body", s.body);
}

// A call in the source.
struct CallSite {
  std::string call, function;  // "MPI_Send", "exchange"
  Location at;
  double calls = 0, bytes = 0, seconds = 0;  // over all ranks; inside the call, waiting included
  std::string partners;                      // "next", "previous", "rank 0", "all", "several", "any"
  std::string calls_is, bytes_is;            // per rank and per call, as expressions in N, P
  bool operator==(const CallSite&) const = default;
};
template <class Fields>
void describe(Fields& f, CallSite& c) {
  f.need("call", c.call), f("function", c.function), f("at", c.at), f("calls", c.calls), f("bytes", c.bytes), f("seconds", c.seconds);
  f("partners", c.partners), f("calls_is", c.calls_is), f("bytes_is", c.bytes_is);
}

// Ranks that do the same.
struct RankProgram {
  std::vector<int> ranks;
  std::vector<Step> steps;
  bool operator==(const RankProgram&) const = default;
};
template <class Fields>
void describe(Fields& f, RankProgram& p) { f.need("ranks", p.ranks), f.need("steps", p.steps); }

struct RankTotals {
  double compute = 0, inside = 0, elapsed = 0;  // seconds: processor time between calls, wall time in calls, all
  double calls = 0, bytes = 0, page_faults = 0, preemptions = 0;
  bool ended = true;                            // reached MPI_Finalize
  bool operator==(const RankTotals&) const = default;
};
template <class Fields>
void describe(Fields& f, RankTotals& t) {
  f("compute", t.compute), f("inside", t.inside), f("elapsed", t.elapsed), f("calls", t.calls), f("bytes", t.bytes), f("page_faults", t.page_faults), f("preemptions", t.preemptions);
  if (Fields::reading || !t.ended) f("ended", t.ended);
}

struct Skeleton {
  int ranks = 0;
  std::map<std::string, double> parameters;  // of this run
  double elapsed = 0;                        // seconds from MPI_Init to MPI_Finalize, the slowest rank
  bool crowded = false;                      // more ranks than processors: times say nothing, counts do
  std::optional<int> counted_rank;           // whose computation the profile's counts are
  std::vector<CallSite> sites;
  std::vector<std::vector<int>> groups;      // ranks of each communicator; the first holds all
  std::vector<RankProgram> programs;
  std::vector<RankTotals> totals;            // by rank
  double stands_for = 1;                     // calls of the run over those in the programs, where not all could be kept
  std::vector<Gap> gaps;
  bool operator==(const Skeleton&) const = default;
};
template <class Fields>
void describe(Fields& f, Skeleton& s) {
  f.need("ranks", s.ranks), f("parameters", s.parameters), f("elapsed", s.elapsed);
  if (Fields::reading || s.crowded) f("crowded", s.crowded);
  f("counted_rank", s.counted_rank), f("sites", s.sites), f("groups", s.groups), f("programs", s.programs);
  f("totals", s.totals);
  if (Fields::reading || s.stands_for != 1) f("stands_for", s.stands_for);
  f("gaps", s.gaps);
}

// Skeletons of one program at several numbers of ranks and sizes; the first is the one the profile was made with.
struct MessageProfile {
  std::vector<Skeleton> runs;
  bool operator==(const MessageProfile&) const = default;
};
template <class Fields>
void describe(Fields& f, MessageProfile& m) { f.need("runs", m.runs); }

// A region that threads run.
struct ThreadRegion {
  std::string function, schedule;    // of the code the threads run; "static", "dynamic", "guided"
  Location at;
  double entries = 0;
  double iterations = 0, chunks = 0;  // of its shared loops, in all
  double barriers = 0;                // inside, besides the one at its end
  std::vector<double> seconds;        // processor time by thread
  double wall = 0;                    // seconds in all
  double held = 0;                    // processor time in which its busiest lock (critical, ordered) was held: one thread at a time
  double tasks = 0;                   // that were made and done in it
  int fixed_threads = 0;              // it has, whatever is asked for; 0: it has as many as are asked for
  std::map<std::string, double> uneven;  // the busiest thread over the mean, between barriers, by number of threads
  bool operator==(const ThreadRegion&) const = default;
};
template <class Fields>
void describe(Fields& f, ThreadRegion& r) {
  f.need("function", r.function), f("schedule", r.schedule), f("at", r.at), f("entries", r.entries), f("iterations", r.iterations);
  f("chunks", r.chunks), f("barriers", r.barriers), f("seconds", r.seconds), f("wall", r.wall);
  if (Fields::reading || r.held != 0) f("held", r.held);
  if (Fields::reading || r.tasks != 0) f("tasks", r.tasks);
  if (Fields::reading || r.fixed_threads != 0) f("fixed_threads", r.fixed_threads);
  if (Fields::reading || !r.uneven.empty()) f("uneven", r.uneven);
}
struct ThreadProfile {
  int threads = 0;
  double elapsed = 0, serial = 0;  // seconds: all, outside the regions
  std::vector<ThreadRegion> regions;
  std::vector<Gap> gaps;
  bool operator==(const ThreadProfile&) const = default;
};
template <class Fields>
void describe(Fields& f, ThreadProfile& t) {
  f.need("threads", t.threads), f("elapsed", t.elapsed), f("serial", t.serial), f.need("regions", t.regions), f("gaps", t.gaps);
}

// A part of a record that is kept as JSON, read as what it is.
template <class Part>
Result<std::optional<Part>> part_of(const Json& json, const std::string& name) {
  if (json.is_null() || (json.is_object() && json.empty())) return std::optional<Part>();
  std::optional<Part> part(std::in_place);
  try {
    from_json_value(json, *part, "");
  } catch (const JsonMismatch& mismatch) {
    return unfit(mismatch.what, name + ": " + mismatch.place, "docs/formats.md describes the file");
  }
  return part;
}

}  // namespace perfcast
