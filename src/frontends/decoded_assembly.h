// Assembler text as the engine sees it: assembled by clang for any instruction set, decoded with LLVM's tables of a CPU.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/instruction.h"

namespace perfcast {

struct DecodedAssembly {
  std::vector<InstructionForm> forms;
  std::map<std::string, std::vector<Instruction>> functions;  // by the name of their symbol
};

// An error names a CPU that LLVM does not know. `cpu` empty: a recent server core of the instruction set.
Result<DecodedAssembly> decode_assembly(const std::string& text, const std::string& isa, const std::string& cpu);

}  // namespace perfcast
