// Chains of dependent operations through one iteration of a loop, from what earlier iterations left. Where control has several
// ways, each counts by how often it is taken.
#pragma once

#include <llvm/IR/Instructions.h>

#include <map>
#include <set>
#include <string>

#include "frontends/llvm_ir/essential.h"

namespace perfcast::llvm_ir {

// Rough latency of an operation, to tell longer chains from shorter ones; the machine's own numbers cost them later.
double rough_cycles(const llvm::Instruction& instruction);

struct Chain {
  double cycles = 0;                         // rough
  std::map<std::string, double> operations;  // in the vocabulary of the IR level
  void add(const Chain& other, double times);
};

class Chains {
 public:
  using Values = std::set<const llvm::Instruction*>;

  // `on_cycle`: the cycle of dependences looked at; `carried`: those of its values that earlier iterations made.
  Chains(const llvm::Loop& loop, const LoopAnalyses& analyses, Values on_cycle, Values carried)
      : loop_(loop), analyses_(analyses), on_cycle_(std::move(on_cycle)), carried_(std::move(carried)) {}

  // From the carried values to this one; empty where it does not depend on them.
  Chain to(const llvm::Value* value);

  bool carries(const llvm::Instruction& instruction) const { return carried_.contains(&instruction); }
  // Whether a value of this iteration is made of one of the carried ones.
  bool depends(const llvm::Value* value) const { return depends(value, false); }
  // Or, in this iteration or an earlier one, of anything on the cycle.
  bool ever_depends(const llvm::Value* value) const { return depends(value, true); }

  // How often a choice takes its first or second value; 0 and 0: nobody counted it.
  static double taken(const llvm::SelectInst& choice, bool first);
  // How often per iteration control comes to a meeting point by its k-th way.
  double entered(const llvm::PHINode& phi, unsigned k) const;

 private:
  bool depends(const llvm::Value* value, bool ever) const;
  Chain into(const llvm::Instruction& instruction, const llvm::Instruction*& longest_from);
  Chain through(const llvm::Instruction& instruction);

  const llvm::Loop& loop_;
  const LoopAnalyses& analyses_;
  Values on_cycle_, carried_;
  std::map<const llvm::Instruction*, Chain> known_;
};

}  // namespace perfcast::llvm_ir
