#include "frontends/memory_profile/observed.h"

#include <algorithm>
#include <cmath>

#include <memory_profile_layout.h>  // data/runtime: shared with the run-time libraries
#include "frontends/memory_profile/estimate.h"

namespace perfcast::memory_profile {
namespace {

Observed observed_of(const perfcast_line_bin* bins, int count) {
  Observed observed;
  for (int b = 0; b < count; b++) {
    observed.seen.push_back({bins[b].seen[0], bins[b].seen[1], bins[b].seen[2]});
    observed.censored.push_back({bins[b].censored[0], bins[b].censored[1], bins[b].censored[2]});
  }
  return observed;
}

// By how many stores ago, in bins that grow.
std::vector<DistanceBin> stores_back(const float (&weights)[perfcast_stores_back], double all) {
  constexpr int ends[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, perfcast_stores_back};  // bins, by their last
  std::vector<DistanceBin> bins;
  int begin = 0;
  for (int end : ends) {
    double share = 0;
    for (int back = begin; back < end; back++) share += weights[back] / all;
    if (share > 0) bins.push_back({std::floor((begin + 1 + end) / 2.0), share, 0});
    begin = end;
  }
  return bins;
}

// Behind which stores a load comes to the same place of other pages, each with its share: all of them count.
std::vector<DistanceBin> stores_elsewhere(const float (&weights)[perfcast_stores_back], double all, double least_share) {
  std::vector<DistanceBin> bins;
  for (int back = 0; back < perfcast_stores_back; back++)
    if (weights[back] >= least_share * all) bins.push_back({back + 1.0, weights[back] / all, 0});
  return bins;
}

// Loads that read what a store just before them wrote, or come behind some to the same place of other pages.
void describe_meetings(const perfcast_access_data& data, Access& access) {
  constexpr double enough = 64, least_share = 0.002;
  double met = 0;
  for (float weight : data.met) met += weight;
  const double all = met + data.not_met;
  if (access.store || all <= 0 || static_cast<double>(data.touches) < enough) return;
  access.meetings_seen = true;
  if (met >= least_share * all) access.meetings = stores_back(data.met, all);
  access.aliases = stores_elsewhere(data.aliased, all, least_share);
}

// Ranges that were copied or set as a whole; fetched ahead, line by line.
void describe_long_ranges(const perfcast_access_data& data, double total, Access& access) {
  constexpr double lines_on_a_page = 64;
  access.lines.clear(), access.pages.clear(), access.dirtied.clear();
  access.pages.push_back({0, 1 - 1 / lines_on_a_page, 0});
  for (int b = 0; b < perfcast_line_bins; b++) {
    if (!(data.long_seen[b] > 0)) continue;
    const double distance = distance_of_bin(b), share = data.long_seen[b] / total;
    access.lines.push_back({distance, share, 1}), access.pages.push_back({distance / lines_on_a_page, share / lines_on_a_page, 0});
  }
  access.unknown = data.long_fresh / total, access.unknown_from = data.long_farthest, access.cold_near = 1;
  if (access.store) access.dirtied = access.lines;
  access.stride_bytes = 64, access.stride_share = 1;
}

// Where pages are left out, streams that happen to be followed together look crowded, and a burst follows the same ones to its end.
// What is far is told to be streams or not while every page is followed, though not how far; so the far bins together are brought to
// the share seen then.
void correct_far_streams(const perfcast_access_data& data, Access& access) {
  constexpr std::uint64_t enough = 256;
  std::vector<std::pair<double, double*>> far;  // shares, and what of them is near
  for (DistanceBin& bin : access.lines)
    if (bin.distance >= perfcast_far_lines) far.emplace_back(bin.share, &bin.near);
  if (data.all_censored > 0 && access.unknown_from >= perfcast_far_lines) far.emplace_back(access.unknown + access.cold, &access.cold_near);
  double all = 0, near = 0;
  for (auto [share, of_it] : far) all += share, near += share * *of_it;
  if (data.exact_touches >= enough && data.all_exact > 0 && all > 0) {
    const double now = near / all, exact = data.near_exact / data.all_exact;
    for (auto [share, of_it] : far) *of_it = exact > now ? 1 - (1 - *of_it) * (1 - exact) / (1 - now) : now > 0 ? *of_it * exact / now : 0;
  }
  const bool waits_for_each = access.kind == AddressKind::chase || access.kind == AddressKind::dependent;
  if (!waits_for_each || !(data.settled + data.unsettled > 0)) return;
  // At the beginning of a run a line is worth that much of one fetched ahead: 0.36 to 0.58 in order, up to 0.2 in any other (in_settled_stream).
  constexpr double unsettled_worth = 0.4;
  const double worth = (data.settled + unsettled_worth * data.unsettled) / (data.settled + data.unsettled);
  for (auto [share, of_it] : far) *of_it *= worth;
}

// A step that repeats this often is a stride, not chance.
constexpr double dominant_share = 0.5;

}  // namespace

void describe_access(const perfcast_access_data& data, bool whole, Access& access) {
  double in_long_ranges = data.long_fresh;
  for (float lines : data.long_seen) in_long_ranges += lines;
  const bool mostly_long = in_long_ranges > 0.5 * static_cast<double>(data.range_lines);
  if (mostly_long && !data.touches) return describe_long_ranges(data, in_long_ranges, access);
  if (!data.touches) {
    if (access.lines.empty()) access.unknown = 1;  // else a stack slot, known without looking
    return;
  }
  auto distribution = [&](const perfcast_line_bin* bins, int count) { return whole ? whole_run(observed_of(bins, count)) : estimate(observed_of(bins, count)); };
  Distribution lines = distribution(data.lines, perfcast_line_bins);
  Distribution pages = distribution(data.pages, perfcast_page_bins);
  access.lines = lines.bins, access.pages = pages.bins;
  (whole ? access.cold : access.unknown) = lines.beyond;
  access.unknown_from = lines.beyond_from;
  if (access.store) {
    Distribution dirtied = estimate(observed_of(data.dirtied, perfcast_line_bins));
    access.dirtied = dirtied.bins;
    if (dirtied.beyond > 0) access.dirtied.push_back({std::max(dirtied.beyond_from, lines.beyond_from), dirtied.beyond, 0});
  }
  for (DistanceBin& bin : access.lines) {
    int b = 0;
    while (b + 1 < perfcast_line_bins && distance_of_bin(b + 1) <= bin.distance) b++;
    if (data.all_seen[b] > 0) bin.near = data.near_seen[b] / data.all_seen[b];
  }
  if (data.all_censored > 0) access.cold_near = data.near_censored / data.all_censored;
  correct_far_streams(data, access);
  if (data.steps > 16) {
    access.stride_share = static_cast<double>(data.repeated_steps) / static_cast<double>(data.steps);
    if (access.stride_share > dominant_share) access.stride_bytes = static_cast<double>(data.common_step);
  }
  describe_meetings(data, access);
  constexpr double most_of_it = 0.5;
  if (mostly_long && !whole && access.unknown > most_of_it) describe_long_ranges(data, in_long_ranges, access);
}

}  // namespace perfcast::memory_profile
