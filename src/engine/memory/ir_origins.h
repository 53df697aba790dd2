// Which blocks of the IR a block of machine code does the work of: mostly one. The code generator merges equal ends of two
// blocks, as the test before a loop and the one at its end, and the rest keeps one name. The other is found by where it
// leads: to the same places, and nowhere else are its loads.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "record/profile.h"

namespace perfcast::engine {

class IrOrigins {
 public:
  IrOrigins(const Function& ir, const Function& machine, const std::vector<InstructionForm>& forms);
  struct Origin {
    const Block* ir = nullptr;
    double part = 1;                  // of the machine block's executions
    std::vector<int> arriving_from;   // machine blocks from which it is this one; empty: whatever came before
  };
  std::vector<Origin> of(int machine_block) const;

 private:
  std::vector<int> pieces_before(int machine_block, const std::string& ir) const;
  const Function& machine_;
  std::map<std::string, const Block*> by_name_;
  std::vector<const Block*> homeless_;  // with memory accesses, but no machine code that loads has their name
};

// Calls `visit` for each executed block of machine code and each block of the IR that it does the work of.
using OriginVisitor = std::function<void(int function, int block, const Block& machine, const IrOrigins::Origin& origin)>;
void visit_origins(const Profile& profile, const OriginVisitor& visit);

// Which machine load is which load of the IR: pairs of indices (machine, IR), in order, by equal size where possible.
std::vector<std::pair<int, int>> match_loads(const std::vector<int>& machine_bytes, const std::vector<int>& ir_bytes);

// The loads of a block of machine code and of one of the IR, and which are the same.
struct MatchedLoads {
  std::vector<int> places;               // machine loads: index of the instruction
  std::vector<const Access*> accesses;   // of the IR
  std::vector<std::pair<int, int>> pairs;
};
MatchedLoads matched_loads(const Block& machine, const std::vector<InstructionForm>& forms, const Block& ir);

}  // namespace perfcast::engine
