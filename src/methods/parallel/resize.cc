// Skeletons for numbers of ranks and sizes that were not recorded.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "engine/messages/replay.h"
#include "methods/parallel/parallel.h"
#include "record/check.h"

namespace perfcast::parallel {
namespace {

using Point = std::map<std::string, double>;

Point point_of(const Skeleton& run) {
  Point p = run.parameters;
  p["P"] = run.ranks;
  return p;
}

// What the first, the last and all ranks between do.
struct Roles {
  const std::vector<Step>* first = nullptr;
  const std::vector<Step>* middle = nullptr;
  const std::vector<Step>* last = nullptr;
};

std::optional<Roles> roles_of(const Skeleton& run) {
  auto by_rank = engine::steps_by_rank(run);
  if (by_rank.empty() || run.groups.size() > 1) return {};
  Roles roles{by_rank.front(), nullptr, by_rank.back()};
  for (std::size_t r = 1; r + 1 < by_rank.size(); r++) {
    if (roles.middle && by_rank[r] != roles.middle) return {};
    roles.middle = by_rank[r];
  }
  if (!roles.middle && roles.first == roles.last) roles.middle = roles.first;
  if (!roles.first || !roles.last) return {};
  return roles;
}

bool same_shape(const std::vector<Step>& a, const std::vector<Step>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Step& x, const Step& y) {
    return x.act == y.act && x.site == y.site && x.requests == y.requests && same_shape(x.body, y.body);
  });
}

// What a rank computes of P ranks: a part that all do, and a part that is shared.
struct Sharing {
  double all_do = 0, shared = 1;
  double operator()(double ranks) const { return all_do + shared / ranks; }
};

// By the processor time of the recordings of one size. Times vary, so all is taken to be shared unless together the ranks
// computed clearly more when they were more.
Sharing sharing_of(const MessageProfile& recorded) {
  constexpr double clearly = 1.25;
  std::map<int, double> computed;  // by ranks: the median of them
  for (const Skeleton& run : recorded.runs) {
    if (run.parameters != recorded.runs.front().parameters || run.totals.empty()) continue;
    std::vector<double> seconds;
    for (const RankTotals& rank : run.totals) seconds.push_back(rank.compute);
    computed[run.ranks] = median(seconds);
  }
  if (computed.size() < 2) return {};
  const auto [fewest, first] = *computed.begin();
  const auto [most, last] = *computed.rbegin();
  if (first <= 0 || last * most < clearly * first * fewest) return {};
  // a + b/P by least squares of relative errors, neither below zero.
  double aa = 0, ab = 0, bb = 0, ay = 0, by = 0;
  for (const auto& [ranks, seconds] : computed) {
    if (seconds <= 0) return {};
    const double a = 1 / seconds, b = 1 / (seconds * ranks);
    aa += a * a, ab += a * b, bb += b * b, ay += a, by += b;
  }
  const double det = aa * bb - ab * ab;
  const double a = (ay * bb - by * ab) / det, b = (by * aa - ay * ab) / det;
  return b <= 0 ? Sharing{1, 0} : a <= 0 ? Sharing{} : Sharing{a, b};
}

// Numbers of aligned steps, continued to another point.
class Continuation {
 public:
  // `base`: the parameters of the recording whose computing times are meant; those at other sizes say nothing of them.
  Continuation(std::vector<Point> points, Point at, const Point& base, const Sharing& sharing, std::vector<std::string>& remarks)
      : points_(std::move(points)), at_(std::move(at)), sharing_(sharing), remarks_(remarks) {
    for (const Point& point : points_)
      of_base_.push_back(std::ranges::all_of(base, [&](const auto& value) { return value.first == "P" || point.at(value.first) == value.second; }));
    if (std::ranges::none_of(of_base_, [](bool of) { return of; })) of_base_.assign(points_.size(), true);
  }

  std::vector<Step> operator()(const std::vector<const std::vector<Step>*>& runs) {
    std::vector<Step> result = *runs[0];
    for (std::size_t i = 0; i < result.size(); i++) {
      std::vector<double> bytes, times, seconds;
      std::vector<const std::vector<Step>*> bodies;
      for (const auto* run : runs) {
        const Step& s = (*run)[i];
        bytes.push_back(s.bytes), times.push_back(s.times), seconds.push_back(s.seconds), bodies.push_back(&s.body);
      }
      result[i].bytes = continued(bytes, "a size");
      if (result[i].act == Act::loop) result[i].times = std::round(continued(times, "a number of repetitions"));
      result[i].seconds = computing(seconds);
      if (!result[i].body.empty()) result[i].body = (*this)(bodies);
    }
    return result;
  }

 private:
  double continued(const std::vector<double>& values, const char* what) {
    if (auto form = exact_form(points_, values, at_)) return form->value;
    remember(std::string(what) + " follows no simple form in P: that of the nearest recording is used");
    return values[nearest()];
  }
  // Measured times follow no form exactly: what each of P ranks computes, through the recordings by least squares.
  double computing(const std::vector<double>& seconds) {
    double top = 0, bottom = 0;
    for (std::size_t i = 0; i < points_.size(); i++)
      if (of_base_[i]) {
        const double part = sharing_(points_[i].at("P"));
        top += seconds[i] * part, bottom += part * part;
      }
    return bottom > 0 ? top / bottom * sharing_(at_.at("P")) : 0;
  }
  std::size_t nearest() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < points_.size(); i++)
      if (std::abs(std::log(points_[i].at("P") / at_.at("P"))) < std::abs(std::log(points_[best].at("P") / at_.at("P")))) best = i;
    return best;
  }
  void remember(const std::string& text) {
    if (std::ranges::find(remarks_, text) == remarks_.end()) remarks_.push_back(text);
  }

  std::vector<Point> points_;
  std::vector<bool> of_base_;
  Point at_;
  Sharing sharing_;
  std::vector<std::string>& remarks_;
};

}  // namespace

Result<Skeleton> skeleton_for(const MessageProfile& recorded, int ranks, const std::map<std::string, double>& set, std::vector<std::string>& remarks) {
  if (recorded.runs.empty()) return unfit("no messages were recorded");
  for (const Skeleton& run : recorded.runs) CHECK_OK(check_skeleton(run));
  if (ranks <= 0) ranks = recorded.runs.front().ranks;
  Point at = recorded.runs.front().parameters;
  for (const auto& [name, value] : set) {
    if (!at.contains(name) && name != "P") return wrong_usage("the recording has no parameter " + name, "analyze with --param " + name + "=ARG1");
    at[name] = value;
  }
  at["P"] = ranks;
  // A recording of another size is taken as it is only with as many ranks as the first: the times of its ranks are known
  // relative to the one that was counted.
  for (const auto& run : recorded.runs)
    if (point_of(run) == at && (run.parameters == recorded.runs.front().parameters || run.ranks == recorded.runs.front().ranks)) return run;
  // Recordings of like shape; the one with most ranks shows best what those in the middle do.
  std::vector<const Skeleton*> runs;
  for (const auto& run : recorded.runs) runs.push_back(&run);
  std::ranges::sort(runs, [](const auto* a, const auto* b) { return a->ranks != b->ranks ? a->ranks > b->ranks : a < b; });
  auto roles = roles_of(*runs[0]);
  const std::string try_this = "record with more ranks (analyze --ranks 2,3,4), or use a template";
  if (!roles) return unfit(fmt::format("what a rank does at {} ranks depends on more than being first, last or between; it cannot be continued to {}", runs[0]->ranks, ranks), "message skeleton", try_this);
  if (!roles->middle && ranks > 2) return unfit("two ranks were recorded, which do different things; a third may do anything", "message skeleton", try_this);
  if (!roles->middle) roles->middle = roles->first;
  std::vector<Point> points;
  std::vector<std::vector<const std::vector<Step>*>> aligned(3);
  for (const auto* run : runs) {
    auto others = roles_of(*run);
    if (!others) continue;
    if (!others->middle) others->middle = run->ranks == 2 && !same_shape(*others->first, *roles->middle) ? nullptr : others->first;
    if (!others->middle || !same_shape(*others->first, *roles->first) || !same_shape(*others->middle, *roles->middle) || !same_shape(*others->last, *roles->last)) continue;
    points.push_back(point_of(*run));
    aligned[0].push_back(others->first), aligned[1].push_back(others->middle), aligned[2].push_back(others->last);
  }
  if (points.size() < 2) remarks.push_back(fmt::format("only the recording with {} ranks could be used: sizes and repetitions are taken to stay as they are, computation to be shared", runs[0]->ranks));
  for (const auto& [name, value] : set) {
    bool varied = std::ranges::any_of(points, [&](const Point& p) { return p.at(name) != points[0].at(name); });
    if (name != "P" && !varied && points[0].at(name) != value)
      return unfit("the recordings differ in no " + name + ", so they cannot be continued to another", "message skeleton", "analyze with several values of it");
  }
  const Sharing sharing = sharing_of(recorded);
  if (sharing.all_do > 0)
    remarks.push_back(fmt::format("{:.0f} % of what one of {} ranks computes does not become less with more ranks, as recorded",
                                  100 * sharing.all_do / sharing(recorded.runs.front().ranks), recorded.runs.front().ranks));
  Continuation continued(points, at, recorded.runs.front().parameters, sharing, remarks);
  auto alone = [](auto&& self, std::vector<Step>& steps) -> void {  // one rank tells nobody anything
    for (auto& s : steps) {
      if (s.act != Act::loop) s.act = Act::compute;
      self(self, s.body);
    }
  };
  Skeleton result = *runs[0];
  result.ranks = ranks, result.programs.clear(), result.totals.clear(), result.counted_rank.reset();
  result.parameters = at, result.parameters.erase("P");
  result.groups.assign(1, {});
  for (int r = 0; r < ranks; r++) result.groups[0].push_back(r);
  result.programs.push_back({{0}, continued(aligned[0])});
  RankProgram middle{{}, continued(aligned[1])}, last{{ranks - 1}, continued(aligned[2])};
  for (int r = 1; r + 1 < ranks; r++) middle.ranks.push_back(r);
  if (!middle.ranks.empty()) result.programs.push_back(std::move(middle));
  if (ranks > 1) result.programs.push_back(std::move(last));
  else alone(alone, result.programs[0].steps);
  return result;
}

void describe_sites(MessageProfile& recorded) {
  if (recorded.runs.empty()) return;
  Skeleton& main = recorded.runs.front();
  for (auto& site : main.sites) {
    std::vector<Point> points;
    std::vector<double> calls, bytes;
    for (const auto& run : recorded.runs)
      for (const auto& other : run.sites)
        if (other.call == site.call && other.at == site.at && other.function == site.function && other.calls > 0) {
          points.push_back(point_of(run));
          calls.push_back(other.calls / run.ranks), bytes.push_back(other.bytes / other.calls);
        }
    if (points.size() < 2) continue;
    const Point at = point_of(main);
    if (auto form = exact_form(points, calls, at)) site.calls_is = form->expression;
    if (auto form = exact_form(points, bytes, at)) site.bytes_is = form->expression;
  }
}

}  // namespace perfcast::parallel
