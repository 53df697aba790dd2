#include "methods/characterize/memory/levels.h"

#include <algorithm>
#include <cmath>


namespace perfcast::characterize {

double crossing(const std::vector<CurvePoint>& curve, double low, double high) {
  double wanted = std::sqrt(low * high);
  for (std::size_t i = 1; i < curve.size(); i++)
    if (curve[i - 1].y <= wanted && curve[i].y > wanted) {
      double share = std::log(wanted / curve[i - 1].y) / std::log(curve[i].y / curve[i - 1].y);
      return std::exp(std::log(curve[i - 1].x) + share * (std::log(curve[i].x) - std::log(curve[i - 1].x)));
    }
  return 0;
}

namespace {

// The plateau of a cache of nominal size `here`, above one of size `below`: the lowest quarter of the curve between.
double plateau_between(const std::vector<CurvePoint>& curve, double below, double here) {
  std::vector<double> inside;
  for (const auto& point : curve)
    if (point.x > 1.6 * below && point.x <= 0.75 * here) inside.push_back(point.y);
  if (inside.empty())
    for (const auto& point : curve)
      if (point.x > below && point.x <= here) inside.push_back(point.y);
  if (inside.empty()) return 0;
  std::sort(inside.begin(), inside.end());
  return inside[inside.size() / 4];
}

// No cache is larger than it is. The last may be smaller for one of many who share it; what a core has for itself is so only
// while another program has that core, which is not the state to be described.
double believable(double capacity, double nominal, bool shared) {
  constexpr double half = 0.5;
  return capacity > nominal || (!shared && capacity > half * nominal) ? nominal : capacity;
}

std::vector<Plateau> from_shape(const std::vector<CurvePoint>& curve) {
  std::vector<Plateau> plateaus;
  std::vector<double> run;
  auto close = [&] {
    if (run.size() < 2) return run.clear();
    std::sort(run.begin(), run.end());
    double value = run[run.size() / 2];
    if (plateaus.empty() || value > 1.4 * plateaus.back().value) plateaus.push_back({value, 0});
    run.clear();
  };
  for (std::size_t i = 0; i < curve.size(); i++) {
    if (!run.empty() && curve[i].y > 1.15 * run.back()) close();
    run.push_back(curve[i].y);
  }
  close();
  return plateaus;
}

}  // namespace

std::vector<Plateau> find_plateaus(const std::vector<CurvePoint>& curve, const std::vector<double>& nominal) {
  if (curve.empty()) return {};
  std::vector<Plateau> plateaus;
  double below = 0;
  for (double size : nominal) {
    double value = plateau_between(curve, below, size);
    if (value > 0 && (plateaus.empty() || value > 1.15 * plateaus.back().value)) plateaus.push_back({value, 0});
    below = size;
  }
  if (plateaus.empty()) plateaus = from_shape(curve);
  else if (double last = curve.back().y; curve.back().x > 1.5 * below && last > 1.15 * plateaus.back().value)
    plateaus.push_back({last, 0});
  const bool one_each = plateaus.size() == nominal.size() + 1;  // a plateau for each cache, and memory
  for (std::size_t i = 0; i + 1 < plateaus.size(); i++) {
    plateaus[i].capacity = crossing(curve, plateaus[i].value, plateaus[i + 1].value);
    if (one_each) plateaus[i].capacity = believable(plateaus[i].capacity, nominal[i], i + 1 == nominal.size());
    // The curve knows a capacity only to within its steps: a nominal size that agrees with it is the better number.
    for (double size : nominal)
      if (size > 0.68 * plateaus[i].capacity && size < 1.47 * plateaus[i].capacity) plateaus[i].capacity = size;
  }
  return plateaus;
}

double size_behind_retention(double seen, double fast, double gone, double retention_ns, double nominal) {
  constexpr double steepness = 6.3;  // of the loss, as the engine's hit_probability has it
  const double half_way = std::sqrt(fast * gone), lost = (half_way - fast) / (gone - fast);
  const double full = std::pow(lost / (1 - lost), 1 / steepness), by_others = seen * half_way / retention_ns;
  return full - by_others > seen / nominal ? seen / (full - by_others) : nominal;
}

std::vector<CurvePoint> without_disturbance(std::vector<CurvePoint> curve) {
  for (std::size_t i = curve.size(); i > 1; i--) curve[i - 2].y = std::min(curve[i - 2].y, curve[i - 1].y);
  return curve;
}

double without_core(double together, double core, double least) {
  constexpr double q = MemoryModel::core_overlap;
  return std::max(least * together, std::pow(std::max(0.0, std::pow(together, q) - std::pow(core, q)), 1 / q));
}

double fit_window(const std::vector<CurvePoint>& times, double latency, double parallel, double own) {
  double best = 0, best_error = INFINITY;
  // The filler's own cost per instruction is what the longest filler shows.
  double per_instruction = times.empty() || times.back().x <= 0 ? 0 : 0.25 * times.back().y / times.back().x;
  for (double window = 16; window <= 1024; window *= 1.02) {
    double error = 0;
    for (const auto& point : times) {
      double overlap = std::min(parallel, 1 + window / (point.x + own));
      double model = std::max(latency / overlap, per_instruction * point.x);
      error += std::pow(std::log(point.y / model), 2);
    }
    if (error < best_error) best_error = error, best = window;
  }
  return best;
}

void take_middle(MemoryLevel& level, const std::vector<MemoryLevel>& moments) {
  auto middle = [](std::vector<Measurement> numbers) {
    const auto at = numbers.begin() + static_cast<std::ptrdiff_t>((numbers.size() - 1) / 2);  // of two the smaller: others only add
    std::ranges::nth_element(numbers, at, {}, &Measurement::value);
    return *at;
  };
  auto take = [&](std::optional<Measurement> MemoryLevel::*number) {
    std::vector<Measurement> numbers;
    for (const MemoryLevel& moment : moments)
      if (moment.*number) numbers.push_back(*(moment.*number));
    if (!numbers.empty()) level.*number = middle(std::move(numbers));
  };
  take(&MemoryLevel::random_read_ns), take(&MemoryLevel::random_update_ns), take(&MemoryLevel::parallel_misses);
  for (auto& [stores, number] : level.random_write_ns) {
    std::vector<Measurement> numbers;
    for (const MemoryLevel& moment : moments)
      if (auto known = moment.random_write_ns.find(stores); known != moment.random_write_ns.end()) numbers.push_back(known->second);
    if (!numbers.empty()) number = middle(std::move(numbers));
  }
}

}  // namespace perfcast::characterize
