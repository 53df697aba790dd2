// A profile of one run becomes a profile of all sizes: the counted program is run at a handful of small sizes it
// chooses, every block's count is reconstructed as an expression in the parameters, checked on sizes not used, and the
// memory behaviour is taken at two more sizes.
#pragma once

#include <functional>
#include <optional>

#include "frontends/llvm_ir/instrument.h"
#include "frontends/scaling/sizes.h"
#include "record/profile.h"

namespace perfcast::scaling {

struct ScalingOptions {
  llvm_ir::CountOptions count;          // arguments of the recorded run
  std::map<std::string, int> parameters;  // name and number of the argument
  SizeOptions sizes;
  bool memory = true;
  // The source level with the counts of a run of the early stage (of the final one where both are the same).
  std::function<std::optional<Graph>(const llvm_ir::CountedRun&)> source;
  const llvm_ir::CompiledProgram* code = nullptr;  // whose machine code the profile holds; null: the counted program's
  bool one_stage = false;               // early and final IR are the same: one run serves both levels
  // The code of libraries, traced to the end with these arguments; none where that takes too long.
  std::function<std::optional<Graph>(const std::vector<std::string>&)> library;
  std::function<void(const std::string&)> progress;
};

// Fills `profile.scaling` and the expressions of its counts; `recorded` is the run the profile comes from. What goes
// wrong (sizes that fail, a parameter without effect) becomes remarks and gaps: the recorded counts stay.
Status add_scaling(const llvm_ir::CompiledProgram& program, const llvm_ir::CountedRun& recorded, const ScalingOptions& options, Profile& profile);

}  // namespace perfcast::scaling
