#include "frontends/machine_code/lost_returns.h"

#include <map>

namespace perfcast::machine_code {

void add_lost_returns(const std::vector<llvm_ir::UnitCounts>& counts, const std::vector<InstructionForm>& forms, Graph& machine) {
  std::map<std::string, double> lost;
  for (const auto& unit : counts)
    for (const auto& function : unit.functions)
      for (auto [height, returns] : function.heights)
        if (height >= return_stack_entries) lost[function.unique] += returns;
  auto ends_in_return = [&](const Block& block) {
    return !block.code.empty() && forms[static_cast<std::size_t>(block.code.back().form)].ret;
  };
  for (Function& function : machine.functions) {
    auto known = lost.find(function.name);
    if (known == lost.end()) continue;
    double returns = 0;
    for (const Block& block : function.blocks)
      if (ends_in_return(block)) returns += block.count.value;
    for (Block& block : function.blocks)
      if (returns > 0 && block.count.value > 0 && ends_in_return(block))
        block.mispredicted = block.mispredicted.value_or(Mispredictions()) + Mispredictions(known->second * block.count.value / returns);
  }
}

}  // namespace perfcast::machine_code
