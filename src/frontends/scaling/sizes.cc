#include "frontends/scaling/sizes.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace perfcast::scaling {
namespace {

class Runs {
 public:
  Runs(const Attempt& attempt, const SizeOptions& options) : attempt_(attempt), options_(options) {}

  // Runs at one setting unless that was done; false when the time is used up or this size is slow.
  bool run(const Setting& setting, bool held_out = false) {
    if (over() || is_slow(setting)) return false;
    if (!seen_.insert(setting).second) return true;
    Try tried = attempt_(setting, held_out);
    spent_ += tried.seconds, runs_++, last_seconds_ = tried.seconds;
    if (tried.seconds >= options_.run_seconds) slow_.push_back(setting);
    if (tried.taken) taken_.push_back(setting);
    else refused_++;
    return tried.seconds < options_.run_seconds;
  }
  bool over() const { return spent_ > options_.total_seconds || runs_ >= options_.most_runs; }
  int taken() const { return static_cast<int>(taken_.size()); }
  int refused() const { return refused_; }
  double last_seconds() const { return last_seconds_; }

 private:
  // At least as large, in every parameter, as one that was slow.
  bool is_slow(const Setting& setting) const {
    return std::ranges::any_of(slow_, [&](const Setting& slow) {
      return std::ranges::all_of(slow, [&](const auto& entry) { return setting.at(entry.first) >= entry.second; });
    });
  }
  const Attempt& attempt_;
  const SizeOptions& options_;
  std::set<Setting> seen_;
  std::vector<Setting> taken_, slow_;
  double spent_ = 0, last_seconds_ = 0;
  int runs_ = 0, refused_ = 0;
};

// from, from + step, ... : ends at a slow run, or when the first `patience` sizes are all refused.
void series(Runs& runs, Setting setting, const std::string& name, double from, double step, int count, int patience = 12) {
  const int before = runs.taken();
  for (int k = 0; k < count; k++) {
    setting[name] = from + step * k;
    if (!runs.run(setting)) return;
    if (k + 1 == patience && runs.taken() == before) return;
  }
}

// Loops over narrow elements take 128 or more at once, and what is left otherwise: sizes of many residues by that, and those
// around its multiples, while runs are quick.
void beyond_a_vector(Runs& runs, Setting setting, const std::string& name, double recorded) {
  constexpr double least = 256, from = 129, most = 1600, quick = 0.1;
  constexpr int wanted = 48;
  if (recorded < least) return;
  std::vector<double> sizes;
  const double step = std::max(3.0, 2 * std::floor((std::min(recorded, most) - from) / (2 * wanted)) + 1);  // odd: every residue comes in turn
  for (double size = from; size <= std::min(recorded, most); size += step) sizes.push_back(size);
  for (double multiple : {256.0, 384.0, 512.0})
    for (double offset = -2; offset <= 6; offset++)
      if (multiple + offset <= recorded) sizes.push_back(multiple + offset);
  std::ranges::sort(sizes);
  for (double size : sizes) {
    setting[name] = size;
    if (!runs.run(setting) || runs.last_seconds() > quick) return;
  }
}

void one_parameter(Runs& runs, const std::string& name, double recorded, const Setting& base) {
  Setting setting = base;
  auto at = [&](double size) { setting[name] = size; return setting; };
  if (recorded <= 32) {  // levels, iterations, tiny sizes: every one from the smallest on
    series(runs, base, name, 1, 1, static_cast<int>(std::max(16.0, recorded)), 40);
    return;
  }
  const double low = std::min(40.0, std::floor(recorded / 2));
  // First a few multiples of sixteen: cheap, and enough for polynomials if nothing else can be had.
  for (double size = 48; size <= std::clamp(recorded, 96.0, 128.0); size += 16) runs.run(at(size));
  series(runs, base, name, low, 1, static_cast<int>(std::clamp(recorded - low + 1, 40.0, 80.0)));
  const bool choosy = runs.refused() > runs.taken();
  for (double size = 2; size <= recorded; size *= 2)
    if (!runs.run(at(size))) break;
  if (runs.taken() < 12) {  // only near the recorded size: multiples of what divides it
    double step = 1;
    while (step < 64 && std::fmod(recorded, 2 * step) == 0) step *= 2;
    double from = std::max(step, std::floor(recorded / 4 / step) * step);
    series(runs, base, name, from, step, 40);
    if (runs.taken() < 12) series(runs, base, name, recorded, step, 16);
    for (int tenth = 1; tenth <= 20 && runs.taken() < 12; tenth++)  // or round numbers, as the recorded one is
      if (std::fmod(recorded * tenth, 10) == 0 && !runs.run(at(recorded * tenth / 10))) break;
  }
  // Held out: sizes apart from the others; forms must go through them too.
  if (choosy) return;
  for (double size : {151.0, 203.0, 255.0, 301.0, 397.0})
    if (size <= recorded && !runs.run(at(size), true)) break;
  // Up to the recorded one: how memory and what depends on the data grow shows there best.
  for (double divisor : {16.0, 8.0, 4.0, 2.0, 1.5})
    if (double size = std::round(recorded / divisor); size > low && !runs.run(at(size), true)) break;
  beyond_a_vector(runs, base, name, recorded);
}

// Where loops that take many elements at once have reached their steps: a longer line in each of two parameters, at a few values of the
// other one, so that what multiplies the steps is told too.
void longer_lines(Runs& runs, const Setting& recorded, const Setting& base) {
  constexpr double sizes[] = {64, 70, 97, 101, 128, 131, 150, 161, 193, 200, 255, 257, 300, 333, 384, 390}, others[] = {21, 26, 35};
  for (const auto& [name, value] : recorded)
    for (const auto& [other, other_value] : recorded) {
      if (other == name) continue;
      Setting setting = base;
      for (std::size_t k = 0; k <= std::size(others); k++) {
        if (k > 0 && other_value <= 32) setting[other] = static_cast<double>(2 * k);
        else if (k > 0) setting[other] = others[k - 1];
        for (std::size_t j = k % 2; j < std::size(sizes); j += k > 0 ? 2 : 1) {
          setting[name] = sizes[j];
          if (sizes[j] > value || !runs.run(setting)) break;
        }
      }
    }
}

// A line in each parameter, then settings where all differ (a product of three is told from that of two by these alone), then
// pairs.
void several_parameters(Runs& runs, const Setting& recorded) {
  Setting base;
  for (const auto& [name, value] : recorded) base[name] = value <= 32 ? value : std::min(value, 24.0);
  auto line = [](double value) -> std::vector<double> {
    if (value <= 32) return {1, 2, 3, 4, 5, 6, 8};
    return {20, 21, 22, 23, 24, 25, 26, 27, 28, 30, 33, 34, 35, 36, 37, 39};  // four of each residue by 4, every residue among every other one
  };
  for (const auto& [name, value] : recorded)
    for (double size : line(value)) {
      Setting setting = base;
      setting[name] = size;
      if (!runs.run(setting)) break;
    }
  const bool three = recorded.size() > 2;
  if (!three) longer_lines(runs, recorded, base);
  constexpr std::size_t all_differ = 28, strides[] = {1, 5, 9, 11};
  for (std::size_t t = 0; three && t < all_differ; t++) {
    Setting setting = base;
    std::size_t k = 0;
    for (const auto& [name, value] : recorded) {
      const std::vector<double> own = line(value);
      setting[name] = own[(t * strides[k % 4] + k) % own.size()], k++;
    }
    runs.run(setting);
  }
  for (auto a = recorded.begin(); a != recorded.end(); ++a)
    for (auto b = std::next(a); b != recorded.end(); ++b) {
      std::vector<double> first = line(a->second), second = line(b->second);
      const std::size_t step = three ? 3 : 2, small_step = three ? 2 : 1;
      for (std::size_t i = 0; i < first.size(); i += first.size() > 8 ? step : small_step)
        for (std::size_t j = 1; j < second.size(); j += second.size() > 8 ? step : small_step) {
          Setting setting = base;
          setting[a->first] = first[i], setting[b->first] = second[j];
          if (!runs.run(setting) && runs.over()) return;
        }
    }
  // Held out: apart from the others, up to sizes where loops over narrow elements reach their vectors; no two parameters in step.
  constexpr double apart[] = {45, 70, 101, 150, 203, 301, 397, 601, 901};
  constexpr std::size_t shift = 2;
  for (std::size_t t = 0; t < std::size(apart); t++) {
    Setting held = base;
    std::size_t k = 0;
    for (const auto& [name, value] : recorded) {
      held[name] = value <= 32 ? line(value)[(t + 5) % line(value).size()] : std::min(apart[(t + k) % std::size(apart)], std::max(45.0, value));
      k += shift;
    }
    if (!runs.run(held, true) && runs.over()) return;
  }
}

}  // namespace

void try_sizes(const Setting& recorded, const Attempt& attempt, const SizeOptions& options) {
  Runs runs(attempt, options);
  if (recorded.size() == 1) one_parameter(runs, recorded.begin()->first, recorded.begin()->second, recorded);
  else several_parameters(runs, recorded);
}

}  // namespace perfcast::scaling
