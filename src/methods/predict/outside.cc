#include "methods/predict/outside.h"

namespace perfcast::predict {
namespace {
// All calls are taken to cost what one costs that does next to nothing, and files to lie in memory.
constexpr double system_call_spread = 0.5;
}  // namespace

void add_outside_time(BlockSum& sum, const Profile& profile, const engine::OutsideTime& outside) {
  if (outside.library_ns > 0) sum.add_outside({"library", 1, 1e-9 * outside.library_ns, 2e-10 * outside.library_ns});
  sum.add_outside({"page faults", profile.run.page_faults, 1e-9 * outside.faults_ns, 1e-10 * outside.faults_ns});
  if (outside.system_ns > 0)
    sum.add_outside({"system calls", profile.run.system->calls, 1e-9 * outside.system_ns, system_call_spread * 1e-9 * outside.system_ns});
  sum.add_outside({"start", 1, 1e-9 * outside.start_ns, 1e-10 * outside.start_ns});
  const double touches = engine::first_touches(profile);
  if (touches <= 0 || outside.faults_ns <= 0) return;
  for (const Graph* graph : engine::watched_graphs(profile))
    for (const Function& function : graph->functions)
      for (const Block& block : function.blocks)
        if (double own = engine::first_touches(block); own > 0) sum.show_at(function, block, 1e-9 * outside.faults_ns * own / touches);
}

}  // namespace perfcast::predict
