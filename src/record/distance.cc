#include "record/distance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "record/comparison.h"

namespace perfcast {
namespace {

using Key = std::pair<std::string, std::string>;  // section, name

constexpr double half_interval = 2;  // standard deviations: about 95 %

struct LogSum {
  int n = 0;
  double sum = 0, squares = 0;
  void add(double log) { n++, sum += log, squares += log * log; }
  double mean() const { return sum / n; }
  MachineDistance finish(std::string section) const {
    MachineDistance d;
    d.section = std::move(section), d.quantities = n, d.ratio = std::exp(mean());
    d.distance = std::sqrt(squares / n);
    d.shape = std::sqrt(std::max(0.0, squares - n * mean() * mean()) / (n - 1));
    return d;
  }
};

// The clock that measured says little about the machine.
bool is_of_the_clock(const std::string& name) { return name.starts_with("clock_resolution") || name.starts_with("clock_overhead"); }

// Sections weigh alike: a machine file holds hundreds of source operations and a handful of system costs.
MachineDistance together(const std::vector<MachineDistance>& sections) {
  MachineDistance all;
  all.section = "all";
  double squares = 0, shapes = 0, logs = 0, count = static_cast<double>(sections.size());
  for (const auto& s : sections) {
    all.quantities += s.quantities;
    squares += s.distance * s.distance, shapes += s.shape * s.shape, logs += std::log(s.ratio);
  }
  all.distance = std::sqrt(squares / count), all.shape = std::sqrt(shapes / count), all.ratio = std::exp(logs / count);
  return all;
}

// Half intervals between two measurements; nothing where neither tells how far to trust it.
std::optional<double> intervals_between(const Measurement& a, const Measurement& b) {
  if (a.not_detected && b.not_detected) return 0;
  if (a.not_detected || b.not_detected) {
    const Measurement &unseen = a.not_detected ? a : b, &seen = a.not_detected ? b : a;
    if (!unseen.limit || !seen.sd || *unseen.limit <= 0) return {};
    return std::max(0.0, seen.value - half_interval * *seen.sd) / *unseen.limit;
  }
  if (!a.sd || !b.sd) return {};
  double half = half_interval * std::sqrt(a.variance() + b.variance());
  if (half <= 0) return a.value == b.value ? std::optional(0.0) : std::nullopt;
  return std::abs(a.value - b.value) / half;
}

}  // namespace

std::vector<MachineDistance> distances_between(const std::vector<NamedQuantity>& a, const std::vector<NamedQuantity>& b) {
  std::map<Key, double> known;
  for (const auto& q : a)
    if (q.measured.value > 0 && !is_of_the_clock(q.name)) known[{q.section, q.name}] = q.measured.value;
  std::vector<std::string> order;
  std::map<std::string, LogSum> sums;
  for (const auto& q : b) {
    auto it = known.find({q.section, q.name});
    if (it == known.end() || q.measured.value <= 0) continue;
    if (!sums.contains(q.section)) order.push_back(q.section);
    sums[q.section].add(std::log(q.measured.value / it->second));
  }
  std::vector<MachineDistance> result;
  for (const auto& section : order)
    if (sums[section].n >= 2) result.push_back(sums[section].finish(section));
  if (!result.empty()) result.push_back(together(result));
  return result;
}

std::vector<MachineDistance> distances_between(const Machine& a, const Machine& b) {
  auto result = distances_between(quantities_of(a), quantities_of(b));
  for (auto& d : result) d.a = a.name, d.b = b.name;
  return result;
}

bool same_machine(const Machine& a, const Machine& b) {
  auto processor = [](const Machine& m) { return m.description.substr(0, m.description.find(", characterized")); };
  return !a.made_by.host.empty() && a.made_by.host == b.made_by.host && a.isa == b.isa && processor(a) == processor(b);
}

Repetition repetition_of(const Machine& a, const Machine& b) {
  Repetition result;
  result.a = a.name, result.b = b.name;
  std::map<Key, Measurement> known;
  for (const auto& q : quantities_of(a, Compilers::apart)) known[{q.section, q.name}] = q.measured;
  for (const auto& q : quantities_of(b, Compilers::apart)) {
    auto it = known.find({q.section, q.name});
    if (it == known.end()) continue;
    const Measurement &first = it->second, &second = q.measured;
    auto intervals = intervals_between(first, second);
    if (!intervals) continue;
    result.compared++;
    double larger = std::max(first.value, second.value), apart = larger > 0 ? std::abs(first.value - second.value) / larger : 0;
    bool agree = *intervals <= 1;
    result.agreeing += agree, result.within_5 += agree || apart <= 0.05, result.within_10 += agree || apart <= 0.10;
    if (!agree) result.beyond.push_back({q.section, q.name, first.value, second.value, *intervals, first.disturbed || second.disturbed});
  }
  if (result.compared > 0) result.within_5 /= result.compared, result.within_10 /= result.compared;
  // Those that only one of them detected come last: their ratio is not known.
  auto apart = [](const Disagreement& d) { return d.a > 0 && d.b > 0 ? std::abs(std::log(d.b / d.a)) : 0; };
  std::ranges::sort(result.beyond, {}, [&](const Disagreement& d) { return std::tuple(-apart(d), d.section, d.name); });
  return result;
}

}  // namespace perfcast
