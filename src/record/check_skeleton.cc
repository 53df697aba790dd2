#include "record/check.h"

#include <algorithm>
#include <cstdlib>
#include <ranges>

namespace perfcast {
namespace {

constexpr int most_ranks = 100'000;

template <class Check>
Status told(const char* where, Check check) {
  try {
    check();
  } catch (const JsonMismatch& mismatch) {
    return unfit(mismatch.what, std::string(where) + ": " + mismatch.place, "docs/formats.md describes the file");
  }
  return {};
}

// Whether a step is reached at all: loops of nothing but loops would be gone through for ever without one.
bool check_steps(const std::vector<Step>& steps, const Skeleton& run, const std::string& place) {
  bool does_something = false;
  for (std::size_t i = 0; i < steps.size(); i++) {
    const Step& step = steps[i];
    const std::string here = place + "/" + std::to_string(i);
    need(step.seconds >= 0 && step.bytes >= 0 && step.times >= 0, here, "times, sizes and repetitions are not negative");
    need(step.site >= -1 && step.site < static_cast<int>(run.sites.size()), here + "/site", "there is no such call site");
    need(step.group == 0 || (step.group > 0 && static_cast<std::size_t>(step.group) < run.groups.size()), here + "/group", "there is no such group");
    for (const Peer& peer : {step.to, step.from}) need(peer.rank >= -most_ranks && peer.rank <= most_ranks, here, "there is no such rank");
    for (int ago : step.requests) need(ago >= 0, here + "/requests", "a request was made before it is waited for");
    if (step.act == Act::loop) need(check_steps(step.body, run, here + "/body") || step.body.empty(), here, "the loop does nothing");
    does_something = does_something || step.act != Act::loop || (!step.body.empty() && step.times >= 0.5);
  }
  return does_something;
}

}  // namespace

Status check_skeleton(const Skeleton& run) {
  return told("message skeleton", [&] {
    need(run.ranks >= 1 && run.ranks <= most_ranks, "/ranks", "not a number of ranks: 1 to 100000");
    auto is_rank = [&](int rank) { return rank >= 0 && rank < run.ranks; };
    for (const auto& group : run.groups)
      for (int rank : group) need(is_rank(rank), "/groups", "there is no such rank");
    need(run.totals.empty() || run.totals.size() == static_cast<std::size_t>(run.ranks), "/totals", "there is one for each rank");
    need(run.stands_for >= 1, "/stands_for", "a run has no fewer calls than were kept of it");
    need(!run.counted_rank || is_rank(*run.counted_rank), "/counted_rank", "there is no such rank");
    for (const auto& program : run.programs)
      for (int rank : program.ranks) need(is_rank(rank), "/programs", "there is no such rank");
    for (std::size_t p = 0; p < run.programs.size(); p++) check_steps(run.programs[p].steps, run, "/programs/" + std::to_string(p) + "/steps");
  });
}

Status check_messages(const MessageProfile& recorded) {
  for (const Skeleton& run : recorded.runs) {
    CHECK_OK(check_skeleton(run));
    if (!std::ranges::equal(run.parameters | std::views::keys, recorded.runs.front().parameters | std::views::keys))
      return unfit("the recordings have different parameters", "message skeleton", "docs/formats.md describes the file");
  }
  return {};
}

Status check_threads(const ThreadProfile& threads) {
  return told("parallel regions", [&] {
    need(threads.threads >= 0 && threads.threads <= most_ranks, "/threads", "not a number of threads");
    for (const ThreadRegion& region : threads.regions) {
      need(region.entries >= 0 && region.iterations >= 0 && region.chunks >= 0 && region.barriers >= 0 && region.wall >= 0 && region.held >= 0, "/regions", "counts and times are not negative");
      for (double seconds : region.seconds) need(seconds >= 0, "/regions", "times are not negative");
      need(region.tasks >= 0 && region.fixed_threads >= 0 && region.fixed_threads <= most_ranks, "/regions", "counts are not negative");
      for (const auto& [number, ratio] : region.uneven)
        need(std::atof(number.c_str()) >= 1 && std::atof(number.c_str()) <= most_ranks && ratio >= 0, "/regions/uneven", "a ratio by number of threads");
    }
  });
}

}  // namespace perfcast
