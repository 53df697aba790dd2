// What x87 instructions do to their stack of eight registers. LLVM's machine level knows of it only that the status word
// changes; here each instruction reads and writes registers counted from the top, and pushes or pops. A decoder that
// keeps the top in mind turns that into eight plain registers, so that dependences run as they do in the core.
#pragma once

#include <string>
#include <vector>

namespace perfcast::machine_code {

// Registers are counted from the top as it is before the instruction; -1 is the one that it pushes.
struct X87Effect {
  std::vector<int> reads, writes;
  int pushes = 0, pops = 0;
  bool operator==(const X87Effect&) const = default;
};

// By LLVM's name of the opcode; `operand` is the i of an operand st(i). `known` is false for all other instructions.
struct X87Reading {
  bool known = false;
  X87Effect effect;
};
X87Reading x87_effect(const std::string& opcode, int operand);

}  // namespace perfcast::machine_code
