// Which ports does an instruction use? Throughput alone says how many; timings of pairs with instructions whose ports
// are known say which: two streams that share a port slow each other down. A demand is tried by Hall's theorem: for
// every set of ports, what can run nowhere else must fit into it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace perfcast::instructions {

// A micro-operation: takes any one of `ports` for `cycles`.
struct Demand {
  std::uint32_t ports = 0;
  double cycles = 1;
  bool operator==(const Demand&) const = default;
};

// Cycles that the demands need at least.
double port_bound(std::span<const Demand> demands);

// A stream of an instruction, alone or alternating with another one.
struct PairTiming {
  std::vector<Demand> other;  // ports of the other one; empty: alone
  int other_slots = 0;
  double cycles = 0;          // measured, per copy
};

struct PortEvidence {
  std::vector<PairTiming> timings;
  double rename_width = 6;
  int slots = 1;              // of the instruction at rename
};

// Mean relative distance between what the demands explain and what was measured.
double misfit(std::span<const Demand> demands, const PortEvidence& evidence);

struct PortFit {
  std::vector<Demand> demands;
  double misfit = 0;
  bool changed = false;  // differs from the start
};
// The demands that explain the timings best: the start, or, where that contradicts the evidence, up to `most` micro-
// operations on the given sets of ports. Of equally good ones the one nearest to the start.
PortFit fit_ports(const std::vector<Demand>& start, std::span<const std::uint32_t> sets, const PortEvidence& evidence,
                  int most = 4);

}  // namespace perfcast::instructions
