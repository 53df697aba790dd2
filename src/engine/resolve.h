// From an instruction and the rules of a core to a StaticInstruction. For every property the order is: measured
// pattern, class rule, LLVM's table; StaticInstruction::origin says how far down that went.
#pragma once

#include <memory>
#include <vector>

#include "engine/core_tables.h"
#include "engine/static_instruction.h"
#include "record/instruction.h"

namespace perfcast::engine {

class Resolver {
 public:
  // Both must outlive the resolver.
  Resolver(const CoreTables& tables, const std::vector<InstructionForm>& forms);
  ~Resolver();
  StaticInstruction resolve(const Instruction& instruction);

 private:
  struct Cache;
  const CoreTables& tables_;
  const std::vector<InstructionForm>& forms_;
  std::unique_ptr<Cache> cache_;
};

std::vector<StaticInstruction> resolve_all(const CoreTables& tables, const std::vector<InstructionForm>& forms,
                                           const std::vector<Instruction>& code);

// One more than the largest register unit any of them names.
int register_units(const std::vector<StaticInstruction>& code);

}  // namespace perfcast::engine
