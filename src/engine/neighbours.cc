#include "engine/neighbours.h"

namespace perfcast::engine {

double exposure_of(const std::string& part) {
  for (Cause cause : {Cause::front_end, Cause::ports, Cause::window})
    if (part == name_of(cause)) return shared_throughput;
  return part == "library" ? shared_throughput : shared_waiting;
}

Measurement usual_sharing(const Machine& machine) {
  return machine.system && machine.system->core_sharing ? *machine.system->core_sharing : Measurement();
}

double neighbours_ns(const CompiledCost& cost, const Machine& machine) {
  const double sharing = usual_sharing(machine).value;
  if (sharing <= 0) return 0;
  double in_core = 0, exposed = cost.outside.library_ns * exposure_of("library");
  for (std::size_t c = 0; c < causes; c++) {
    const double ns = cost.core.by_cause[c] * cost.ns_per_cycle;
    in_core += ns, exposed += ns * exposure_of(name_of(static_cast<Cause>(c)));
  }
  return sharing * (exposed + shared_waiting * (1e9 * cost.seconds() - in_core - cost.outside.library_ns));
}

}  // namespace perfcast::engine
