#include "engine/messages/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <queue>

#include "base/assert.h"
#include "engine/messages/mailbox.h"
#include "engine/messages/message_time.h"
#include "record/check.h"

namespace perfcast::engine {

void StepCursor::settle() {
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    if (frame.index == frame.steps->size()) {
      if (--frame.left >= 0.5) {
        frame.index = 0;
      } else {
        frames_.pop_back();
        if (!frames_.empty()) frames_.back().index++;
      }
      continue;
    }
    const Step& step = (*frame.steps)[frame.index];
    if (step.act != Act::loop) return;
    if (step.body.empty() || step.times < 0.5) frame.index++;
    else frames_.push_back({&step.body, 0, step.times});
  }
}

std::vector<const std::vector<Step>*> steps_by_rank(const Skeleton& skeleton) {
  std::vector<const std::vector<Step>*> result(static_cast<std::size_t>(skeleton.ranks), nullptr);
  for (const auto& program : skeleton.programs)
    for (int rank : program.ranks)
      if (rank >= 0 && rank < skeleton.ranks) result[static_cast<std::size_t>(rank)] = &program.steps;
  return result;
}

namespace {

// Numbers that are no request of the program's: the two halves of an exchange.
constexpr long exchange_out = -2, exchange_in = -3;

struct Request {
  bool done = false;
  double end = 0;
  double own = 0;                // processor time that its completion takes of the rank: of a receive
};

struct RankState {
  explicit RankState(const std::vector<Step>& steps) : cursor(steps) {}
  StepCursor cursor;
  RankTime time;
  double now = 0;
  bool computed = false;                  // the computation before the current call is done
  bool blocked = false;
  std::deque<Request> requests;           // the program's own, the latest last
  Request exchange[2];                    // out, in
  long first_request = 0;                 // number of requests.front()
  std::vector<long> awaited;              // numbers of requests the rank is blocked on
  std::vector<long> collectives;          // by group: how many it has entered
};

struct Gathering {
  struct Member {
    int rank;
    long request;  // `blocked`: the rank itself waits
    double at;     // when it came
  };
  double latest = 0, root = -1, bytes = 0;
  std::vector<Member> members;
};

class Player {
 public:
  Player(const Skeleton& skeleton, const MessagePath& path, const ReplayOptions& options)
      : skeleton_(skeleton), path_(path), options_(options), offers_(count()), asked_(count()) {}

  Result<ReplayResult> play() {
    static const std::vector<Step> nothing;
    for (const auto* steps : steps_by_rank(skeleton_)) {
      ranks_.emplace_back(steps ? *steps : nothing);
      ranks_.back().collectives.assign(std::max<std::size_t>(1, skeleton_.groups.size()), 0);
    }
    for (int r = 0; r < skeleton_.ranks; r++) ready_.push({0, r});
    double steps = 0;
    while (!ready_.empty()) {
      int rank = ready_.top().second;
      ready_.pop();
      if (!advance(rank)) continue;
      if (++steps > options_.most_steps) return unfit(fmt::format("the skeleton has more than {:g} steps", options_.most_steps));
    }
    CHECK_OK(all_ended());
    ReplayResult result;
    result.messages = messages_;
    for (auto& r : ranks_) {
      r.time.end = r.now;
      result.seconds = std::max(result.seconds, r.now);
      result.ranks.push_back(r.time);
    }
    if (wildcards_) result.remarks.push_back("receives from any rank took the message that was there first; another order may take another time");
    std::size_t left = 0;
    for (const Mailbox& box : offers_) left += box.size();
    if (left > 0) result.remarks.push_back(fmt::format("{} messages are sent that nobody receives", left));
    if (one_sided_ > 0) result.remarks.push_back(fmt::format("{:g} one-sided transfers were costed as messages without waiting", one_sided_));
    return result;
  }

 private:
  std::size_t count() const { return static_cast<std::size_t>(skeleton_.ranks); }
  RankState& state(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  int resolve(const Peer& peer, int rank) const {
    switch (peer.kind) {
      case PeerKind::none: return no_rank;
      case PeerKind::any: return any_rank;
      case PeerKind::absolute: return peer.rank;
      case PeerKind::relative: return ((rank + peer.rank) % skeleton_.ranks + skeleton_.ranks) % skeleton_.ranks;
    }
    return no_rank;
  }

  void spend(RankState& r, double seconds) { r.time.communication += seconds, r.now += seconds; }
  void wait_until(RankState& r, double end, double own) {
    double gone = std::max(0.0, end - r.now), busy = std::min(gone, own);
    r.time.communication += busy, r.time.waiting += gone - busy, r.now += gone;
  }
  void again(int rank) { ready_.push({state(rank).now, rank}); }

  // One call of a rank, the computation before it first. False when it has ended or is blocked.
  bool advance(int rank) {
    RankState& r = state(rank);
    const Step* step = r.cursor.now();
    if (!step || r.blocked) return false;
    if (!r.computed) {
      double seconds = options_.computation ? options_.computation(rank, step->seconds) : step->seconds;
      r.time.computation += seconds, r.now += seconds, r.computed = true;
      again(rank);  // in the order of time
      return true;
    }
    current_ = rank;
    perform(rank, r, *step);
    current_ = no_rank;
    if (!r.blocked) resume(rank);
    return true;
  }
  // The call is over. That of the rank which is just performing it is gone past when perform() returns.
  void resume(int rank) {
    RankState& r = state(rank);
    r.blocked = false;
    if (rank == current_) return;
    r.computed = false;
    r.cursor.advance();
    if (r.cursor.now()) again(rank);
  }

  long start_request(RankState& r) {
    r.requests.push_back({});
    constexpr std::size_t kept = 100'000;
    if (r.requests.size() > kept) r.requests.pop_front(), r.first_request++;
    return r.first_request + static_cast<long>(r.requests.size()) - 1;
  }
  Request* request(RankState& r, long number) {
    if (number == exchange_out || number == exchange_in) return &r.exchange[number == exchange_in];
    long index = number - r.first_request;
    return index < 0 || index >= static_cast<long>(r.requests.size()) ? nullptr : &r.requests[static_cast<std::size_t>(index)];
  }

  void perform(int rank, RankState& r, const Step& step) {
    switch (step.act) {
      case Act::compute:
      case Act::probe:
      case Act::loop: return;
      case Act::other: return step.later ? to_nobody(r, start_request(r)) : void();
      case Act::send:
      case Act::ssend: return send(rank, r, step, step.act == Act::ssend, blocked);
      case Act::isend: return send(rank, r, step, false, start_request(r));
      case Act::receive: return receive(rank, r, step, step.tag, blocked);
      case Act::ireceive: return receive(rank, r, step, step.tag, start_request(r));
      case Act::exchange:
        r.exchange[0] = r.exchange[1] = {};
        send(rank, r, step, false, exchange_out);
        receive(rank, r, step, step.from_tag.value_or(step.tag), exchange_in);
        r.awaited = {exchange_out, exchange_in};
        return wait(r);
      case Act::wait: {
        const long latest = r.first_request + static_cast<long>(r.requests.size()) - 1;
        r.awaited.clear();
        for (int ago : step.requests) r.awaited.push_back(latest - ago);
        return wait(r);
      }
      case Act::one_sided:
        one_sided_++, messages_++;
        return spend(r, message_seconds(path_, step.bytes));
      default: return collective(rank, r, step);
    }
  }
  // All awaited requests done: goes on; else stays blocked. The rank takes its messages one after the other, as they come:
  // one that came while it computed still costs it its own part.
  void wait(RankState& r) {
    std::vector<Request*> taken;
    for (long n : r.awaited)
      if (Request* q = request(r, n)) {
        if (!q->done) {
          r.blocked = true;
          return;
        }
        taken.push_back(q);
      }
    std::ranges::stable_sort(taken, {}, [](const Request* q) { return q->end - q->own; });
    for (Request* q : taken) {
      wait_until(r, std::max(r.now + q->own, q->end), q->own);
      q->own = 0;  // waited for again, it costs nothing
    }
    r.awaited.clear();
  }

  void complete(int rank, long number, double end, double own) {
    RankState& r = state(rank);
    if (number == blocked) {
      wait_until(r, end, own);
      return resume(rank);
    }
    if (Request* q = request(r, number)) *q = {true, end, own};
    if (r.blocked && !r.awaited.empty()) {
      r.blocked = false;
      wait(r);
      if (!r.blocked) resume(rank);
    }
  }

  // To or from nobody (MPI_PROC_NULL) nothing is sent, but the request counts among those started and is done.
  void to_nobody(RankState& r, long number) {
    if (number != blocked) *request(r, number) = {true, r.now, 0};
  }

  void send(int rank, RankState& r, const Step& step, bool synchronous, long number) {
    const int target = resolve(step.to, rank);
    if (target < 0 || target >= skeleton_.ranks) return to_nobody(r, number);
    messages_++;
    const bool immediate = number != blocked;
    const Offer offer{rank, step.tag, step.group, step.bytes, r.now, rank, number, synchronous || is_rendezvous(path_, step.bytes)};
    if (!offer.meet) {
      spend(r, send_seconds(path_, step.bytes));
      if (immediate) *request(r, number) = {true, r.now, 0};
    } else if (immediate) {
      spend(r, send_seconds(path_, 0));
    } else {
      r.blocked = true;
    }
    if (auto asked = asked_[static_cast<std::size_t>(target)].take_who_asked(offer)) meet_up(offer, *asked);
    else offers_[static_cast<std::size_t>(target)].add(offer);
  }

  void receive(int rank, RankState& r, const Step& step, int tag, long number) {
    const int source = resolve(step.from, rank);
    if (source == no_rank || source >= skeleton_.ranks) return to_nobody(r, number);
    wildcards_ = wildcards_ || source == any_rank;
    const Offer asked{source, tag, step.group, step.bytes, r.now, rank, number, false};
    r.blocked = number == blocked;
    if (auto offer = offers_[static_cast<std::size_t>(rank)].take_for(asked)) meet_up(*offer, asked);
    else asked_[static_cast<std::size_t>(rank)].add(asked);
  }

  // A sender that need not wait has gone on already.
  void meet_up(const Offer& offer, const Offer& asked) {
    const double travel = message_seconds(path_, offer.bytes), own = receive_seconds(path_, offer.bytes);
    if (!offer.meet) return complete(asked.rank, asked.request, std::max(offer.start + travel, asked.start + own), own);
    const double end = std::max(offer.start, asked.start) + travel;
    complete(asked.rank, asked.request, end, own);
    complete(offer.rank, offer.request, end, offer.request == blocked ? send_seconds(path_, offer.bytes) : 0);
  }

  void collective(int rank, RankState& r, const Step& step) {
    const auto group = static_cast<std::size_t>(step.group);
    const auto members = group < skeleton_.groups.size() && !skeleton_.groups[group].empty()
                             ? static_cast<int>(skeleton_.groups[group].size())
                             : skeleton_.ranks;
    const long number = step.later ? start_request(r) : blocked;
    if (members <= 1) return to_nobody(r, number);
    messages_++;
    if (group >= r.collectives.size()) r.collectives.resize(group + 1, 0);
    Gathering& all = gatherings_[{step.group, r.collectives[group]++}];
    all.latest = std::max(all.latest, r.now), all.bytes = std::max(all.bytes, step.bytes);
    const int root = resolve(step.to, rank);
    if (root == rank) all.root = r.now;
    all.members.push_back({rank, number, r.now});
    r.blocked = number == blocked;
    if (static_cast<int>(all.members.size()) < members) return;
    Gathering done = std::move(all);
    gatherings_.erase({step.group, r.collectives[group] - 1});
    leave(done, step.act, root, members);
  }

  // Who leaves a collective when.
  void leave(const Gathering& all, Act act, int root, int members) {
    const double cost = collective_seconds(path_, act, all.bytes, members);
    for (const auto& [rank, request, came] : all.members) {
      double end = all.latest + cost, own = cost;
      const bool from_root = act == Act::broadcast || act == Act::scatter, to_root = act == Act::reduce || act == Act::gather;
      if (from_root && all.root >= 0) end = rank == root ? came + cost : std::max(came + receive_seconds(path_, all.bytes), all.root + cost);
      if (to_root && rank != root) end = came + (own = std::min(cost, send_seconds(path_, all.bytes)));
      complete(rank, request, end, own);
    }
  }

  Status all_ended() {
    std::string stuck;
    int many = 0;
    for (int rank = 0; rank < skeleton_.ranks; rank++) {
      const Step* step = state(rank).cursor.now();
      if (!step) continue;
      if (++many > 4) continue;
      std::string place;
      if (step->site >= 0 && static_cast<std::size_t>(step->site) < skeleton_.sites.size())
        place = " at " + skeleton_.sites[static_cast<std::size_t>(step->site)].at.text();
      stuck += fmt::format("{}rank {} in {}{}", stuck.empty() ? "" : ", ", rank, word_of(step->act), place);
    }
    if (!many) return {};
    return unfit(fmt::format("{} ranks wait for each other for ever: {}{}", many, stuck, many > 4 ? ", ..." : ""), "message skeleton",
                 "a receive whose sender was not recorded, or ranks that ended early");
  }

  const Skeleton& skeleton_;
  const MessagePath& path_;
  const ReplayOptions& options_;
  std::vector<RankState> ranks_;
  std::vector<Mailbox> offers_, asked_;  // by receiver
  std::map<std::pair<int, long>, Gathering> gatherings_;
  using Ready = std::pair<double, int>;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
  int current_ = no_rank;
  double messages_ = 0, one_sided_ = 0;
  bool wildcards_ = false;
};

}  // namespace

Result<ReplayResult> replay(const Skeleton& skeleton, const MessagePath& path, const ReplayOptions& options) {
  CHECK_OK(check_skeleton(skeleton));
  if (path.regimes.empty()) return unfit("the machine has no message costs", path.name, "perfcast characterize --messages");
  return Player(skeleton, path, options).play();
}

}  // namespace perfcast::engine
