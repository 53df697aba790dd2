// What lies beyond the core: gap P by its parts, and the data a loop needs.
#pragma once

#include "methods/bounds/ladder.h"

namespace perfcast::bounds {

// Cycles per source iteration that memory levels, translation, mispredictions and the system are predicted to add.
struct Beyond {
  std::vector<NamedAmount> parts;  // "L2", "DRAM", ..., "TLB", "conflicts", "branches", "OS"; zeros left out
  double total = 0;
};
Beyond beyond_window(const Profile& profile, const Machine& machine, const Steps& steps, const LoopGroup& group);

std::vector<const Access*> accesses_of(const Profile& profile, const LoopGroup& group);
// The step of its walk in bytes: as the source says, else as it was watched, over the copies that unrolling made; 0: none.
double step_of(const Profile& profile, const LoopGroup& group, const Access& access);
// ... as it was watched only.
double watched_step(const Profile& profile, const LoopGroup& group, const Access& access);

// Bytes of the lines that one iteration brings anew for a reference with a step: all it passes over, but no more than a line for
// each element. None: it has no constant step.
std::optional<double> bytes_brought(const Reference& reference, double line_bytes);

// Working set, reference windows and the misses of an ideal cache (section 6.1); the real levels beside it.
LoopData data_of(const Profile& profile, const Machine& machine, const LoopGroup& group);

}  // namespace perfcast::bounds
