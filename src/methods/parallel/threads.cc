// Programs with threads: a serial part and regions, each of which shares its work.
//
//   T(t) = serial + sum over regions of  work/t * imbalance * crowding + entries * fork-join(t) + barriers * barrier(t)
//          + chunks * dispatch / t
//
// where imbalance is the busiest thread over the mean as recorded, and crowding is what memory slows down when t threads
// share it: of the part of the time that waits for memory, t * bandwidth(1) / bandwidth(t).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "methods/parallel/parallel.h"
#include "record/check.h"

namespace perfcast::parallel {
namespace {

// The value for t threads, between the measured ones linearly.
std::optional<double> at_threads(const std::map<std::string, Measurement>& values, double t) {
  std::vector<std::pair<double, double>> points;
  for (const auto& [threads, m] : values) points.emplace_back(std::atof(threads.c_str()), m.value);
  if (points.empty()) return {};
  std::ranges::sort(points);
  if (t <= points.front().first) return points.front().second;
  for (std::size_t i = 1; i < points.size(); i++)
    if (t <= points[i].first) {
      const double share = (t - points[i - 1].first) / (points[i].first - points[i - 1].first);
      return points[i - 1].second + share * (points[i].second - points[i - 1].second);
    }
  return points.back().second;
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

  double in_regions = 0;
  for (const auto& region : recorded->regions) in_regions += sum(region.seconds);
  const double whole = recorded->serial + in_regions;
  const double scale = whole > 0 ? one.seconds / whole : 1;
  const double crowded = crowding(one, machine, t);
  double work = 0, waiting = 0, managing = 0;
  for (const auto& region : recorded->regions) {
    const double seconds = scale * sum(region.seconds) * crowded, mean = sum(region.seconds) / std::max<std::size_t>(1, region.seconds.size());
    const double busiest = region.seconds.empty() ? 0 : *std::ranges::max_element(region.seconds);
    const double imbalance = t > 1 && mean > 0 ? busiest / mean : 1;
    work += seconds / t, waiting += seconds / t * (imbalance - 1);
    managing += 1e-9 * (region.entries * at_threads(costs->fork_join_ns, t).value_or(0) + region.barriers * at_threads(costs->barrier_ns, t).value_or(0));
    if (region.schedule == "dynamic" || region.schedule == "guided") managing += 1e-9 * region.chunks * (costs->dispatch_ns ? costs->dispatch_ns->value : 0) / t;
  }
  const double serial = scale * recorded->serial;
  p.seconds = serial + work + waiting + managing;
  p.parts = {{"serial", serial, {}, {}}, {"parallel work", work, {}, {}}, {"imbalance", waiting, {}, {}}, {"fork, join, barriers", managing, {}, {}}};
  p.remarks.push_back(fmt::format("wall time with {:g} threads; {:.0f} % of the work is in parallel regions", t, whole > 0 ? 100 * in_regions / whole : 0));
  if (crowded > 1.005) p.remarks.push_back(fmt::format("threads share memory: regions take {:.2f} times as long", crowded));
  if (costs->processors > 0 && t > costs->processors) {
    p.seconds = serial + (p.seconds - serial) * t / costs->processors;
    p.remarks.push_back(fmt::format("{} has {} processors: more threads take turns", machine.name, costs->processors));
  }
  p.gaps.insert(p.gaps.end(), recorded->gaps.begin(), recorded->gaps.end());
  const double low = one.seconds > 0 ? one.interval[0] / one.seconds : 1, high = one.seconds > 0 ? one.interval[1] / one.seconds : 1;
  constexpr double left_out = 1.5;  // what threads cost may add that much
  p.interval = {p.seconds * low * 0.95, p.seconds * high * (unknown ? left_out : 1.05)};
  return p;
}

}  // namespace perfcast::parallel
