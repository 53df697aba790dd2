#include "methods/dilate/ranks.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/statistics.h"
#include "record/check.h"

namespace perfcast::dilate {
namespace {

double value_of(const std::map<std::string, double>& map, const char* key) {
  auto it = map.find(key);
  return it == map.end() ? 0 : it->second;
}

// Length of the segment in the middle of the computation: half the computing time lies in shorter ones.
double middle_segment(const std::vector<double>& bins, const std::vector<double>& seconds) {
  double all = 0, passed = 0;
  for (double s : seconds) all += s;
  for (std::size_t b = 0; b < seconds.size() && b < bins.size(); b++) {
    passed += seconds[b];
    if (all > 0 && passed >= all / 2) return bins[b] > 0 ? seconds[b] / bins[b] : 0;
  }
  return 0;
}

DilatedTimes operator/(DilatedTimes t, double d) {
  for (double* v : {&t.user, &t.system, &t.wait_receive, &t.send, &t.collective, &t.other, &t.residue}) *v /= d;
  return t;
}

}  // namespace

Result<RankRecord> rank_in(const Json& json, const std::string& name) {
  RankRecord rank;
  try {
    from_json_value(json, rank, "");
    need(rank.d >= 1 && rank.elapsed >= 0 && rank.clock_seconds >= 0 && rank.threads >= 1, "", "not the times of a run");
  } catch (const JsonMismatch& mismatch) {
    return unfit(mismatch.what, name + ": " + mismatch.place);
  }
  return rank;
}

Result<std::vector<RankRecord>> read_ranks(const std::string& folder) {
  std::vector<RankRecord> ranks;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::string name = entry.path().filename().string();
    if (!name.starts_with("rank-") || !name.ends_with(".json")) continue;
    TRY(Json json, read_json_file(entry.path().string()));
    TRY(RankRecord rank, rank_in(json, name));
    ranks.push_back(std::move(rank));
  }
  return ranks;
}

namespace {

double threads_at_work(const RankRecord& rank) {
  double work = rank.d * rank.compute;
  for (const auto& [kind, seconds] : rank.seconds) work += seconds;
  return rank.threads > 1 && rank.elapsed > 0 ? std::max(1.0, work / rank.elapsed) : 1;
}

}  // namespace

RankRecord average_thread(const RankRecord& rank) {
  double n = threads_at_work(rank);
  RankRecord one = rank;
  one.threads = 1;
  for (double* sum : {&one.compute, &one.stretched, &one.system, &one.segments, &one.short_segments, &one.short_seconds, &one.switches, &one.running})
    *sum /= n;
  for (auto* map : {&one.seconds, &one.calls})
    for (auto& [kind, sum] : *map) sum /= n;
  for (auto* list : {&one.bins, &one.bin_seconds})
    for (double& sum : *list) sum /= n;
  return one;
}

void account(DilationPoint& p) {
  const DilatedTimes& t = p.times;
  p.times.residue = p.elapsed - (t.user + t.system + t.wait_receive + t.send + t.collective + t.other);
  p.normalized_times = p.times / p.d;
}

DilatedRun run_of(const std::vector<RankRecord>& ranks) {
  ensure(!ranks.empty(), "a run has at least one rank");
  DilatedRun run;
  DilationPoint& p = run.point;
  run.ranks = static_cast<int>(ranks.size());
  double n = run.ranks, system = 0, short_seconds = 0, elapsed = 0;
  std::vector<double> bins, bin_seconds;
  std::map<std::string, double> hosts;
  for (const RankRecord& rank : ranks) {
    RankRecord r = average_thread(rank);
    run.threaded = run.threaded || rank.threads > 1;
    p.d = r.d;
    double calls = 0;
    for (const auto& [kind, count] : r.calls) calls += count;
    // Two readings of the clock per call lengthen a run at D = 1, one at D > 1; one of them lies in the call's time.
    double own = r.elapsed - calls * r.clock_seconds * (r.d > 1 ? 1 : 2);
    elapsed = std::max(elapsed, own);
    auto in = [&](const char* kind) { return std::max(0.0, value_of(r.seconds, kind) - value_of(r.calls, kind) * r.clock_seconds) / n; };
    p.times.wait_receive += in("wait_receive"), p.times.send += in("send"), p.times.collective += in("collective");
    p.times.other += in("other") + in("poll");
    run.slowest = std::max(run.slowest, r.compute);
    run.compute += r.compute / n, system += r.system / n, short_seconds += r.short_seconds / n;
    p.segments += r.segments / n;
    p.switches += r.elapsed > 0 ? r.switches / r.elapsed / n : 0;
    if (r.elapsed > 0 && r.running > 0) p.lost_share = std::max(p.lost_share, std::clamp(1 - r.running / r.elapsed, 0.0, 1.0));
    run.polls += value_of(r.calls, "poll") / n, run.calls += calls / n;
    run.clock_seconds = std::max(run.clock_seconds, r.clock_seconds);
    run.most_on_one_host = std::max(run.most_on_one_host, hosts[r.host] += std::round(threads_at_work(rank)));
    bins.resize(std::max(bins.size(), r.bins.size())), bin_seconds.resize(std::max(bin_seconds.size(), r.bin_seconds.size()));
    for (std::size_t b = 0; b < r.bins.size(); b++) bins[b] += r.bins[b];
    for (std::size_t b = 0; b < r.bin_seconds.size(); b++) bin_seconds[b] += r.bin_seconds[b];
  }
  p.elapsed = elapsed, p.normalized = p.elapsed / p.d;
  p.times.system = p.d * system, p.times.user = p.d * (run.compute - system);
  account(p);
  p.segment_seconds = middle_segment(bins, bin_seconds);
  p.short_share = run.compute > 0 ? short_seconds / run.compute : 0;
  return run;
}

DilatedRun join_repeats(const std::vector<DilatedRun>& all) {
  ensure(!all.empty(), "a factor was run at least once");
  std::vector<DilatedRun> runs;
  for (const auto& run : all)
    if (!is_disturbed(run.point)) runs.push_back(run);
  int disturbed = static_cast<int>(all.size() - runs.size());
  if (runs.size() < 3 && 2 * runs.size() < all.size()) runs = all;
  auto middle = [&](auto&& get) {
    std::vector<double> values;
    values.reserve(runs.size());
    for (const auto& run : runs) values.push_back(get(run));
    return median(values);
  };
  DilatedRun joined = runs.front();
  DilationPoint& p = joined.point;
  p.elapsed = middle([](const DilatedRun& r) { return r.point.elapsed; });
  p.normalized = p.elapsed / p.d;
  p.repeats.clear();
  p.disturbed = disturbed;
  for (const auto& run : runs) p.repeats.push_back(run.point.elapsed);
  double DilatedTimes::* const fields[] = {&DilatedTimes::user, &DilatedTimes::system, &DilatedTimes::wait_receive, &DilatedTimes::send,
                                           &DilatedTimes::collective, &DilatedTimes::other};
  for (auto field : fields) p.times.*field = middle([&](const DilatedRun& r) { return r.point.times.*field; });
  account(p);
  double DilationPoint::* const others[] = {&DilationPoint::segments, &DilationPoint::segment_seconds, &DilationPoint::short_share, &DilationPoint::switches, &DilationPoint::lost_share};
  for (auto field : others) p.*field = middle([&](const DilatedRun& r) { return r.point.*field; });
  double DilatedRun::* const counts[] = {&DilatedRun::compute, &DilatedRun::slowest, &DilatedRun::slowed, &DilatedRun::clock_seconds, &DilatedRun::polls, &DilatedRun::calls, &DilatedRun::most_on_one_host};
  for (auto field : counts) joined.*field = middle([&](const DilatedRun& r) { return r.*field; });
  p.drift = p.elapsed > 0 ? (quantile(p.repeats, 0.75) - quantile(p.repeats, 0.25)) / p.elapsed : 0;
  return joined;
}

}  // namespace perfcast::dilate
