// What the blocks of a compiled program take on a machine: the time of the core from the walk through its window, and,
// region by region, what memory beyond the first cache adds; library routines, page faults and the start of the process
// stand beside. The one breakdown that `icc` sums up and that the other methods look into.
#pragma once

#include <vector>

#include "engine/program_time.h"
#include "engine/regions.h"

namespace perfcast::engine {

// One region: what the core takes without mispredictions, with the loads it waits for, and with all of memory.
struct RegionCost {
  double core_ns = 0, waiting_ns = 0, joined_ns = 0;
  RegionMemory memory;
};

// What memory adds to one block in the whole run, by what it waits for.
struct MemoryAdded {
  double dependent_ns = 0;       // waiting for single loads
  std::vector<double> level_ns;  // moving lines, by the level that serves
};

struct CompiledBlock {
  const Function* function = nullptr;  // of the machine level
  const Block* block = nullptr;
  int region = -1;                     // index into CompiledCost::regions; -1: library code, or made up by the code generator
  BlockTime core;
  MemoryAdded memory;
};

struct CompiledCost {
  CoreTime core;
  double ns_per_cycle = 0;
  std::vector<CodeRegion> regions;     // of the IR, then of machine code watched by itself
  std::vector<RegionCost> region_costs;
  std::vector<CompiledBlock> blocks;   // those executed
  OutsideTime outside;
  double lines = 0, unknown_lines = 0; // from beyond the first cache; whose reuse was not seen

  double seconds() const;              // of everything
};

// Points into `profile`, which must outlive the result. An error when the profile has no machine code, the machine no
// core, or the code is of another instruction set.
Result<CompiledCost> compiled_cost(const Profile& profile, const Machine& machine, const SimulationOptions& options = {});
// The same with the core's time known already: for machines that differ in memory or system alone.
CompiledCost compiled_cost(const Profile& profile, const Machine& machine, CoreTime core);

// Whether it was watched how the program uses memory, in the IR or in the machine code. A program may have been watched that
// does nothing in memory.
bool memory_watched(const Profile& profile);

}  // namespace perfcast::engine
