// Programs with threads: a serial part and regions, each of which shares its work.
//
//   T(t) = serial + sum over regions of  work/t * imbalance * crowding + entries * fork-join(t) + barriers * barrier(t)
//          + chunks * dispatch / t
//
// How much is serial the model says, of the functions that threads run; the recorded times, in which starting the threads
// and other programs count too, only say how regions share the rest. Imbalance is the busiest thread over the mean, between
// barriers, for t threads, as the recording tells it (data/runtime/threads_phases.h); where it does not, that of the recorded threads
// but for what n iterations on t threads must differ: ceil(n/t) t / n. A region that ran with fewer threads than
// there were (a condition that did not hold) has no more of them. Crowding is what memory slows down when t threads share
// it: of the part of the time that waits for memory, t * bandwidth(1) / bandwidth(t). A region takes no less than what is done
// under its busiest lock, by one thread at a time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "methods/parallel/parallel.h"
#include "record/check.h"
#include "record/imbalance.h"
#include "record/points.h"
#include "record/threaded_code.h"

namespace perfcast::parallel {
namespace {

std::optional<double> at_threads(const std::map<std::string, Measurement>& values, double t) {
  const Points points = points_of(values, [](const Measurement& m) { return m.value; });
  return points.empty() ? std::nullopt : std::optional(between(points, t));
}

double sum(const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); }

// Of the predicted time, what waits for the last level of memory.
double memory_share(const ModelPrediction& one, const Machine& machine) {
  if (!machine.memory || machine.memory->levels.empty() || one.seconds <= 0) return 0;
  double seconds = 0;
  for (const auto& part : one.parts)
    if (part.name == "memory: " + machine.memory->levels.back().name) seconds += part.seconds;
  return seconds / one.seconds;
}

// The part of the computation that regions run; none where the model does not tell functions apart that compilers make of
// regions.
std::optional<double> parallel_share(const ModelPrediction& one, const Profile& profile) {
  const std::optional<Graph>& code = profile.machine ? profile.machine : profile.ir;
  if (!code) return {};
  const ThreadedCode threaded = threaded_code(*code);
  if (threaded.regions.empty()) return {};
  const auto view = one.views.find("function");
  const bool by_time = view != one.views.end() && (one.model == Model::icc || one.model == Model::intcc);
  double inside = 0, all = 0;
  for (const Function& function : code->functions) {
    double weight = 0;
    if (by_time) {
      for (const Part& row : view->second)
        if (row.name == (function.readable.empty() ? function.name : function.readable)) weight = row.seconds;
    } else {
      for (const Block& block : function.blocks) {
        double operations = static_cast<double>(block.code.size());
        if (block.code.empty())
          for (const auto& [operation, times] : block.usage) operations += operation.starts_with("bytes") ? 0 : times;
        weight += block.count.value * operations;
      }
    }
    all += weight;
    if (const auto part = threaded.inside.find(function.name); part != threaded.inside.end()) inside += part->second * weight;
  }
  if (all <= 0) return {};
  return inside / all;
}

}  // namespace

double crowding(const ModelPrediction& one, const Machine& machine, double processors) {
  auto costs = part_of<ThreadCosts>(machine.threads, machine.name);
  if (!costs || !*costs) return 1;
  const double n = (*costs)->processors > 0 ? std::min<double>(processors, (*costs)->processors) : processors;
  auto alone = at_threads((*costs)->bandwidth_gb_per_s, 1), shared = at_threads((*costs)->bandwidth_gb_per_s, n);
  if (!alone || !shared || *shared <= 0) return 1;
  const double memory = memory_share(one, machine);
  return 1 - memory + memory * std::max(1.0, n * *alone / *shared);
}

Result<ModelPrediction> on_threads(const ModelPrediction& one, const Profile& profile, const Machine& machine, const ParallelOptions& options) {
  TRY(auto recorded, part_of<ThreadProfile>(profile.parallel, profile.program + " /parallel"));
  if (!recorded || recorded->regions.empty()) return unfit("the profile has no parallel regions", profile.program, "analyze with --threads 2");
  CHECK_OK(check_threads(*recorded));
  TRY(auto costs, part_of<ThreadCosts>(machine.threads, machine.name + " /threads"));
  const bool unknown = !costs;
  if (unknown) costs.emplace();
  const double t = options.threads > 0 ? options.threads : recorded->threads;
  if (t < 1) return wrong_usage("a program has one thread at least");
  ModelPrediction p = one;
  p.views["computation"] = one.parts, p.sd.reset();
  if (unknown)
    p.remarks.push_back(machine.name + " has no costs of threads: fork, join and barriers are left out, and memory is taken to be fast enough for all "
                        "threads; perfcast characterize --messages measures them on that machine");

  double in_regions = 0, starting = 0;
  for (const auto& region : recorded->regions) in_regions += sum(region.seconds);
  for (const auto& part : one.parts) starting += part.name == "start" ? part.seconds : 0;
  const double timed = recorded->serial + in_regions;
  double serial = one.seconds;
  if (auto share = parallel_share(one, profile)) serial = starting + (one.seconds - starting) * (1 - *share);
  else if (timed > 0) serial = one.seconds * recorded->serial / timed;
  const double scale = in_regions > 0 ? (one.seconds - serial) / in_regions : 0;
  const double crowded = crowding(one, machine, t);
  double work = 0, waiting = 0, managing = 0, locked = 0;
  for (const auto& region : recorded->regions) {
    const double had = static_cast<double>(region.seconds.size());
    const double threads = region.fixed_threads > 0 ? region.fixed_threads : had > 0 && had < recorded->threads ? std::min(t, had) : t;
    const double turns = costs->processors > 0 ? std::max(1.0, threads / costs->processors) : 1;  // more threads than processors
    const double share = turns * scale * sum(region.seconds) * crowded / threads;
    const double busiest = share * imbalance_at(region, threads);
    work += share, waiting += busiest - share;
    locked += std::max(0.0, scale * region.held - busiest);
    managing += turns * 1e-9 * (region.entries * at_threads(costs->fork_join_ns, threads).value_or(0) + region.barriers * at_threads(costs->barrier_ns, threads).value_or(0));
    if (region.schedule == "dynamic" || region.schedule == "guided") managing += turns * 1e-9 * region.chunks * value_or(costs->dispatch_ns, 0) / threads;
  }
  p.seconds = serial + work + waiting + locked + managing;
  p.parts = {{"serial", serial, {}, {}}, {"parallel work", work, {}, {}}, {"imbalance", waiting, {}, {}}, {"fork, join, barriers", managing, {}, {}}};
  if (locked > 0) p.parts.push_back({"waiting for locks", locked, {}, {}});
  p.remarks.push_back(fmt::format("wall time with {:g} threads; {:.0f} % of the work is in parallel regions", t, one.seconds > 0 ? 100 * (1 - serial / one.seconds) : 0));
  if (crowded > 1.005) p.remarks.push_back(fmt::format("threads share memory: regions take {:.2f} times as long", crowded));
  if (costs->processors > 0 && t > costs->processors) p.remarks.push_back(fmt::format("{} has {} processors: more threads take turns", machine.name, costs->processors));
  p.gaps.insert(p.gaps.end(), recorded->gaps.begin(), recorded->gaps.end());
  const double low = one.seconds > 0 ? one.interval[0] / one.seconds : 1, high = one.seconds > 0 ? one.interval[1] / one.seconds : 1;
  constexpr double left_out = 1.5;  // what threads cost may add that much
  p.interval = {p.seconds * low * 0.95, p.seconds * high * (unknown ? left_out : 1.05)};
  return p;
}

}  // namespace perfcast::parallel
