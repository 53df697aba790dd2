#include "engine/messages/message_time.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace perfcast::engine {
namespace {

double log2_up(double ranks) { return std::ceil(std::log2(std::max(1.0, ranks)) - 1e-9); }

// Combining two operands of a reduction: memory-bound on anything large, about an eighth of a nanosecond per byte.
constexpr double combine_seconds_per_byte = 0.1e-9;

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

double collective_closed_form(const MessagePath& path, Act act, double bytes, double ranks) {
  if (ranks <= 1) return 0;
  auto t = [&](double b) { return message_seconds(path, b); };
  const double steps = log2_up(ranks), share = bytes / ranks;
  const double tree = steps * t(bytes);
  // Scatter by halves, then collect around a ring or by doubling.
  double halving = 0;
  for (double piece = bytes / 2, i = 0; i < steps; i++, piece /= 2) halving += t(piece);
  const double combine = combine_seconds_per_byte * bytes;
  switch (act) {
    case Act::barrier: return steps * t(0);
    case Act::broadcast: return std::min({tree, 2 * halving, halving + (ranks - 1) * t(share)});
    case Act::reduce: return std::min(tree + steps * combine, 2 * halving + combine);
    case Act::allreduce: return std::min({tree + steps * combine, 2 * halving + combine, 2 * (ranks - 1) * t(share) + combine});
    case Act::gather:
    case Act::scatter: {
      double sum = 0;
      for (double block = 1; block < ranks; block *= 2) sum += t(bytes * std::min(block, ranks - block));
      return std::min(sum, (ranks - 1) * t(bytes));
    }
    case Act::allgather: {
      double doubling = 0;
      for (double block = 1; block < ranks; block *= 2) doubling += t(bytes * std::min(block, ranks - block));
      return std::min(doubling, (ranks - 1) * t(bytes));
    }
    case Act::alltoall: {
      const double bruck = steps * t(bytes / 2);
      return std::min(bruck, (ranks - 1) * t(share));
    }
    case Act::reduce_scatter: return std::min(tree + steps * combine, halving + combine);
    case Act::scan: return tree + steps * combine;
    default: return t(bytes);
  }
}

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
