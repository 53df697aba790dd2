// How the work is divided among processors, from what was recorded of a parallel program: its thread regions, or the
// messages of its ranks. What a file would say (record/equation.h: ParallelPlan) is then known already.
//
// How uneven that is, a form in P through what was recorded says (uneven.h).
//
//   threads   functions that regions run, and what mostly they call, are divided; each entry of a region costs a fork and
//             a join, measured on the machine at some numbers of threads, in between a + b log2 P; lines beyond the last
//             cache share one memory
//   ranks     all work is divided; every call in the source that communicates is a pattern with its calls and bytes as
//             expressions in the parameters and P
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "methods/scale/model.h"
#include "methods/scale/uneven.h"
#include "record/check.h"
#include "record/messages.h"
#include "record/points.h"
#include "record/skeleton.h"
#include "record/threaded_code.h"

namespace perfcast::scale {
namespace {

Points by_threads(const std::map<std::string, Measurement>& table) {
  return points_of(table, [](const Measurement& m) { return m.value; });
}

// Seconds as an expression in P through the first and the last measured number of threads above one.
std::string fork_join_law(const ThreadCosts& costs) {
  auto points = by_threads(costs.fork_join_ns);
  std::erase_if(points, [](const auto& p) { return p.first < 2; });
  if (points.empty()) return "0";
  auto [p0, t0] = points.front();
  auto [p1, t1] = points.back();
  double slope = p1 > p0 ? std::max(0.0, (t1 - t0) / std::log2(p1 / p0)) : 0;
  return fmt::format("{:.6g} + {:.6g}*log2(P)", 1e-9 * (t0 - slope * std::log2(p0)), 1e-9 * slope);
}

// What one thread does at a time is divided all the same.
void say_locked_regions(const ThreadProfile& threads, std::vector<std::string>& remarks) {
  constexpr double matters = 0.02;  // share of the run
  for (const ThreadRegion& region : threads.regions) {
    const double work = std::accumulate(region.seconds.begin(), region.seconds.end(), 0.0);
    if (region.seconds.size() < 2 || region.held <= matters * threads.elapsed || work <= 0) continue;
    remarks.push_back(fmt::format("one lock was held for {:.0f} % of the work of the region at {}, which one thread does at a time; its work is taken to be divided all the same, so the speedup is too high", std::min(100.0, 100 * region.held / work), region.at.text()));
  }
}

void divide_unevenly(const Unevenness& points, const std::string& who, ParallelPlan& plan) {
  plan.uneven = uneven_form(points);
  if (plan.uneven == "1") return;
  std::string seen;
  for (const auto& [p, uneven] : points) seen += fmt::format("{}{:.2f} at {:g}", seen.empty() ? "" : ", ", uneven, p);
  plan.remarks.push_back(fmt::format("{} do not share the work evenly: the busiest one's over the mean is {} ({})", who, plan.uneven, seen));
}

Result<ParallelPlan> threads_plan(const Profile& profile, const ThreadProfile& threads, const Machine& machine) {
  ParallelPlan plan;
  plan.shared_memory = true;
  const auto [regions, inside] = threaded_code(*profile.machine);
  if (regions.empty()) plan.remarks.push_back(fmt::format("the code of the {} parallel regions was not found: nothing is divided", threads.regions.size()));
  // A term of the equation is divided or not: one that is called from both sides goes with most of its calls.
  constexpr double mostly = 0.5, nearly = 0.02;
  std::string both;
  for (const auto& [function, part] : inside) {
    if (part > mostly) plan.parallel.push_back(function);
    if (part > nearly && part < 1 - nearly) both += fmt::format("{}{} ({:.0f} %)", both.empty() ? "" : ", ", function, 100 * part);
  }
  if (!both.empty()) plan.remarks.push_back("called both from parallel regions and from outside, and divided if most calls come from regions: " + both);
  say_locked_regions(threads, plan.remarks);
  divide_unevenly(of_threads(threads), "threads", plan);
  TRY(auto costs, part_of<ThreadCosts>(machine.threads, machine.name + " /threads"));
  if (!costs) {
    plan.remarks.push_back(machine.name + " has no costs of threads: fork and join are left out (perfcast characterize --messages measures them)");
    return plan;
  }
  if (costs->processors > 0) plan.processors = costs->processors;
  auto bandwidth = by_threads(costs->bandwidth_gb_per_s);
  if (bandwidth.size() > 1 && bandwidth.front().second > 0) plan.bandwidth_gain = bandwidth.back().second / bandwidth.front().second;
  for (const Function& function : profile.machine->functions) {
    if (!regions.contains(function.name)) continue;
    const std::string where = function.at.known() ? function.at.text() : function.name;
    plan.communications.push_back({"fork and join " + where.substr(where.find_last_of('/') + 1), function.calls.expression.empty() ? fmt::format("{}", function.calls.value) : function.calls.expression, "0", fork_join_law(*costs)});
  }
  return plan;
}

std::string pattern_of(const std::string& call) {
  static const std::pair<const char*, const char*> known[] = {
      {"Sendrecv", "exchange"},   {"Ibcast", "broadcast"},    {"Bcast", "broadcast"},   {"Iallreduce", "allreduce"}, {"Allreduce", "allreduce"},
      {"Reduce_scatter", "allreduce"}, {"Reduce", "reduction"}, {"Allgather", "allgather"}, {"Gather", "gather"},  {"Scatter", "scatter"},
      {"Alltoall", "all_to_all"}, {"Barrier", "barrier"},     {"Isend", "point_to_point"}, {"Send", "point_to_point"}, {"Ssend", "point_to_point"},
      {"Put", "point_to_point"},  {"Get", "point_to_point"},  {"Accumulate", "point_to_point"}};
  for (auto [word, pattern] : known)
    if (call.find(word) != call.npos) return pattern;
  return "";  // receives and waits: the sender's side is counted
}

// The same call in the first recording, which has the forms of all of them.
const CallSite* described(const MessageProfile& messages, const CallSite& site) {
  const auto& sites = messages.runs.front().sites;
  auto it = std::ranges::find_if(sites, [&](const CallSite& s) { return s.call == site.call && s.at == site.at && s.function == site.function; });
  return it == sites.end() ? nullptr : &*it;
}

ParallelPlan ranks_plan(const MessageProfile& messages) {
  const Skeleton& first = messages.runs.front();
  // Most ranks show best what is sent; one alone sends nothing.
  const Skeleton* most = &first;
  for (const Skeleton& other : messages.runs)
    if (other.parameters == first.parameters && other.ranks > most->ranks) most = &other;
  const Skeleton& run = *most;
  ParallelPlan plan;
  plan.parallel = {"*"}, plan.recorded_processors = std::max(1, first.ranks);
  plan.remarks.push_back("all work is taken to be divided among the ranks");
  divide_unevenly(of_ranks(messages), "ranks", plan);
  for (const CallSite& site : run.sites) {
    const std::string pattern = pattern_of(site.call);
    if (pattern.empty() || site.calls <= 0) continue;
    const CallSite* forms = described(messages, site);
    PlannedCommunication communication{pattern, forms ? forms->calls_is : "", forms ? forms->bytes_is : "", ""};
    if (communication.times.empty() || communication.bytes.empty())
      plan.remarks.push_back(fmt::format("{} at {} follows no simple form in the recordings: its calls and bytes are taken to stay (analyze with more --ranks)", site.call, site.at.text()));
    if (communication.times.empty()) communication.times = fmt::format("{}", site.calls / run.ranks);
    if (communication.bytes.empty()) communication.bytes = fmt::format("{}", site.bytes / site.calls);
    plan.communications.push_back(std::move(communication));
  }
  return plan;
}

}  // namespace

Result<std::optional<ParallelPlan>> recorded_plan(const Profile& profile, const Machine& machine) {
  std::optional<ParallelPlan> plan;
  TRY(auto threads, part_of<ThreadProfile>(profile.parallel, profile.program + " /parallel"));
  if (threads && !threads->regions.empty() && profile.machine) {
    CHECK_OK(check_threads(*threads));
    TRY(plan, threads_plan(profile, *threads, machine));
    return plan;
  }
  TRY(auto messages, part_of<MessageProfile>(profile.messages, profile.program + " /messages"));
  if (!messages || messages->runs.empty()) return plan;
  CHECK_OK(check_messages(*messages));
  plan = ranks_plan(*messages);
  return plan;
}

}  // namespace perfcast::scale
