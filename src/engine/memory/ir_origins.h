// Which blocks of the IR a block of machine code does the work of: mostly one. The code generator merges equal ends of two
// blocks, as the test before a loop and the one at its end, and the rest keeps one name. The other is found by where it
// leads: to the same places, and nowhere else are its loads.
#pragma once

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

}  // namespace perfcast::engine
