// What the translation of addresses costs: how many pages the TLBs hold, and walks, one after the other and side by side.
#include <cmath>
#include <random>

#include "methods/characterize/memory/campaign.h"
#include "methods/characterize/memory/levels.h"

namespace perfcast::characterize {

Measurement MemoryCampaign::page_chase(std::size_t pages) {
  Buffer buffer(pages * 4096 + 4096, false);
  if (!buffer.valid()) return {};
  char* cell = make_ring(buffer.begin(), pages, 4096, true);
  long steps = std::clamp<long>(static_cast<long>(pages), 4000, 60000);
  return timed(slices_, static_cast<double>(steps), static_cast<double>(pages * line), [&] { cell = chase(cell, steps); });
}

Measurement MemoryCampaign::independent_pages(std::size_t pages) {
  constexpr long count = 20000;
  Buffer buffer(pages * 4096 + 4096, false);
  if (!buffer.valid()) return {};
  std::vector<std::uint32_t> order(static_cast<std::size_t>(count * 32));
  std::mt19937 random(7);
  for (auto& page : order) page = static_cast<std::uint32_t>(random() % pages);
  std::size_t at = 0;
  return timed(slices_, count, static_cast<double>(pages * line), [&] { read_pages(buffer.begin(), order.data() + at, count), at = (at + count) % order.size(); });
}

// One cell per page: the first rise is the first TLB, the second the second one. Lines stay in L2 up to some
// thousands of pages, so the rest of the rise is translation.
void MemoryCampaign::translation() {
  if (model_.levels.size() < 2) return;
  std::vector<CurvePoint> curve;
  double factor = options_.quick ? 2 : std::sqrt(2.0);
  for (double pages = 16; pages <= 10000; pages *= factor)
    curve.push_back({std::round(pages), page_chase(static_cast<std::size_t>(pages)).value});
  curve = without_disturbance(std::move(curve));
  const double l1 = model_.levels[0].latency_ns->value;
  auto at = [&](double pages) {
    double y = curve.front().y;
    for (const auto& point : curve)
      if (point.x <= pages) y = point.y;
    return y;
  };
  auto& t = model_.translation;
  auto number = [&](double value) { return measured(value, 0.05 * value); };
  // So many lines are a quarter of the first cache: what they take more than its latency is its TLB, which holds fewer pages.
  const auto pages = std::max<std::size_t>(128, static_cast<std::size_t>(model_.levels[0].capacity_bytes->value / 256));
  if (const double with_first_miss = page_chase(pages).value; with_first_miss > 1.1 * l1) {
    if (double from_l1 = crossing(curve, l1, with_first_miss); from_l1 > 0) t.first_entries = number(from_l1);
    t.first_miss_ns = number(with_first_miss - l1);
  }
  double l2_plateau = at(700), beyond = at(8192);
  if (beyond <= 1.2 * l2_plateau) return;
  if (double entries = crossing(curve, l2_plateau, at(4096) > 1.2 * l2_plateau ? at(4096) : beyond); entries > 0)
    t.second_entries = number(entries);
  walks();
}

// What walks cost, one line on each of many pages: the lines of the near ones are in L2, of the far ones in memory.
void MemoryCampaign::walks() {
  auto& t = model_.translation;
  auto number = [&](double value) { return measured(std::max(0.0, value), 0.1 * std::max(0.0, value)); };
  const MemoryLevel& second = model_.levels[1];
  double line = second.latency_ns->value, stream = value_or(second.random_read_ns, line / 8);
  double entries = value_or(t.second_entries, 0);
  // A ring has left the TLB before it comes round; of random pages some are still there.
  const double missing = std::max(0.5, 1 - entries / Translation::near_pages);
  t.walk_ns = number(page_chase(Translation::near_pages).value - line);
  t.walk_parallel_ns = number((independent_pages(Translation::near_pages).value - stream) / missing);
  const MemoryLevel& last = model_.levels.back();
  t.far_walk_ns = number(page_chase(Translation::far_pages).value - last.latency_ns->value);
  t.far_walk_parallel_ns = number(independent_pages(Translation::far_pages).value);
  without_walks(entries);
}

// The throughput of random lines without the walks that came with them, two limits of one stream of accesses, and
// without those that the level below had.
void MemoryCampaign::without_walks(double entries) {
  const auto& t = model_.translation;
  for (std::size_t i = 2; i < model_.levels.size(); i++) {
    double missing = std::max(0.0, 1 - entries * 4096 / static_cast<double>(size_in(i)));
    double walks = missing * (i + 1 == model_.levels.size() ? t.far_walk_parallel_ns : t.walk_parallel_ns)->value;
    double nearer = std::min(0.7, model_.levels[i - 1].capacity_bytes->value / static_cast<double>(size_in(i)));  // hits of the level below
    auto without_nearer = [&](double lines, double below) { return std::max(lines, (lines - nearer * below) / (1 - nearer)); };
    auto clean = [&](Measurement& number, double below) {
      constexpr double q = MemoryModel::walk_overlap;
      double all = std::pow(number.value, q), least = std::pow(0.5 * number.value, q);
      number.value = without_nearer(std::pow(std::max(least, all - std::pow(walks, q)), 1 / q), below);
    };
    MemoryLevel& level = model_.levels[i];
    MemoryLevel& below = model_.levels[i - 1];
    if (level.random_read_ns) clean(*level.random_read_ns, value_or(below.random_read_ns, 0));
    if (level.random_update_ns) clean(*level.random_update_ns, value_or(below.random_update_ns, 0));
    for (auto& [stores, number] : level.random_write_ns) {
      const double nearer_ns = below.random_write_ns[stores].value;
      number.value = std::max(nearer_ns, without_nearer(number.value, nearer_ns));
    }
  }
}

}  // namespace perfcast::characterize
