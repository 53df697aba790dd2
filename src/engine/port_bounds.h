// Lower bounds on the cycles of a stretch of code, for the bounds room: from the ports alone, and from dependences
// alone. Neither looks at queues or order, so no execution is faster.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/core.h"
#include "record/instruction.h"

namespace perfcast::engine {

// A bound holds for the data and the moments that suit the core best, and wherever code and arrays may lie.
CoreModel luckiest(CoreModel core);

struct PortBound {
  double cycles = 0;
  std::string ports;  // the tightest set; "rename" when the width is
};
// Hall's theorem: for every set of ports, what can run nowhere else must fit into it. `times` gives how often each
// instruction executes (empty: once).
Result<PortBound> port_bound(std::span<const Instruction> code, const std::vector<InstructionForm>& forms,
                             const CoreModel& core, std::span<const double> times = {});

// Cycles per iteration of the longest dependence cycle of a loop body, all resources unlimited.
Result<double> dependence_bound(std::span<const Instruction> body, const std::vector<InstructionForm>& forms,
                                const CoreModel& core);

}  // namespace perfcast::engine
