#include "engine/port_schedule.h"

namespace perfcast::engine {

PortSchedule::PortSchedule(const CoreTables& tables)
    : tables_(tables), cycles_(ring), queues_(tables.schedulers.size()), bound_(32) {}

int PortSchedule::choose_queue(std::uint32_t& ports, std::int64_t cycle) {
  int best = -1, fewest = -1;
  bool later_wins = ++turn_ & 1;  // of equally full queues, in turn
  for (int queue = 0; queue < static_cast<int>(queues_.size()); queue++) {
    if (!(tables_.schedulers[queue].ports & ports)) continue;
    if (best < 0) {
      best = queue;
      continue;
    }
    if (fewest < 0) fewest = queues_[best].waiting(cycle);
    int waiting = queues_[queue].waiting(cycle);
    if (waiting < fewest || (waiting == fewest && later_wins)) best = queue, fewest = waiting;
  }
  if (best >= 0) ports &= tables_.schedulers[best].ports;
  return best;
}

std::int64_t PortSchedule::room(int queue, std::int64_t cycle) {
  while (queues_[queue].waiting(cycle) >= tables_.schedulers[queue].entries) cycle = queues_[queue].next_leaving();
  return cycle;
}

std::uint32_t PortSchedule::bind(std::uint32_t ports, std::int64_t cycle, int slot) {
  if ((ports & (ports - 1)) == 0) return ports;  // one, or none
  int best = -1, second = -1;
  for (std::uint32_t left = ports; left; left &= left - 1) {
    int port = std::countr_zero(left);
    if (counted_[port] != cycle) counted_[port] = cycle, waited_[port] = bound_[port].waiting(cycle);
    if (best < 0 || waited_[port] < waited_[best]) second = best, best = port;
    else if (second < 0 || waited_[port] < waited_[second]) second = port;
  }
  constexpr int clearly_less = 3;
  bool take_second = (slot & 1) && waited_[second] - waited_[best] < clearly_less;
  return 1u << (take_second ? second : best);
}

void PortSchedule::entered(int queue, std::uint32_t bound_port, std::int64_t issue) {
  if (queue >= 0) queues_[queue].push(issue);
  if (bound_port) bound_[std::countr_zero(bound_port)].push(issue);
}

int PortSchedule::least_used(std::uint32_t free) const {
  int best = -1;
  for (std::uint32_t left = free; left; left &= left - 1)
    if (int port = std::countr_zero(left); best < 0 || used_[port] < used_[best]) best = port;
  return best;
}

void PortSchedule::mark(int port, int occupancy, std::int64_t t) {
  used_[port] += occupancy;
  for (; occupancy > 0; t++) {
    Cycle& cycle = renewed(t);
    if (cycle.busy >> port & 1) continue;
    cycle.busy |= 1u << port, occupancy--;
  }
}

}  // namespace perfcast::engine
