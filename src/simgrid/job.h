// What the ranks of a skeleton that is played in SimGrid know of each other: who may take which message, and what has passed.
#pragma once

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "engine/messages/message_time.h"
#include "engine/messages/replay.h"
#include "simgrid/collective_sizes.h"

namespace perfcast::played {

namespace sg4 = ::simgrid::s4u;

constexpr int any_peer = -1, any_tag = -1;
// The channel collectives talk on; those that are waited for later go round on the ones below it, so that several may be under
// way. Other messages talk on that of their group.
constexpr int of_collectives = -1, channels_for_later = 8;

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
  // As a library would choose by the path's laws; where a platform stands for them, by those of a usual network.
  engine::CollectiveWay way_of(Act act, double bytes, int ranks) const {
    static const MessagePath usual = [] {
      MessagePath p;
      p.regimes = {{"usual", 0, 1000, 0.1}};
      return p;
    }();
    return engine::collective_plan(path.regimes.empty() ? usual : path, act, bytes, ranks).way;
  }
};

// The rank that is meant; -1 any, -2 none.
inline int resolve(const Peer& peer, int rank, int ranks) {
  if (peer.kind == PeerKind::absolute) return peer.rank < ranks ? peer.rank : -2;
  if (peer.kind == PeerKind::relative) return ((rank + peer.rank) % ranks + ranks) % ranks;
  return peer.kind == PeerKind::any ? -1 : -2;
}

// Whether a message goes off in it.
inline bool sends(Act act) { return act == Act::send || act == Act::ssend || act == Act::isend || act == Act::exchange; }

// Plays the steps of one rank; called by its actor.
void play_rank(Job& job, int rank, const std::vector<Step>& steps);

}  // namespace perfcast::played
