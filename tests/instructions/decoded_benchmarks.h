// The generated instruction benchmarks as the engine sees them: assembled by clang, decoded, each one loop.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "methods/characterize/instructions/benchmarks.h"
#include "record/core.h"
#include "record/instruction.h"

namespace perfcast {

struct DecodedBenchmarks {
  std::vector<InstructionForm> forms;
  std::vector<std::vector<Instruction>> loops;  // one per benchmark, in order
};

// The tables of `cpu` give what LLVM knows of each instruction.
Result<DecodedBenchmarks> decode_benchmarks(const instructions::FormTable& table,
                                            const std::vector<instructions::Benchmark>& benchmarks,
                                            const std::string& cpu);

// Cycles per unit of a benchmark, by the engine.
Result<double> simulate_benchmark(const DecodedBenchmarks& decoded, std::size_t index,
                                  const instructions::Benchmark& benchmark, const CoreModel& core);
// Control flow inside the loop, or mispredictions: nothing the loop simulation could follow.
bool simulable(const instructions::Benchmark& benchmark);

}  // namespace perfcast
