// Which port is busy in which cycle, and how full the schedulers in front of the ports are. Micro-operations are
// placed in program order, each in the first cycle that has a port free: oldest first, in one pass.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/core_tables.h"

namespace perfcast::engine {

// Issue times of what waits in one queue; the earliest on top.
class WaitingQueue {
 public:
  void push(std::int64_t issue) { times_.push_back(issue), std::push_heap(times_.begin(), times_.end(), std::greater<>()); }
  // Forgets what has left by `cycle`; returns how many still wait.
  int waiting(std::int64_t cycle) {
    while (!times_.empty() && times_.front() <= cycle) {
      std::pop_heap(times_.begin(), times_.end(), std::greater<>());
      times_.pop_back();
    }
    return static_cast<int>(times_.size());
  }
  std::int64_t next_leaving() const { return times_.front(); }

 private:
  std::vector<std::int64_t> times_;
};

class PortSchedule {
 public:
  explicit PortSchedule(const CoreTables& tables);

  // The queue that takes an operation for these ports, and the ports left to it there; -1: none has to.
  int choose_queue(std::uint32_t& ports, std::int64_t cycle);
  // First cycle from `cycle` on in which that queue has room.
  std::int64_t room(int queue, std::int64_t cycle);
  // With binding at rename: the one port, by how many waited for each when the cycle began. `slot` is the place in
  // the group renamed together: neighbours see the same counts, so every other one takes the second best.
  std::uint32_t bind(std::uint32_t ports, std::int64_t cycle, int slot);
  // Takes the first free port at or after `from`, keeps it for `occupancy` free cycles; returns the first. They need not
  // follow each other: a divider that an older operation will need later starts a younger one now all the same. An
  // attempt in a cycle that is not allowed (a bank conflict) is lost and costs the port.
  // No two results leave a port in one cycle, where `result_after` says when this one does.
  template <class Allowed>
  std::int64_t take(std::uint32_t ports, int occupancy, int result_after, std::int64_t from, Allowed allowed) {
    if (!ports) return from;  // nothing scarce: used for bounds
    for (std::int64_t t = from;; t++) {
      std::uint32_t free = ports & ~busy(t);
      if (result_after) free &= ~at(t + result_after).leaving;
      if (!free) continue;
      if (!allowed(t)) {
        mark(std::countr_zero(free), 1, t);
        continue;
      }
      const int port = least_used(free);
      mark(port, occupancy, t);
      if (result_after) renewed(t + result_after).leaving |= 1u << port;
      return t;
    }
  }
  std::int64_t take(std::uint32_t ports, int occupancy, int result_after, std::int64_t from) {
    return take(ports, occupancy, result_after, from, [](std::int64_t) { return true; });
  }
  void entered(int queue, std::uint32_t bound_port, std::int64_t issue);

 private:
  struct Cycle {
    std::int64_t time = -1;
    std::uint32_t busy = 0;
    std::uint32_t leaving = 0;  // ports that a result leaves
  };
  static constexpr std::int64_t ring = 1 << 15;
  Cycle at(std::int64_t t) const {
    const Cycle& cycle = cycles_[static_cast<std::size_t>(t & (ring - 1))];
    return cycle.time == t ? cycle : Cycle{};
  }
  Cycle& renewed(std::int64_t t) {
    Cycle& cycle = cycles_[static_cast<std::size_t>(t & (ring - 1))];
    if (cycle.time != t) cycle = {t, 0, 0};
    return cycle;
  }
  std::uint32_t busy(std::int64_t t) const { return at(t).busy; }
  int least_used(std::uint32_t free) const;
  void mark(int port, int occupancy, std::int64_t t);

  const CoreTables& tables_;
  std::vector<Cycle> cycles_;
  std::vector<WaitingQueue> queues_, bound_;
  double used_[32] = {};
  int waited_[32] = {};               // by port, when `counted_` began
  std::int64_t counted_[32] = {};
  unsigned turn_ = 0;
};

}  // namespace perfcast::engine
