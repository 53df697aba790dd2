// The essential operations of one loop of IR that was neither vectorised nor unrolled (Lee and Davidson 1994, section
// 3.2): see record/source_loop.h for what counts. What lies in inner loops is theirs.
#pragma once

#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>

#include "record/source_loop.h"

namespace perfcast::llvm_ir {

struct LoopAnalyses {
  const llvm::LoopInfo& loops;
  llvm::ScalarEvolution& scalars;
  const llvm::BlockFrequencyInfo& frequencies;
};

// Fills operations, flops, references, calls and branches.
void add_essential_operations(const llvm::Loop& loop, const LoopAnalyses& analyses, SourceLoop& out);

// How often a block of the loop runs per iteration; at most once.
double weight_of(const llvm::BasicBlock& block, const llvm::Loop& loop, const LoopAnalyses& analyses);

// An addition that takes up a multiplication and becomes one fused operation; nullptr where there is none. Each
// multiplication is taken up once and must have no other user.
const llvm::Instruction* fused_product(const llvm::Instruction& sum);

// A negation that only sums and fused operations take up, of a summand or a factor in it: they come with either sign.
bool sign_taken_up(const llvm::Instruction& instruction);

// The comparison of the two numbers that a choice chooses from: both together are one maximum or minimum. nullptr: another choice.
const llvm::Instruction* compared_for(const llvm::Instruction& choice);

// The product or the difference of a remainder that is written as x - x / d * d, as compilers do: the division gives it too.
bool comes_with_division(const llvm::Instruction& instruction);

// The name of an operation without its type, for those that are worth counting; empty for the rest.
std::string operation_name(const llvm::Instruction& instruction);

// Fills recurrences, slowest first; the last is one that no reassociation breaks, if there is any such.
void add_recurrences(const llvm::Loop& loop, const LoopAnalyses& analyses, SourceLoop& out);

// A load or store, by the loop's view of its address.
struct PlacedAccess {
  const llvm::Instruction* instruction = nullptr;
  const llvm::SCEV* address = nullptr;
  bool store = false;
  int bytes = 0;
  int group = 0;               // accesses of a group are constant distances apart
  std::int64_t offset = 0;     // from the group's first
  std::optional<std::int64_t> stride;  // bytes per iteration; none: not constant
};
std::vector<PlacedAccess> place_accesses(const llvm::Loop& loop, const LoopAnalyses& analyses);

}  // namespace perfcast::llvm_ir
