// Where the counters of a module go: one flow graph per function, made from its IR before anything is inserted, kept
// until the run is over to turn counters back into counts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontends/llvm_ir/counts.h"
#include "frontends/llvm_ir/flow.h"

namespace llvm {
class Module;
}

namespace perfcast::llvm_ir {

class LeavingCalls;
class RecursiveFunctions;

struct FunctionPlan {
  std::string name;
  bool internal = false;
  std::vector<std::string> blocks;  // names; block i is vertex i + 1
  FlowGraph graph;                  // edges to vertex 0: returns, and what leaves in the middle
  std::vector<int> array_calls;     // counters of elements, in the order of array_calls()
  std::optional<int> heights;       // recursive: first of the counters of its returns by height (call_heights.h)
  std::vector<bool> leaving;        // per block: it has the extra edge to the outside (the edge counted `never`)
};

struct ModulePlan {
  std::vector<FunctionPlan> functions;  // those with code, in the module's order
  int counters = 0;
  std::uint64_t checksum = 0;           // of all names and edges: counts of another build are not mistaken for these
  std::vector<std::string> routines;    // of libraries, whose calls are marked (library_calls_marked.h)
};

ModulePlan plan_counters(llvm::Module& module, const LeavingCalls& leaving, const RecursiveFunctions& recursive);

// Counts from the sums of the counters.
UnitCounts counts_from(const ModulePlan& plan, std::span<const std::uint64_t> counters);

}  // namespace perfcast::llvm_ir
