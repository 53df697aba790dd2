// The vocabulary of IR operations: what one block does in one execution.
#pragma once

#include <llvm/IR/BasicBlock.h>

#include <map>
#include <string>
#include <vector>

#include "record/profile.h"

namespace perfcast::llvm_ir {

struct BlockUsage {
  std::map<std::string, double> operations;
  std::vector<Call> calls;  // routines, by linkage name, intrinsics that become routines too; "*" through a pointer
};

BlockUsage usage_of(const llvm::BasicBlock& block);

// "f64", "v4i32", "ptr"; scalable vectors "nxv2f64", or by the length they have: "v4f64" where that is twice 128 bits.
std::string type_name(const llvm::Type* type, unsigned vscale = 0);

}  // namespace perfcast::llvm_ir
