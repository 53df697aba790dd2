// What a message and a collective operation take, by the laws of a path between ranks.
//
// Collectives are closed forms over the point-to-point law, of the algorithms that MPI libraries choose by size (binomial
// trees and recursive doubling for small data, scatter with allgather and rings for large); where the machine has been
// measured with as many ranks, the measurement, and with others the closed form times what the measured one was off.
#pragma once

#include <string>

#include "record/messages.h"
#include "record/skeleton.h"

namespace perfcast::engine {

// Seconds from the start of the send to the end of the receive, when the receiver waits.
double message_seconds(const MessagePath& path, double bytes);

// Equation 5 of Papaefstathiou et al. 1994: packets over `hops` links, seconds.
double packet_seconds(const PacketLaw& law, double bytes, double hops);

// Processor time that a message takes of its sender and of its receiver, seconds; together at most message_seconds().
double send_seconds(const MessagePath& path, double bytes);
double receive_seconds(const MessagePath& path, double bytes);

// Whether the sender waits for the receiver.
bool is_rendezvous(const MessagePath& path, double bytes);

// How a collective is made of messages.
enum class CollectiveWay {
  tree,       // binomial: everything, or the pieces that lie below, from level to level
  doubling,   // with partners 1, 2, 4, ... away; pieces grow, everything stays
  halving,    // with partners ..., 4, 2, 1 away, half as much each time, and back by doubling
  halves_and_ring,  // a tree of pieces, then around a ring
  ring,       // each with its neighbours
  pairwise    // everybody with everybody; a root with all, one after the other
};
// The quickest by the point-to-point law, and what it takes.
struct CollectivePlan {
  CollectiveWay way = CollectiveWay::tree;
  double seconds = 0;
};
CollectivePlan collective_plan(const MessagePath& path, Act act, double bytes, double ranks);

// Combining two operands of a reduction: memory-bound on anything large, about a tenth of a nanosecond per byte.
constexpr double combine_seconds_per_byte = 0.1e-9;

// By the point-to-point law alone. Bytes: the data of one rank (alltoall: what one rank sends to all).
double collective_closed_form(const MessagePath& path, Act act, double bytes, double ranks);
// With the machine's own measurements.
double collective_seconds(const MessagePath& path, Act act, double bytes, double ranks);

// startup + bytes * per_byte of the regime that holds.
double regime_seconds(const std::vector<MessageRegime>& regimes, double bytes);

}  // namespace perfcast::engine
