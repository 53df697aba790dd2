// perfcast-simgrid INPUT.json PLATFORM: plays a message skeleton in SimGrid's S4U, where topology and contention count.
//
// Every rank is an actor; computation is sleeping (it was costed already), messages are communications between mailboxes,
// collectives are the trees and rings that MPI libraries use, made of messages. All factors of SimGrid's network model are
// one: they are another cluster's calibration. PLATFORM is a platform file, or "measured": hosts behind links with the
// latency and bandwidth of the path in the input. Prints {"seconds", "messages", "remarks", "ranks": [[computation,
// communication, waiting, end], ...]}; communication and waiting are not told apart and stand under communication. When
// ranks wait for each other for ever it says so and ends with code 3.
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>

#include "base/files.h"
#include "engine/messages/message_time.h"
#include "engine/messages/replay.h"
#include "simgrid/collective_sizes.h"
#include "simgrid/host_order.h"

namespace sg4 = simgrid::s4u;
using namespace perfcast;

namespace {

constexpr int any_peer = -1, any_tag = -1;
constexpr int of_collectives = -1;  // the channel they talk on; other messages talk on that of their group

// Source, target, tag, channel.
using Way = std::tuple<int, int, int, int>;

// What the receives of one rank leave open.
struct Wildcards {
  bool everything = false;       // any tag from anybody
  std::set<int> tags_from_any, sources_of_any;
};

struct Job {
  Skeleton skeleton;
  MessagePath path;
  std::vector<double> weights;            // by rank: its computation over that of its program
  std::map<std::pair<int, int>, Wildcards> wildcards;  // by receiver and group
  std::set<Way> meeting;                  // ways on which some sender waits for its receiver
  std::optional<std::pair<double, double>> measured;  // the platform of that name: latency and seconds per byte
  std::unique_ptr<CollectiveSizes> collective_sizes;
  std::vector<engine::RankTime> times;
  std::vector<bool> ended;
  std::vector<sg4::ActorPtr> actors;
  double messages = 0;                    // as engine/messages/replay counts them

  // One for each pair and tag; what a receive from anybody or of any tag may take is one way.
  Way way(int source, int target, int tag, int channel) const {
    const auto it = wildcards.find({target, channel});
    if (it == wildcards.end()) return {source, target, tag, channel};
    const Wildcards& wild = it->second;
    if (wild.everything || (!wild.tags_from_any.empty() && !wild.sources_of_any.empty())) return {any_peer, target, any_tag, channel};
    if (wild.tags_from_any.contains(tag)) return {any_peer, target, tag, channel};
    if (wild.sources_of_any.contains(source)) return {source, target, any_tag, channel};
    return {source, target, tag, channel};
  }
  double own() const { return 1e-9 * ((path.send_ns ? path.send_ns->value : 0) + (path.receive_ns ? path.receive_ns->value : 0)); }
  // Bytes that take on the measured platform what the path's law for such a message says.
  double on_wire(double bytes) const {
    if (!measured) return bytes;
    return std::max(0.0, engine::message_seconds(path, bytes) - own() - measured->first) / measured->second;
  }
  bool eager(double bytes) const { return !engine::is_rendezvous(path, bytes); }
};

int resolve(const Peer& peer, int rank, int ranks) {
  if (peer.kind == PeerKind::absolute) return peer.rank < ranks ? peer.rank : -2;
  if (peer.kind == PeerKind::relative) return ((rank + peer.rank) % ranks + ranks) % ranks;
  return peer.kind == PeerKind::any ? -1 : -2;
}

bool sends(Act act) { return act == Act::send || act == Act::ssend || act == Act::isend || act == Act::exchange; }

class Rank {
 public:
  Rank(Job& job, int rank) : job_(job), rank_(rank) {}

  void run(const std::vector<Step>& steps) {
    engine::RankTime& time = job_.times[static_cast<std::size_t>(rank_)];
    for (engine::StepCursor cursor(steps); const Step* step = cursor.now(); cursor.advance()) {
      // One nap for the computation and what messages take of the processor: naps are what the simulation spends most on.
      const bool sending = sends(step->act) && resolve(step->to) >= 0;
      const double seconds = step->seconds * job_.weights[static_cast<std::size_t>(rank_)];
      const double own = owed_ + (sending ? own_send() : 0), nap = seconds + own;
      owed_ = 0;
      time.computation += seconds, time.communication += own;
      if (nap > 0) sg4::this_actor::sleep_for(nap);
      const double before = sg4::Engine::get_clock();
      perform(*step);
      time.communication += sg4::Engine::get_clock() - before;
    }
    if (owed_ > 0) sg4::this_actor::sleep_for(owed_), time.communication += owed_;
    time.end = sg4::Engine::get_clock();
    job_.ended[static_cast<std::size_t>(rank_)] = true;
  }

 private:
  int size() const { return job_.skeleton.ranks; }
  int resolve(const Peer& peer) const { return ::resolve(peer, rank_, size()); }

  // Small messages go off at once: their mailbox belongs to the receiver for good. A receiver does not know how large what
  // it gets will be, so it is the way that decides; in a collective both know the size.
  sg4::Mailbox* mailbox(int source, int target, int tag, int channel, double bytes) {
    const Way way = job_.way(source, target, tag, channel);
    const bool at_once = channel == of_collectives ? job_.eager(bytes) : !job_.meeting.contains(way);
    auto [it, fresh] = mailboxes_.try_emplace({way, at_once}, nullptr);
    if (fresh) {
      const auto [from, to, under, on] = way;
      it->second = sg4::Mailbox::by_name(std::to_string(from) + ">" + std::to_string(to) + ":" + std::to_string(under) + "/" + std::to_string(on) + (at_once ? "e" : "r"));
      if (at_once) it->second->set_receiver(job_.actors[static_cast<std::size_t>(target)]);
    }
    return it->second;
  }
  static std::uint64_t whole(double bytes) { return static_cast<std::uint64_t>(std::max(1.0, bytes)); }

  double own_send() const { return job_.path.send_ns ? 1e-9 * job_.path.send_ns->value : 0; }
  double own_receive() const { return job_.path.receive_ns ? 1e-9 * job_.path.receive_ns->value : 0; }

  sg4::CommPtr start_send(int target, double bytes, int tag, int channel, bool synchronous) {
    job_.messages += channel != of_collectives;
    static char nothing;
    const bool early = job_.eager(bytes) && !synchronous;
    auto comm = mailbox(rank_, target, tag, channel, bytes)->put_init(&nothing, whole(job_.on_wire(bytes)));
    if (early) {
      comm->detach();
      return nullptr;
    }
    comm->start();
    return comm;
  }
  sg4::CommPtr start_receive(int source, double bytes, int tag, int channel) {
    return mailbox(source, rank_, tag, channel, bytes)->get_async<char>(&received_);
  }

  // Collectives talk on their own channel.
  void busy(double seconds) {
    if (double nap = owed_ + seconds; nap > 0) owed_ = 0, sg4::this_actor::sleep_for(nap);
  }
  void pass(int to, double bytes) {
    busy(own_send());
    if (auto comm = start_send(to, bytes, 0, of_collectives, false)) comm->wait();
  }
  void take(int from, double bytes) {
    start_receive(from, bytes, 0, of_collectives)->wait();
    owed_ += own_receive();
  }
  void swap(int to, int from, double bytes) {
    auto in = start_receive(from, bytes, 0, of_collectives);
    busy(own_send());
    auto out = start_send(to, bytes, 0, of_collectives, false);
    in->wait();
    if (out) out->wait();
    owed_ += own_receive();
  }

  void perform(const Step& step) {
    switch (step.act) {
      case Act::compute: case Act::probe: case Act::other: case Act::loop: return;
      case Act::send: case Act::ssend: {
        int target = resolve(step.to);
        if (target < 0) return;
        if (auto comm = start_send(target, step.bytes, step.tag, step.group, step.act == Act::ssend)) comm->wait();
        return;
      }
      case Act::isend: {
        int target = resolve(step.to);
        requests_.push_back({target < 0 ? nullptr : start_send(target, step.bytes, step.tag, step.group, false), false});
        return;
      }
      case Act::receive: {
        int source = resolve(step.from);
        if (source == -2) return;
        start_receive(source, step.bytes, step.tag, step.group)->wait();
        owed_ += own_receive();
        return;
      }
      case Act::ireceive: {
        int source = resolve(step.from);
        requests_.push_back({source == -2 ? nullptr : start_receive(source, step.bytes, step.tag, step.group), true});
        return;
      }
      case Act::exchange: {
        int target = resolve(step.to), source = resolve(step.from);
        sg4::CommPtr in = source == -2 ? nullptr : start_receive(source, step.bytes, step.from_tag.value_or(step.tag), step.group);
        sg4::CommPtr out = target < 0 ? nullptr : start_send(target, step.bytes, step.tag, step.group, false);
        if (in) in->wait();
        if (out) out->wait();
        if (in) owed_ += own_receive();
        return;
      }
      case Act::wait: {
        const auto latest = static_cast<long>(requests_.size()) - 1;
        for (int ago : step.requests)
          if (long n = latest - ago; n >= 0 && requests_[static_cast<std::size_t>(n)].first) {
            auto& [comm, receiving] = requests_[static_cast<std::size_t>(n)];
            comm->wait();
            comm = nullptr;
            if (receiving) owed_ += own_receive();
          }
        return;
      }
      case Act::one_sided: job_.messages++, owed_ += engine::message_seconds(job_.path, step.bytes); return;
      default: collective(step);
    }
  }

  void collective(const Step& step) {
    const auto group = static_cast<std::size_t>(step.group);
    static std::vector<int> all;
    if (all.empty())
      for (int i = 0; i < size(); i++) all.push_back(i);
    const std::vector<int>& members = group < job_.skeleton.groups.size() && !job_.skeleton.groups[group].empty() ? job_.skeleton.groups[group] : all;
    const int n = static_cast<int>(members.size());
    if (n <= 1) return;
    job_.messages++;
    int me = 0, root = 0;
    const int root_rank = resolve(step.to);
    for (int i = 0; i < n; i++) {
      if (members[static_cast<std::size_t>(i)] == rank_) me = i;
      if (members[static_cast<std::size_t>(i)] == root_rank) root = i;
    }
    auto rank_of = [&](int i) { return members[static_cast<std::size_t>(((i + root) % n + n) % n)]; };
    me = (me - root + n) % n;  // counted from the root
    const double bytes = job_.collective_sizes->next(step.group, members, rank_);
    switch (step.act) {
      case Act::barrier: return dissemination(me, n, 0, rank_of);
      case Act::broadcast: return tree_down(me, n, bytes, false, rank_of);
      case Act::scatter: return tree_down(me, n, bytes, true, rank_of);
      case Act::reduce: return tree_up(me, n, bytes, false, rank_of);
      case Act::gather: return tree_up(me, n, bytes, true, rank_of);
      case Act::allgather: return ring(me, n, bytes, n - 1, rank_of);
      case Act::alltoall:
        if (bytes / n < 512) return dissemination(me, n, bytes / 2, rank_of);  // Bruck: few steps, more data
        for (int k = 1; k < n; k++) swap(rank_of(me + k), rank_of(me - k), bytes / n);
        return;
      case Act::allreduce:
        if (bytes > 65536) return ring(me, n, bytes / n, 2 * (n - 1), rank_of);
        return dissemination(me, n, bytes, rank_of);
      default: return dissemination(me, n, bytes, rank_of);
    }
  }
  template <class RankOf>
  void dissemination(int me, int n, double bytes, RankOf rank_of) {
    for (int k = 1; k < n; k *= 2) swap(rank_of(me + k), rank_of(me - k), bytes);
  }
  template <class RankOf>
  void ring(int me, int n, double bytes, int times, RankOf rank_of) {
    for (int k = 0; k < times; k++) swap(rank_of(me + 1), rank_of(me - 1), bytes);
    (void)n;
  }
  template <class RankOf>
  void tree_down(int me, int n, double bytes, bool pieces, RankOf rank_of) {
    int bit = 1;
    while (bit < n && !(me & bit)) bit *= 2;
    if (me) take(rank_of(me - bit), pieces ? bytes * std::min(bit, n - me) : bytes);
    for (int k = bit / 2; k >= 1; k /= 2)
      if (me + k < n) pass(rank_of(me + k), pieces ? bytes * std::min(k, n - me - k) : bytes);
  }
  template <class RankOf>
  void tree_up(int me, int n, double bytes, bool pieces, RankOf rank_of) {
    for (int k = 1; k < n; k *= 2) {
      if (me & k) return pass(rank_of(me - k), pieces ? bytes * std::min(k, n - me) : bytes);
      if (me + k < n) take(rank_of(me + k), pieces ? bytes * std::min(k, n - me - k) : bytes);
    }
  }

  Job& job_;
  int rank_;
  std::map<std::pair<Way, bool>, sg4::Mailbox*> mailboxes_;
  std::vector<std::pair<sg4::CommPtr, bool>> requests_;  // and whether it receives
  char* received_ = nullptr;
  double owed_ = 0;  // processor time of receives past
};

// Hosts behind links of their own: a message crosses two, so each has half the latency.
void measured_platform(Job& job) {
  auto* zone = sg4::create_star_zone("measured");
  // The least of what the laws of the path say: what one says beyond that, a message has as size (Job::on_wire).
  double startup = job.path.regimes.front().startup_ns, per_byte_ns = job.path.regimes.front().per_byte_ns;
  for (const auto& regime : job.path.regimes) startup = std::min(startup, regime.startup_ns), per_byte_ns = std::min(per_byte_ns, regime.per_byte_ns);
  const double whole = 1e-9 * startup, latency = std::max(0.1 * whole, whole - job.own()), per_byte = std::max(1e-3, per_byte_ns);
  job.measured = {latency, 1e-9 * per_byte};
  for (int i = 0; i < job.skeleton.ranks; i++) {
    auto* host = zone->create_host("host-" + std::to_string(i), 1e9);
    auto* link = zone->create_split_duplex_link("link-" + std::to_string(i), 1e9 / per_byte);
    link->set_latency(latency / 2)->seal();
    host->seal();
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {{link, sg4::LinkInRoute::Direction::UP}}, true);
  }
  zone->seal();
}

void find_wildcards(const std::vector<Step>& steps, int rank, Job& job) {
  for (const auto& s : steps) {
    if (s.act == Act::receive || s.act == Act::ireceive || s.act == Act::exchange) {
      const int source = resolve(s.from, rank, job.skeleton.ranks), tag = s.from_tag.value_or(s.tag);
      Wildcards wild;
      if (source == any_peer && tag < 0) wild.everything = true;
      else if (source == any_peer) wild.tags_from_any.insert(tag);
      else if (tag < 0) wild.sources_of_any.insert(source);
      if (source == any_peer || tag < 0) {
        Wildcards& known = job.wildcards[{rank, s.group}];
        known.everything = known.everything || wild.everything;
        known.tags_from_any.merge(wild.tags_from_any), known.sources_of_any.merge(wild.sources_of_any);
      }
    }
    find_wildcards(s.body, rank, job);
  }
}

void find_meetings(const std::vector<Step>& steps, int rank, Job& job) {
  for (const auto& s : steps) {
    const int target = resolve(s.to, rank, job.skeleton.ranks);
    if (sends(s.act) && target >= 0 && (s.act == Act::ssend || !job.eager(s.bytes))) job.meeting.insert(job.way(rank, target, s.tag, s.group));
    find_meetings(s.body, rank, job);
  }
}

// Ranks that never came to their end, as a sentence; empty when all did.
std::string stuck_ranks(const Job& job) {
  std::string names;
  int many = 0;
  for (std::size_t r = 0; r < job.ended.size(); r++)
    if (!job.ended[r] && ++many <= 4) names += (names.empty() ? "" : ", ") + std::to_string(r);
  return many ? std::to_string(many) + " ranks wait for each other for ever: " + names + (many > 4 ? ", ..." : "") : "";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "perfcast-simgrid INPUT.json PLATFORM\n");
    return 2;
  }
  auto input = read_json_file(argv[1]);
  if (!input) {
    std::fprintf(stderr, "%s\n", input.error().message().c_str());
    return 3;
  }
  Job job;
  try {
    from_json_value((*input)["skeleton"], job.skeleton, "/skeleton");
    from_json_value((*input)["path"], job.path, "/path");
    if (input->contains("weights")) from_json_value((*input)["weights"], job.weights, "/weights");
  } catch (const JsonMismatch& mismatch) {
    std::fprintf(stderr, "%s: %s\n", mismatch.place.c_str(), mismatch.what.c_str());
    return 3;
  }
  std::vector<std::string> words = {argv[0], "--cfg=network/model:CM02", "--cfg=network/latency-factor:1", "--cfg=network/bandwidth-factor:1", "--cfg=network/weight-S:0",
                                    "--cfg=network/TCP-gamma:0", "--cfg=network/crosstraffic:0", "--cfg=contexts/stack-size:64", "--log=root.thresh:warning"};
  std::vector<char*> pointers;
  for (auto& w : words) pointers.push_back(w.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  sg4::Engine engine(&count, pointers.data());
  const std::string platform = argv[2];
  if (platform == "measured") measured_platform(job);
  else engine.load_platform(platform);
  auto hosts = engine.get_all_hosts();
  if (hosts.empty()) {
    std::fprintf(stderr, "the platform has no hosts\n");
    return 3;
  }
  std::ranges::sort(hosts, numbered_before, &sg4::Host::get_name);
  Json remarks = Json::array();
  if (hosts.size() < static_cast<std::size_t>(job.skeleton.ranks))
    remarks.push_back(std::to_string(job.skeleton.ranks) + " ranks share the " + std::to_string(hosts.size()) + " hosts of the platform, each computing as if it were alone");
  for (const auto& program : job.skeleton.programs)
    for (int rank : program.ranks) find_wildcards(program.steps, rank, job);
  for (const auto& program : job.skeleton.programs)
    for (int rank : program.ranks) find_meetings(program.steps, rank, job);
  job.times.resize(static_cast<std::size_t>(job.skeleton.ranks)), job.ended.resize(job.times.size(), false);
  job.weights.resize(job.times.size(), 1.0);
  job.collective_sizes = std::make_unique<CollectiveSizes>(job.skeleton);
  auto steps = engine::steps_by_rank(job.skeleton);
  static const std::vector<Step> nothing;
  for (int r = 0; r < job.skeleton.ranks; r++) {
    const auto* own = steps[static_cast<std::size_t>(r)] ? steps[static_cast<std::size_t>(r)] : &nothing;
    job.actors.push_back(sg4::Actor::create("rank-" + std::to_string(r), hosts[static_cast<std::size_t>(r) % hosts.size()], [&job, r, own] { Rank(job, r).run(*own); }));
  }
  engine.run();
  if (std::string stuck = stuck_ranks(job); !stuck.empty()) {
    std::fprintf(stderr, "%s\n", stuck.c_str());
    return 3;
  }
  double seconds = 0;
  Json ranks = Json::array();
  for (const auto& t : job.times) {
    seconds = std::max(seconds, t.end);
    ranks.push_back({t.computation, t.communication, t.waiting, t.end});
  }
  std::printf("%s\n", Json({{"seconds", seconds}, {"messages", job.messages}, {"remarks", remarks}, {"ranks", ranks}}).dump().c_str());
  return 0;
}
