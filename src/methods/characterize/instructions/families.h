// Which bundled core a processor's measurements are written into.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "record/core.h"

namespace perfcast::instructions {

struct Family {
  std::string core;      // "emerald-rapids"; empty: none
  std::string llvm_cpu;  // "sapphirerapids"
};
// Which bundled core is of the same family as the processor described by `cpuinfo` (the text of /proc/cpuinfo).
Result<Family> family_of(const std::string& cpuinfo, const std::string& isa);

// A core of the instruction set with little that is special.
std::string usual_core(const std::string& isa);
// The core that measurements are written into: the family's, of data/machines or data/cores; where there is none, the usual
// one of the instruction set.
Result<CoreModel> frame_of(const Family& family, const std::string& isa);
// The names of all cores that families.txt knows for an instruction set, the usual one first.
Result<std::vector<std::string>> cores_of(const std::string& isa);

}  // namespace perfcast::instructions
