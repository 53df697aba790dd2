// Skeletons for numbers of ranks and sizes that were not recorded.
#include <fmt/format.h>

#include <algorithm>
#include <array>
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

bool same_call(const Step& a, const Step& b) { return a.act == b.act && a.site == b.site && a.requests == b.requests; }

// From `at` on, steps that are those of `model`, folded as they are there: a loop that was done once had not been folded.
bool take_like(const std::vector<Step>& model, const std::vector<Step>& steps, std::size_t& at, std::vector<Step>& taken) {
  for (const Step& wanted : model) {
    if (wanted.act != Act::loop) {
      if (at == steps.size() || !same_call(wanted, steps[at])) return false;
      taken.push_back(steps[at++]);
      continue;
    }
    Step loop = wanted;
    loop.body.clear();
    std::size_t inside = 0;
    if (at < steps.size() && steps[at].act == Act::loop && take_like(wanted.body, steps[at].body, inside, loop.body) && inside == steps[at].body.size()) {
      loop.times = steps[at++].times;
    } else {
      loop.times = 1, loop.body.clear();
      if (!take_like(wanted.body, steps, at, loop.body)) return false;
    }
    taken.push_back(std::move(loop));
  }
  return true;
}

// None: other steps than those of the model.
std::optional<std::vector<Step>> folded_like(const std::vector<Step>& model, const std::vector<Step>& steps) {
  std::vector<Step> taken;
  std::size_t at = 0;
  if (!take_like(model, steps, at, taken) || at != steps.size()) return {};
  return taken;
}

// What the three roles did in recordings whose ranks do the same, folded alike.
struct Alike {
  std::vector<Point> points;
  std::array<std::vector<std::vector<Step>>, 3> roles;  // first, middle, last, each by recording
};

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
    seconds.reserve(run.totals.size());
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

enum class Role { first, middle, last };

// The rank that has the role; none when several have it. Of two ranks the first stands for the middle.
std::optional<int> rank_of(Role role, int ranks) {
  if (role == Role::middle && ranks > 3) return {};
  return role == Role::first ? 0 : role == Role::last ? ranks - 1 : ranks - 2;
}

int around(int rank, int ranks) { return (rank % ranks + ranks) % ranks; }

// Seconds of a step, with all repetitions of a loop.
double computed_in(const Step& step) {
  if (step.act != Act::loop) return step.seconds;
  double sum = 0;
  for (const Step& s : step.body) sum += step.times * computed_in(s);
  return sum;
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

  std::vector<Step> operator()(Role role, const std::vector<std::vector<Step>>& recordings) {
    role_ = role;
    std::vector<const std::vector<Step>*> runs;
    runs.reserve(recordings.size());
    for (const auto& steps : recordings) runs.push_back(&steps);
    return continue_steps(runs, std::vector<double>(runs.size(), 1), 1);
  }

  // A partner that differs from recording to recording in a way that is not understood.
  bool partners_differ() const { return partners_differ_; }

 private:
  // Steps that were done so many times in each recording and will be `wanted` times. Of computation, what a step computes in
  // all is continued: how a recording spread it over repetitions says nothing of another number of them.
  std::vector<Step> continue_steps(const std::vector<const std::vector<Step>*>& runs, const std::vector<double>& repeats, double wanted) {
    std::vector<Step> result = *runs[0];
    for (std::size_t i = 0; i < result.size(); i++) {
      std::vector<double> bytes, times, seconds, repeated;
      std::vector<const std::vector<Step>*> bodies;
      for (std::size_t r = 0; r < runs.size(); r++) {
        const Step& s = (*runs[r])[i];
        bytes.push_back(s.bytes), times.push_back(s.times), bodies.push_back(&s.body), repeated.push_back(repeats[r] * s.times);
        seconds.push_back(repeats[r] * computed_in(s));
      }
      if (result[i].act == Act::loop) result[i].times = std::round(continued(times, "a number of repetitions"));
      if (result[i].act == Act::loop && result[i].times >= 1) {
        result[i].body = continue_steps(bodies, repeated, wanted * result[i].times);
        continue;
      }
      if (result[i].act == Act::loop) {
        result[i] = Step{};  // never done: what was computed in it is still to do
      } else {
        result[i].bytes = continued(bytes, "a size");
        for (Peer Step::*partner : {&Step::to, &Step::from}) {
          std::vector<Peer> peers;
          peers.reserve(runs.size());
          for (const auto* run : runs) peers.push_back((*run)[i].*partner);
          result[i].*partner = same_partner(peers);
        }
      }
      result[i].seconds = computing(seconds) / wanted;
    }
    return result;
  }
  double continued(const std::vector<double>& values, const char* what) {
    if (auto form = exact_form(points_, values, at_)) return form->value;
    remember(std::string(what) + " follows no simple form in P: that of the nearest recording is used");
    return values[nearest()];
  }
  // Of two ranks none is in the middle: whom the first talks to says nothing of one that is.
  bool has_role(std::size_t recording) const { return role_ != Role::middle || points_[recording].at("P") > 2; }

  // The partner by its number or its distance, as the recording with most ranks has it.
  Peer same_partner(const std::vector<Peer>& peers) {
    const bool by_distance = peers[0].kind == PeerKind::relative;
    std::vector<double> numbers;
    std::vector<Point> points;
    bool same = true, understood = true;
    for (std::size_t i = 0; i < peers.size(); i++) {
      if (i > 0 && !has_role(i)) continue;
      const auto number = as_in_first(peers[0], peers[i], static_cast<int>(points_[i].at("P")));
      understood = understood && number.has_value();
      if (!number) continue;
      points.push_back(points_[i]), numbers.push_back(*number);
      same = same && (by_distance ? around(*number - peers[0].rank, static_cast<int>(points_[i].at("P"))) == 0 : *number == peers[0].rank);
    }
    if (understood && same) return peers[0];
    if (understood)
      if (auto form = exact_form(points, numbers, at_)) return {peers[0].kind, static_cast<int>(std::lround(form->value))};
    partners_differ_ = true;
    return peers[0];
  }
  // A partner told as the first is: by its number, or by its distance. None: it cannot be told so.
  std::optional<int> as_in_first(const Peer& first, const Peer& peer, int ranks) const {
    if (peer.kind == first.kind) return peer.rank;
    const auto own = rank_of(role_, ranks);
    auto numbered = [](const Peer& p) { return p.kind == PeerKind::relative || p.kind == PeerKind::absolute; };
    if (!own || !numbered(first) || !numbered(peer)) return {};
    return around(first.kind == PeerKind::relative ? peer.rank - *own : peer.rank + *own, ranks);
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
  Role role_ = Role::first;
  bool partners_differ_ = false;
  Sharing sharing_;
  std::vector<std::string>& remarks_;
};

constexpr const char* try_exactly = "record the number of ranks that is meant (analyze --ranks), or use a template";

// The recordings in which ranks do what they do in the first of `runs`. One of the same size where they do something else says
// that what they do depends on their number: a tree, a message to everybody. Of two ranks some loops are not done at all, so
// such a recording is passed over where two others agree.
Result<Alike> recordings_like(const Roles& model, const std::vector<const Skeleton*>& runs, const Point& size) {
  Alike alike;
  const Skeleton* differs = nullptr;
  for (const Skeleton* run : runs) {
    auto roles = roles_of(*run);
    auto first = roles ? folded_like(*model.first, *roles->first) : std::nullopt, last = roles ? folded_like(*model.last, *roles->last) : std::nullopt;
    auto middle = roles ? folded_like(*model.middle, roles->middle ? *roles->middle : *roles->first) : std::nullopt;
    if (first && middle && last) {
      alike.points.push_back(point_of(*run));
      alike.roles[0].push_back(*first), alike.roles[1].push_back(*middle), alike.roles[2].push_back(*last);
    } else if (run->parameters == size && (!first || !last || run->ranks > 2)) {
      differs = run;
    }
  }
  if (differs && (differs->ranks > 2 || alike.points.size() < 2))
    return unfit(fmt::format("what a rank does with {} ranks is not what it does with {}: it cannot be continued to other numbers", differs->ranks, runs[0]->ranks), "message skeleton",
                 try_exactly);
  return alike;
}

}  // namespace

Result<Skeleton> skeleton_for(const MessageProfile& recorded, int ranks, const std::map<std::string, double>& set, std::vector<std::string>& remarks) {
  if (recorded.runs.empty()) return unfit("no messages were recorded");
  CHECK_OK(check_messages(recorded));
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
  runs.reserve(recorded.runs.size());
  for (const auto& run : recorded.runs) runs.push_back(&run);
  std::ranges::sort(runs, [](const auto* a, const auto* b) { return a->ranks != b->ranks ? a->ranks > b->ranks : a < b; });
  auto roles = roles_of(*runs[0]);
  const std::string try_this = "record with more ranks (analyze --ranks 2,3,4), or use a template";
  if (!roles) return unfit(fmt::format("what a rank does at {} ranks depends on more than being first, last or between; it cannot be continued to {}", runs[0]->ranks, ranks), "message skeleton", try_this);
  if (!roles->middle && ranks > 2) return unfit("two ranks were recorded, which do different things; a third may do anything", "message skeleton", try_this);
  if (!roles->middle) roles->middle = roles->first;
  TRY(Alike alike, recordings_like(*roles, runs, recorded.runs.front().parameters));
  const std::vector<Point>& points = alike.points;
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
  result.programs.push_back({{0}, continued(Role::first, alike.roles[0])});
  RankProgram middle{{}, continued(Role::middle, alike.roles[1])}, last{{ranks - 1}, continued(Role::last, alike.roles[2])};
  if (continued.partners_differ())
    return unfit("whom a rank sends to depends on the number of ranks in a way that is not understood: it cannot be continued to " + std::to_string(ranks), "message skeleton", try_exactly);
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
