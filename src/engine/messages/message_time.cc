#include "engine/messages/message_time.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace perfcast::engine {
namespace {

double log2_up(double ranks) { return std::ceil(std::log2(std::max(1.0, ranks)) - 1e-9); }

CollectivePlan quickest(std::initializer_list<CollectivePlan> plans) { return std::ranges::min(plans, {}, &CollectivePlan::seconds); }

}  // namespace

double regime_seconds(const std::vector<MessageRegime>& regimes, double bytes) {
  if (regimes.empty()) return 0;
  const MessageRegime* chosen = &regimes.front();
  for (const auto& regime : regimes)
    if (regime.from_bytes <= bytes) chosen = &regime;
  return 1e-9 * (chosen->startup_ns + bytes * chosen->per_byte_ns);
}

double message_seconds(const MessagePath& path, double bytes) { return regime_seconds(path.regimes, bytes); }

double packet_seconds(const PacketLaw& law, double bytes, double hops) {
  const double p = law.packet_bytes;
  if (bytes <= p) return 1e-9 * (law.prepare_ns + hops * (law.startup_ns + law.per_byte_ns * (bytes + law.header_bytes)));
  const double packet = law.startup_ns + law.per_byte_ns * p;
  return 1e-9 * (law.prepare_ns + hops * packet + (bytes / p - 1) * (law.prepare_packet_ns + packet));
}

bool is_rendezvous(const MessagePath& path, double bytes) {
  if (path.rendezvous_bytes) return bytes >= *path.rendezvous_bytes;
  return path.regimes.size() > 1 && bytes >= path.regimes.back().from_bytes;
}

// A small message takes its sender's and receiver's own overhead; of the rest, moving the data keeps both busy alike.
double send_seconds(const MessagePath& path, double bytes) {
  const double whole = message_seconds(path, bytes), empty = message_seconds(path, 0);
  const double own = path.send_ns ? 1e-9 * path.send_ns->value : 0.4 * empty;
  return std::min(whole, std::min(own, empty) + 0.5 * std::max(0.0, whole - empty));
}

double receive_seconds(const MessagePath& path, double bytes) {
  const double whole = message_seconds(path, bytes), empty = message_seconds(path, 0);
  const double own = path.receive_ns ? 1e-9 * path.receive_ns->value : 0.4 * empty;
  return std::min(whole - send_seconds(path, bytes), std::min(own, empty) + 0.5 * std::max(0.0, whole - empty));
}

CollectivePlan collective_plan(const MessagePath& path, Act act, double bytes, double ranks) {
  using enum CollectiveWay;
  if (ranks <= 1) return {};
  auto t = [&](double b) { return message_seconds(path, b); };
  const double steps = log2_up(ranks), share = bytes / ranks;
  const double whole = steps * t(bytes);
  double halves = 0, pieces = 0;  // of all data; of the data of one rank to all of it
  for (double piece = bytes / 2, i = 0; i < steps; i++, piece /= 2) halves += t(piece);
  for (double block = 1; block < ranks; block *= 2) pieces += t(bytes * std::min(block, ranks - block));
  const double combine = combine_seconds_per_byte * bytes;
  switch (act) {
    case Act::barrier: return {doubling, steps * t(0)};
    case Act::broadcast: return quickest({{tree, whole}, {halving, 2 * halves}, {halves_and_ring, halves + (ranks - 1) * t(share)}});
    case Act::reduce: return quickest({{tree, whole + steps * combine}, {halving, 2 * halves + combine}});
    case Act::allreduce: return quickest({{doubling, whole + steps * combine}, {halving, 2 * halves + combine}, {ring, 2 * (ranks - 1) * t(share) + combine}});
    case Act::gather:
    case Act::scatter: return quickest({{tree, pieces}, {pairwise, (ranks - 1) * t(bytes)}});
    case Act::allgather: return quickest({{doubling, pieces}, {ring, (ranks - 1) * t(bytes)}});
    case Act::alltoall: return quickest({{doubling, steps * t(bytes / 2)}, {pairwise, (ranks - 1) * t(share)}});
    case Act::reduce_scatter: return quickest({{doubling, whole + steps * combine}, {halving, halves + combine}});
    case Act::scan: return {doubling, whole + steps * combine};
    default: return {tree, t(bytes)};
  }
}

double collective_closed_form(const MessagePath& path, Act act, double bytes, double ranks) { return collective_plan(path, act, bytes, ranks).seconds; }

double collective_seconds(const MessagePath& path, Act act, double bytes, double ranks) {
  const double closed = collective_closed_form(path, act, bytes, ranks);
  auto measured = path.collectives.find(word_of(act));
  if (ranks <= 1 || measured == path.collectives.end()) return closed;
  // The measured number of ranks nearest in ratio.
  double nearest = 0, distance = std::numeric_limits<double>::infinity();
  const std::vector<MessageRegime>* law = nullptr;
  for (const auto& [count, regimes] : measured->second) {
    double n = std::atof(count.c_str()), d = std::abs(std::log(n / ranks));
    if (n >= 2 && d < distance) nearest = n, distance = d, law = &regimes;
  }
  if (!law) return closed;
  const double seen = regime_seconds(*law, bytes);
  if (nearest == ranks) return seen;
  const double there = collective_closed_form(path, act, bytes, nearest);
  return there > 0 ? closed * seen / there : closed;
}

}  // namespace perfcast::engine
