// Microbenchmark loops of data/measured: assembled by clang, decoded, ready for the engine.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "record/instruction.h"
#include "record/machine.h"

namespace perfcast {

struct MeasuredLoop {
  std::string kind, name;
  double count = 1;          // what `cycles` is per
  double cycles = 0;         // measured: the second fastest round, as the measurements advise
  double fastest = 0;        // the fastest round; the same where only one figure is known
  std::vector<Instruction> body;
};

struct MeasuredLoops {
  Machine machine;
  std::vector<InstructionForm> forms;
  std::vector<MeasuredLoop> loops;
};

// The loops of data/measured/NAME.microbenchmarks.json and the machine NAME.
Result<MeasuredLoops> assemble_measured_loops(const std::string& source_folder, const std::string& name);

struct SimulatedLoop {
  const MeasuredLoop* loop = nullptr;
  double cycles = 0;  // per count, by the engine
  double error() const { return cycles / loop->cycles - 1; }
};
Result<std::vector<SimulatedLoop>> simulate_measured_loops(const MeasuredLoops& loops);

}  // namespace perfcast
