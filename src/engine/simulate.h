// The doors of the in-core engine: a given sequence of instructions, or a loop, through the pipeline of a core.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/pipeline.h"
#include "record/core.h"
#include "record/instruction.h"

namespace perfcast::engine {

// One executed instruction. `follows` is set when the next step lies directly behind it in memory.
struct TraceStep {
  const Instruction* instruction = nullptr;
  bool taken = false;
  bool mispredicted = false;
  std::optional<std::uint64_t> address;  // unknown: deduced from the code
  double extra_load_cycles = 0;          // beyond a hit in the first-level cache
};

struct Simulation {
  double cycles = 0;
  double instructions = 0;
  std::array<double, causes> by_cause{};  // cycles; they add up to `cycles`
  std::vector<Share> shares;              // per step
};

Result<Simulation> simulate(std::span<const TraceStep> trace, const std::vector<InstructionForm>& forms,
                            const CoreModel& core);

// Steady state of a loop whose body is `body` and whose last branch, if any, is taken.
struct LoopTime {
  double cycles_per_iteration = 0;
  std::array<double, causes> by_cause{};  // per iteration
};
Result<LoopTime> simulate_loop(std::span<const Instruction> body, const std::vector<InstructionForm>& forms,
                               const CoreModel& core, int iterations = 400);

}  // namespace perfcast::engine
