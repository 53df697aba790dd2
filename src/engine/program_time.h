// The time a whole program spends in the core: its counted machine code walked through the pipeline of a machine.
// Every block's cycles per execution come from the walk, its number of executions from the profile; the total is the
// sum over blocks of count times cost. Memory beyond the first-level cache and library routines without code are
// not in here: the caller supplies extra load cycles through a hook and adds the rest.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "engine/instruction_class.h"
#include "engine/pipeline.h"
#include "record/gap.h"
#include "record/machine.h"
#include "record/profile.h"

namespace perfcast::engine {

// Which load: indices into Graph::functions, Function::blocks and Block::code.
struct LoadPlace {
  int function = 0, block = 0, instruction = 0;
  int before = -1;  // the block that came before, of the same function
};

struct SimulationOptions {
  double instructions = 400'000;  // to simulate
  int walk = 5000;                // instructions per walk that count
  int warm_up = 1500;             // before they do
  double matters = 0.0005;        // blocks with a smaller share of the executed instructions may stay unseen
  bool mispredictions = true;     // as Block::mispredicted says
  // Cycles beyond a first-level hit, asked at every executed load; empty: all hit.
  std::function<double(const LoadPlace&)> extra_load_cycles;
  // Simulated so, the core is as it is when all loads hit and branches are as seen.
  bool usual() const {
    const SimulationOptions others;
    return !extra_load_cycles && mispredictions == others.mispredictions && instructions == others.instructions && walk == others.walk &&
           warm_up == others.warm_up && matters == others.matters;
  }
};

struct BlockTime {
  int function = 0, block = 0;
  double executions = 0;            // in the run
  double cycles = 0;                // in the run
  std::array<double, causes> by_cause{};
  ClassUses uses{};                 // the same cycles by the class of instruction they fell on
  double visits = 0;                // in the walk; 0: estimated from its neighbours
};

struct CoreTime {
  double cycles = 0, seconds = 0;
  double instructions = 0;                // executed in the run
  std::array<double, causes> by_cause{};  // cycles
  std::vector<BlockTime> blocks;          // those executed
  double measured = 0, by_class = 0, by_llvm = 0;  // shares of executed instructions by where their costs come from
  double simulated_instructions = 0;
  double unvisited = 0;                   // share of executed instructions in blocks the walk did not reach
};

// A program made ready for the core of a machine: every instruction with what the machine's rules say about it. Looking these up takes
// as long as simulating, so whoever simulates several times does it once. Profile and machine must outlive it.
class PreparedProgram {
 public:
  // An error when the profile has no machine code or the machine no core.
  static Result<PreparedProgram> make(const Profile& profile, const Machine& machine);
  PreparedProgram(PreparedProgram&&) noexcept;
  ~PreparedProgram();
  struct Parts;
  const Parts& parts() const { return *parts_; }

 private:
  PreparedProgram();
  std::unique_ptr<Parts> parts_;
};

CoreTime simulate_program(const PreparedProgram& program, const SimulationOptions& options = {});
// The same of one that is simulated once.
Result<CoreTime> simulate_program(const Profile& profile, const Machine& machine, const SimulationOptions& options = {});

}  // namespace perfcast::engine
