// Source positions of IR, as records spell them.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IntrinsicInst.h>

#include "frontends/source_path.h"
#include "record/gap.h"

namespace perfcast::llvm_ir {

inline Location location_of(const llvm::DILocation* at) {
  if (!at || at->getLine() == 0) return {};
  return {source_path(at->getFilename().str(), at->getDirectory().str()), static_cast<int>(at->getLine()),
          static_cast<int>(at->getColumn())};
}

// The first position in a block: of inlined code, the line it was written on.
inline Location location_of(const llvm::BasicBlock& block) {
  for (const auto& instruction : block) {
    if (llvm::isa<llvm::PHINode>(instruction) || llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) continue;
    if (Location at = location_of(instruction.getDebugLoc().get()); at.known()) return at;
  }
  return {};
}

// Where a loop starts: copies of one loop (vectorised, unrolled, remainder, inlined) all start at the same place.
inline Location location_of(const llvm::Loop& loop) {
  Location at = location_of(loop.getStartLoc().get());
  return at.known() ? at : location_of(*loop.getHeader());
}

}  // namespace perfcast::llvm_ir
