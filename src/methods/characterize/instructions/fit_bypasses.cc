// Where a result comes from changes what its consumers take. Pure: works on kept timings.
#include <fmt/format.h>

#include "methods/characterize/instructions/fitting.h"

namespace perfcast::instructions {

// A family says that some results reach their own kind a cycle sooner than others. That cycle is either on the way to the others,
// or the others take it themselves, for whichever operand they wait: a chain of them beside such results tells.
CoreModel with_seen_bypasses(CoreModel family, const FormTable& table, const Timings& timings, std::vector<std::string>& changes) {
  for (const auto& [shown_by, kind, chain] : table.beside) {
    const auto beside = timings.cycles(shown_by), alone = timings.cycles(chain);
    if (!beside || !alone) continue;
    for (auto& rule : family.bypasses) {
      if (rule.from != kind || rule.to != kind || rule.cycles >= 0 || rule.accumulator_only) continue;
      const double sooner = -rule.cycles;
      if (*beside - *alone < 0.5 * sooner) continue;
      for (auto& instruction : family.instructions)
        if (instruction.kind == kind && instruction.latency) instruction.latency->value -= sooner;
      rule.to = other_kinds, rule.cycles = sooner, rule.delays_result = true, rule.how = How::measured;
      rule.note = fmt::format("{} {:.3g}, {} {:.3g}", shown_by, *beside, chain, *alone);
      changes.push_back(fmt::format("results of {} make others slower, whichever operand comes last", kind));
    }
  }
  return family;
}

}  // namespace perfcast::instructions
