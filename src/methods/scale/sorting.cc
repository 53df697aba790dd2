// External sorting by regular sampling (Clement 1994, section 3.4.3): which of processors, disks and network sets the pace.
#include <algorithm>
#include <cmath>

#include "methods/scale/static_model.h"

namespace perfcast::scale {
namespace {

// Comparison times on the busiest of p processors.
struct SortingTimes {
  double sort = 0, merge = 0, disk = 0, network = 0, startup = 0;
  double together(bool overlapped) const {
    return overlapped ? std::max({sort + merge, network, disk}) + startup : sort + merge + network + disk + startup;
  }
};

SortingTimes times_of(const SortingMachine& m, double n, double p) {
  SortingTimes t;
  double own = n / p;
  t.sort = own * std::log2(std::max(2.0, own));
  t.disk = 2 * own * m.disk * (p > 1 ? m.skew : 1);
  if (p <= 1) return t;
  t.merge = m.skew * own * std::log2(p);
  t.network = m.network * own * (p - 1) / p * (m.shared_network ? p : 1) * m.skew;
  t.startup = p * m.startup;
  return t;
}

SortingMachine machine_of(const SortingCase& c) { return {c.disk, c.network, c.startup, c.skew, c.shared_network, c.overlapped}; }

Status check(const SortingCase& c) {
  if (!(c.processors >= 1) || !(c.items >= 2)) return unfit("sorting needs a processor and two items", c.name);
  if (c.disk < 0 || c.network < 0 || c.startup < 0) return unfit("a time below zero", c.name);
  if (!(c.skew >= 1)) return unfit("skew is the busiest processor's data over the mean: at least 1", c.name);
  return {};
}

}  // namespace

double sorting_speedup(const SortingMachine& m, double n, double p) {
  return times_of(m, n, 1).together(m.overlapped) / times_of(m, n, p).together(m.overlapped);
}

Result<SortingStudy> solve_sorting(SortingStudy study) {
  if (study.machines.empty()) return unfit("no machine to sort on", "sorting study");
  for (SortingCase& c : study.machines) {
    CHECK_OK(check(c));
    const SortingMachine m = machine_of(c);
    const SortingTimes t = times_of(m, c.items, c.processors);
    c.speedup = sorting_speedup(m, c.items, c.processors);
    c.parts = {{"sort", t.sort}, {"merge", t.merge}, {"disk", t.disk}, {"network", t.network}, {"startup", t.startup}};
    c.limit = "processors";
    double most = t.sort + t.merge;
    for (auto [name, value] : {std::pair{"disks", t.disk}, {"network", t.network}, {"message startups", t.startup}})
      if (value > most) most = value, c.limit = name;
    c.by_processors.clear();
    for (int k = 0; k <= 12; k++) c.by_processors.push_back({std::exp2(k), sorting_speedup(m, c.items, std::exp2(k))});
  }
  return study;
}

}  // namespace perfcast::scale
