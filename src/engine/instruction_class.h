// What an instruction is for: the classes of service that a program's executed instructions divide into.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/pipeline.h"
#include "record/instruction.h"

namespace perfcast::engine {

enum class InstructionClass : std::uint8_t { integer, floating, vector, load, store, branch };
inline constexpr std::size_t instruction_classes = 6;
const char* name_of(InstructionClass instruction_class);

// An instruction that also loads or stores is a load or a store; packed arithmetic is told from scalar arithmetic in
// vector registers, and from plain moves, by LLVM's opcode name.
InstructionClass class_of(const InstructionForm& form);

// Executed instructions of each class, and the cycles that fell on them, by what held up their retirement.
struct ClassUse {
  double instructions = 0;
  std::array<double, causes> by_cause{};
};
using ClassUses = std::array<ClassUse, instruction_classes>;

}  // namespace perfcast::engine
