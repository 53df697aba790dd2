#include "engine/neighbours.h"

namespace perfcast::engine {
namespace {

// By how much a neighbour on the same core lengthens the parts of the time, per unit of core_sharing: fitted to 87 kernels of
// data/calibration that stay in the first cache, timed on a shared Sapphire Rapids beside the canary. Code that keeps the core
// busy loses most of what the canary loses, code that waits for results, memory or branches little.
constexpr double shared_throughput = 0.75, shared_waiting = 0.25;

}  // namespace

Measurement usual_sharing(const Machine& machine) {
  return machine.system && machine.system->core_sharing ? *machine.system->core_sharing : Measurement();
}

double neighbours_ns(const CompiledCost& cost, const Machine& machine) {
  const double sharing = usual_sharing(machine).value;
  if (sharing <= 0) return 0;
  double busy = cost.outside.library_ns;
  for (Cause cause : {Cause::front_end, Cause::ports, Cause::window}) busy += cost.core.by_cause[static_cast<std::size_t>(cause)] * cost.ns_per_cycle;
  return sharing * (shared_throughput * busy + shared_waiting * (1e9 * cost.seconds() - busy));
}

}  // namespace perfcast::engine
