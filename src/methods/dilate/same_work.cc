#include "methods/dilate/same_work.h"

#include <algorithm>
#include <map>
#include <string>

#include "base/statistics.h"

namespace perfcast::dilate {

WorkLaw fit_work(const std::vector<DilatedRun>& runs) {
  WorkLaw law;
  double uu = 0, ux = 0, xx = 0, u1 = 0, x1 = 0, most_ranks = 1;
  for (const auto& run : runs) {
    if (run.point.normalized <= 0) continue;
    double u = run.slowest / run.point.normalized, x = 1 / run.point.d / run.point.normalized;
    uu += u * u, ux += u * x, xx += x * x, u1 += u, x1 += x;
    most_ranks = std::max<double>(most_ranks, run.ranks);
  }
  double determinant = uu * xx - ux * ux;
  if (determinant > 1e-9 * uu * xx) law.per_work = (u1 * xx - x1 * ux) / determinant;
  law.per_work = std::clamp(law.per_work, 1.0, most_ranks);
  if (xx > 0) law.transport = std::max(0.0, (x1 - law.per_work * ux) / xx);
  if (law.transport == 0 && uu > 0) law.per_work = std::clamp(u1 / uu, 1.0, most_ranks);
  return law;
}

namespace {

// Computation changes with its own time, and what else changes is waiting for that of others.
void bring_to(DilatedRun& run, double work, const WorkLaw& law) {
  if (run.slowest <= 0 || work <= 0) return;
  DilationPoint& p = run.point;
  double ratio = work / run.slowest, added = p.d * law.per_work * (work - run.slowest);
  double own = (ratio - 1) * (p.times.user + p.times.system);
  p.times.user *= ratio, p.times.system *= ratio, run.compute *= ratio, run.slowest = work, run.slowed = 1 / ratio;
  double waiting = p.times.wait_receive + p.times.collective;
  if (waiting > 0) {
    double change = std::max(0.0, 1 + (added - own) / waiting);
    p.times.wait_receive *= change, p.times.collective *= change;
  }
  p.elapsed = std::max(p.d * work, p.elapsed + added), p.normalized = p.elapsed / p.d;
  account(p);
}

}  // namespace

SameWork bring_to_same_work(std::vector<std::vector<DilatedRun>>& of_factors) {
  SameWork same;
  std::vector<DilatedRun> all;
  for (const auto& runs : of_factors) all.insert(all.end(), runs.begin(), runs.end());
  // What was preempted took longer for another reason, and says nothing of the law.
  std::vector<DilatedRun> good = all;
  std::erase_if(good, [](const DilatedRun& run) { return is_disturbed(run.point); });
  if (good.empty()) good = all;
  std::vector<double> works;
  works.reserve(good.size());
  for (const auto& run : good) works.push_back(run.slowest);
  if (works.empty()) return same;
  same.shortest = std::ranges::min(works), same.middle = median(works), same.longest = std::ranges::max(works);
  same.law = fit_work(good);
  for (auto& runs : of_factors)
    for (auto& run : runs) bring_to(run, same.middle, same.law);
  return same;
}

void bring_to_same_work(const std::vector<ThreadsRecord*>& runs) {
  std::map<std::string, std::vector<double>> works;
  for (const ThreadsRecord* run : runs)
    for (const auto& region : run->regions) works[region.name].push_back(region.work);
  std::map<std::string, double> middle;
  for (const auto& [name, values] : works) middle[name] = median(values);
  for (ThreadsRecord* run : runs)
    for (auto& region : run->regions) {
      if (region.work <= 0 || middle[region.name] <= 0) continue;
      double ratio = middle[region.name] / region.work, added = (ratio - 1) * region.wall;
      region.work *= ratio, region.short_seconds *= ratio, region.wall += added, run->elapsed += added;
    }
}

}  // namespace perfcast::dilate
