// Machine loops gathered by the source loop they came from: vector body, unrolled body, remainder and scalar copy all
// belong to one, in each function that holds them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "methods/bounds/bounds.h"

namespace perfcast::bounds {

struct LoopGroup {
  int function = 0;                      // of the machine level
  Location at;
  const SourceLoop* source = nullptr;    // what it asks for; nullptr: not known
  SourceLoop needs;                      // ... together with loops inside it that left no loop in the code
  std::vector<int> blocks;               // machine blocks, inner loops' excluded
  std::vector<int> machine_loops;        // indices into the function's loops
  std::vector<std::pair<int, int>> ir_blocks;  // (function, block) of the IR level
  double iterations = 0, entries = 0;    // of the source
  double machine_iterations = 0;         // executions of the machine loops' headers
  double removed = 0;                    // share of the source's iterations that the compiler did away with
  bool outer = false, irreducible = false, normalised = false;
};

// Those that were executed, in the order of the code.
std::vector<LoopGroup> loop_groups(const Profile& profile);

}  // namespace perfcast::bounds
