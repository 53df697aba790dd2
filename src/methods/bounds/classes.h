// What instructions are, by the classes K-MACSTAT counts (section 6.2), for both instruction sets and for machines
// whose opcodes are written by hand (FADD, FMA, LOAD, ...).
#pragma once

#include <span>

#include "methods/bounds/loops.h"

namespace perfcast::bounds {

enum class Kind { add, multiply, fused, divide, other_float, integer, load, store, branch, copy, call, nop, other };

struct Classified {
  Kind kind = Kind::other;
  bool also_load = false, also_store = false;  // arithmetic with an operand in memory
  double flops = 0;                            // of one execution, all lanes
  int lanes = 1;                               // elements that floating-point arithmetic works on
  bool single = false;                         // ... of single precision
  bool real = false;                           // works on floating-point numbers, or moves them as far as can be told
  bool spill = false;                          // a load or store of a fixed place on the stack
};
Classified classify(const InstructionForm& form, const Instruction& instruction);

void count(const Classified& instruction, double times, OperationClasses& into);
// Per source iteration of the group.
OperationClasses compiled_classes(const Profile& profile, const LoopGroup& group);
OperationClasses essential_classes(const SourceLoop& needs);

// Whether an instruction that names vector registers works on whole vectors, on one element, or tells nothing (moves
// between registers, constants, sign changes, shuffles).
enum class Packing { packed, scalar, neither };
Packing packing_of(const InstructionForm& form, const Instruction& instruction, const std::string& isa);

// Vectors that most of the group's work uses by packed instructions, bits, integer arithmetic included; 0: scalar code.
int vector_bits_used(const Profile& profile, const LoopGroup& group);

}  // namespace perfcast::bounds
