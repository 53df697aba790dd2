// What a counted run tells: for every function with a body in every unit, how often each block and edge of its IR ran.
// Plain data, no compiler headers: the machine-code front end and the graph builder both read it.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace perfcast::llvm_ir {

struct EdgeCount {
  int to = 0;  // block index in the same function
  double count = 0;
  bool operator==(const EdgeCount&) const = default;
};

struct BlockCounts {
  std::string name;  // of the IR block, unique in its function
  double count = 0;  // times the block was entered
  std::vector<EdgeCount> next;
  // Executions that ended inside the block, because a call in it threw, exited or jumped away, minus those that came
  // back in by a second return of setjmp: count == sum of next + left.
  double left = 0;
  bool operator==(const BlockCounts&) const = default;
};

struct FunctionCounts {
  std::string name;        // linkage name
  std::string unique;      // its name in the profile: `name`, or name@source where two units have one of their own
  bool internal = false;   // static: other units may have another function of this name
  bool duplicate = false;  // the linker keeps an earlier unit's copy (inline functions, templates): not in the profile
  double entries = 0;
  std::vector<BlockCounts> blocks;  // in the order of the IR; the first is the entry
  std::map<int, double> heights;    // recursive: returns by how deep calls nested below, of those that count (call_heights.h)
  std::vector<double> array_elements;  // touched by each call of array_calls(), all executions together
  bool operator==(const FunctionCounts&) const = default;
};

struct UnitCounts {
  std::vector<FunctionCounts> functions;  // in the order of the module
  const FunctionCounts* find(const std::string& name) const {
    for (const auto& function : functions)
      if (function.name == name) return &function;
    return nullptr;
  }
  bool operator==(const UnitCounts&) const = default;
};

// Fills `unique` and `duplicate` over all units of a program; `sources` names the units.
void tell_apart(std::vector<UnitCounts>& units, const std::vector<std::string>& sources);

}  // namespace perfcast::llvm_ir
