#include "engine/scaling/reuse_growth.h"

#include <algorithm>
#include <cmath>

namespace perfcast::engine {
namespace {

// Lines or pages that a loop has in hand whatever its size.
constexpr double few = 4;
// Below so many lines nobody looks whether the neighbours of a line were touched: it is in every cache.
constexpr double nearest_streams = 31;

double total_share(const std::vector<DistanceBin>& bins) {
  double total = 0;
  for (const DistanceBin& bin : bins) total += bin.share;
  return total;
}

double distance_at(const std::vector<DistanceBin>& bins, double quantile) {
  double passed = 0;
  const double total = total_share(bins);
  for (const DistanceBin& bin : bins) {
    passed += bin.share;
    if (passed >= quantile * total) return bin.distance;
  }
  return bins.empty() ? 0 : bins.back().distance;
}

// Share of the touches about this far away: bins are a fifth of their distance wide, edges and alignment add a line or two.
double share_near(const std::vector<DistanceBin>& bins, double distance) {
  constexpr double wide = 1.35, lines = 2;
  double share = 0;
  for (const DistanceBin& bin : bins)
    if (bin.distance >= distance / wide - lines && bin.distance <= distance * wide + lines) share += bin.share;
  return share;
}

// The whole power for which the smaller runs have most touches where this bin would have been; none where they have hardly any.
std::optional<double> power_by_place(const DistanceBin& bin, const std::vector<SmallerReuse>& smaller) {
  constexpr double enough = 0.3;  // of the bin's share
  double best = 0;
  std::optional<double> power;
  for (int e = 0; e <= 3; e++) {
    double found = 0;
    for (const SmallerReuse& other : smaller)
      if (double there = (bin.distance + few) / std::pow(other.ratio, e) - few; there >= 0.5) found += std::min(bin.share, share_near(*other.bins, there));
    if (found > 1.001 * best) best = found, power = e;
  }
  if (best < enough * bin.share * static_cast<double>(smaller.size())) return {};
  return power;
}

double power_of(const DistanceBin& bin, double quantile, const std::vector<SmallerReuse>& smaller) {
  constexpr double same = 0.25;
  std::vector<double> powers;
  powers.reserve(smaller.size());
  for (const SmallerReuse& other : smaller) powers.push_back(growth_power(bin.distance, distance_at(*other.bins, quantile), other.ratio, few));
  const auto [least, most] = std::ranges::minmax(powers);
  if (most - least <= same) return powers.back() == std::round(powers.back()) ? powers.back() : powers.front();
  if (auto power = power_by_place(bin, smaller)) return *power;
  return std::min(powers.back(), 2.0);
}

// Share of an access's far reuses that are part of a stream.
double stream_share(const std::vector<DistanceBin>& bins, double otherwise) {
  double near = 0, all = 0;
  for (const DistanceBin& bin : bins)
    if (bin.distance >= nearest_streams) near += bin.share * bin.near, all += bin.share;
  return all > 0 ? near / all : otherwise;
}

// What becomes of a share of streams. In scattered touches a neighbour was touched shortly before by chance, the less often the larger the
// data is among which they are scattered: the rate of such chances falls, at most as the size grows. Real streams keep theirs.
double grown_streams(double now, double then, double ratio, double factor) {
  constexpr double real = 0.97, certain = 0.999;
  if (now >= real || now <= 0 || then <= now || ratio <= 1 || factor <= 1) return now;
  auto rate = [&](double share) { return -std::log1p(-std::min(share, certain)); };
  const double power = std::clamp(std::log(rate(then) / rate(now)) / std::log(ratio), 0.0, 1.0);
  return -std::expm1(-rate(now) * std::pow(factor, -power));
}

// Where the share of streams rises from the smallest size on, they are rows, whose beginnings are ever fewer of their lines. At the
// recorded size it is no lower, whatever few bursts met there.
std::optional<double> longer_rows(double now, const std::vector<SmallerReuse>& smaller, double factor) {
  constexpr double mostly = 0.9;
  if (smaller.size() < 2 || factor <= 1) return {};
  const SmallerReuse &large = smaller.front(), &small = smaller.back();
  const double there = stream_share(*large.bins, 0), before = stream_share(*small.bins, 0);
  if (before <= 0 || there < mostly || there <= before || there >= 1 || small.ratio <= large.ratio) return {};
  const double power = std::min(1.0, std::log((1 - before) / (1 - there)) / std::log(small.ratio / large.ratio));
  return 1 - std::min(1 - now, (1 - there) * std::pow(large.ratio, -power)) * std::pow(factor, -power);
}

void put_in_order(std::vector<DistanceBin>& bins) { std::ranges::sort(bins, {}, &DistanceBin::distance); }

}  // namespace

double growth_power(double now, double then, double size_ratio, double few_of_them) {
  if (now <= 0 || then <= 0 || size_ratio <= 1) return 0;
  double e = std::log((now + few_of_them) / (then + few_of_them)) / std::log(size_ratio);
  if (std::abs(e - std::round(e)) < 0.25) e = std::round(e);  // distances grow with whole powers: a row, a plane
  return std::clamp(e, 0.0, 3.0);
}

std::vector<double> growth_powers(const std::vector<DistanceBin>& bins, const std::vector<SmallerReuse>& smaller, double most) {
  std::vector<SmallerReuse> seen;
  for (const SmallerReuse& other : smaller)
    if (other.ratio > 1 && total_share(*other.bins) > 0) seen.push_back(other);
  std::ranges::sort(seen, {}, &SmallerReuse::ratio);
  std::vector<double> powers;
  const double total = total_share(bins);
  double passed = 0;
  for (const DistanceBin& bin : bins) {
    const double middle = total > 0 ? (passed + bin.share / 2) / total : 0.5;
    passed += bin.share;
    powers.push_back(seen.empty() ? 0 : std::min(most, power_of(bin, middle, seen)));
  }
  return powers;
}

void grow_lines(std::vector<DistanceBin>& bins, const std::vector<SmallerReuse>& smaller, double factor, double most, double otherwise) {
  if (smaller.empty()) return;
  const double then = stream_share(*smaller.front().bins, otherwise), now = stream_share(bins, then);
  const auto rows = longer_rows(now, smaller, factor);
  const double near = rows.value_or(grown_streams(now, then, smaller.front().ratio, factor));
  const std::vector<double> powers = growth_powers(bins, smaller, most);
  for (std::size_t k = 0; k < bins.size(); k++) {
    const bool was_short = bins[k].distance < nearest_streams, grows = powers[k] >= 0.5;
    bins[k].distance *= std::pow(factor, powers[k]);
    if ((was_short || rows) && bins[k].distance >= nearest_streams) bins[k].near = near;
    else if (grows && now > 0) bins[k].near *= near / now;
  }
  put_in_order(bins);
}

void grow_pages(std::vector<DistanceBin>& bins, const std::vector<SmallerReuse>& smaller, double factor, double most, double step_growth,
                const std::vector<DistanceBin>& lines) {
  if (smaller.empty()) return;
  const std::vector<double> powers = growth_powers(bins, smaller, most);
  const double total = total_share(bins);
  double far = 0;
  for (std::size_t k = 0; k < bins.size(); k++)
    if (powers[k] >= 0.5) far += bins[k].share;
  const double far_grown = std::min(total, far * std::max(1.0, step_growth));
  for (std::size_t k = 0; k < bins.size(); k++) {
    if (powers[k] >= 0.5) bins[k].share *= far_grown / far;
    else if (far > 0) bins[k].share *= total > far ? (total - far_grown) / (total - far) : 1;
    bins[k].distance *= std::pow(factor, powers[k]);
  }
  put_in_order(bins);
  if (lines.empty()) return;
  double passed = 0;
  for (DistanceBin& bin : bins) {
    const double middle = (passed + bin.share / 2) / std::max(1e-300, total);
    passed += bin.share;
    if (bin.distance > nearest_streams) bin.distance = std::min(bin.distance, std::max(nearest_streams, distance_at(lines, middle)));
  }
}

}  // namespace perfcast::engine
