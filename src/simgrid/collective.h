// Collectives as MPI libraries make them of messages, in the way that the closed form found quickest
// (engine/messages/message_time.h). `Talk` passes a message on, takes one, does both at once, and combines operands.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/messages/message_time.h"
#include "record/skeleton.h"

namespace perfcast::played {

template <class Talk>
class Collective {
 public:
  // Of these ranks, as seen by number `me` of them.
  Collective(Talk& talk, const std::vector<int>& members, int me, int root)
      : talk_(talk), members_(members), n_(static_cast<int>(members.size())), root_(root), me_((me - root + n_) % n_) {}

  // Bytes: the data of one rank; alltoall, reduce_scatter: of all its pieces.
  void play(Act act, engine::CollectiveWay way, double bytes) {
    using enum engine::CollectiveWay;
    const double share = bytes / n_;
    switch (act) {
      case Act::barrier: return spread(0, false);
      case Act::broadcast:
        tree_down(way == tree ? bytes : share, way != tree);
        if (way == halving) grow(share);
        if (way == halves_and_ring) around(share, n_ - 1);
        return;
      case Act::scatter: return way == pairwise ? hand_out(bytes) : tree_down(bytes, true);
      case Act::reduce:
        if (way == tree) return tree_up(bytes, false);
        shrink(share);
        return tree_up(share, true);
      case Act::gather: return way == pairwise ? collect(bytes) : tree_up(bytes, true);
      case Act::allgather: return way == ring ? around(bytes, n_ - 1) : grow(bytes);
      case Act::alltoall:
        if (way != pairwise) return spread(bytes / 2, false);  // Bruck: few steps, more data
        for (int k = 1; k < n_; k++) talk_.swap(rank_at(me_ + k), rank_at(me_ - k), share);
        return;
      case Act::allreduce:
        if (way == doubling) return spread(bytes, true);
        if (way == ring) return around(share, 2 * (n_ - 1)), talk_.combine(bytes);
        shrink(share);
        return grow(share);
      case Act::reduce_scatter: return way == halving ? shrink(share) : spread(bytes, true);
      default: return spread(bytes, true);
    }
  }

 private:
  // Ranks are counted from the root.
  int rank_at(int i) const { return members_[static_cast<std::size_t>(((i + root_) % n_ + n_) % n_)]; }

  void spread(double bytes, bool combining) {
    for (int k = 1; k < n_; k *= 2) {
      talk_.swap(rank_at(me_ + k), rank_at(me_ - k), bytes);
      if (combining) talk_.combine(bytes);
    }
  }
  // From one piece to all of them.
  void grow(double piece) {
    for (int k = 1; k < n_; k *= 2) talk_.swap(rank_at(me_ + k), rank_at(me_ - k), piece * std::min(k, n_ - k));
  }
  // From all pieces to the combined one of this rank.
  void shrink(double piece) {
    int k = 1;
    while (2 * k < n_) k *= 2;
    for (; k >= 1; k /= 2) {
      const double bytes = piece * std::min(k, n_ - k);
      talk_.swap(rank_at(me_ + k), rank_at(me_ - k), bytes);
      talk_.combine(bytes);
    }
  }
  void around(double bytes, int times) {
    for (int k = 0; k < times; k++) talk_.swap(rank_at(me_ + 1), rank_at(me_ - 1), bytes);
  }
  void hand_out(double bytes) {
    if (me_) return talk_.take(rank_at(0), bytes);
    for (int k = 1; k < n_; k++) talk_.pass(rank_at(k), bytes);
  }
  void collect(double bytes) {
    if (me_) return talk_.pass(rank_at(0), bytes);
    for (int k = 1; k < n_; k++) talk_.take(rank_at(k), bytes);
  }
  // Everything, or what lies below in pieces.
  void tree_down(double bytes, bool pieces) {
    int bit = 1;
    while (bit < n_ && !(me_ & bit)) bit *= 2;
    if (me_) talk_.take(rank_at(me_ - bit), pieces ? bytes * std::min(bit, n_ - me_) : bytes);
    for (int k = bit / 2; k >= 1; k /= 2)
      if (me_ + k < n_) talk_.pass(rank_at(me_ + k), pieces ? bytes * std::min(k, n_ - me_ - k) : bytes);
  }
  // What is not in pieces is combined on its way.
  void tree_up(double bytes, bool pieces) {
    for (int k = 1; k < n_; k *= 2) {
      if (me_ & k) return talk_.pass(rank_at(me_ - k), pieces ? bytes * std::min(k, n_ - me_) : bytes);
      if (me_ + k >= n_) continue;
      talk_.take(rank_at(me_ + k), pieces ? bytes * std::min(k, n_ - me_ - k) : bytes);
      if (!pieces) talk_.combine(bytes);
    }
  }

  Talk& talk_;
  const std::vector<int>& members_;
  int n_, root_, me_;
};

}  // namespace perfcast::played
