// Source positions of IR, as records spell them.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

#include "frontends/source_path.h"
#include "frontends/written_name.h"
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

// Where a loop starts. Clang notes it with the loop; else it is the first line of its code that lies in no loop inside it. A loop around
// calls that were inlined is written where the outermost of its code is.
inline const llvm::DILocation* start_of(const llvm::Loop& loop) {
  const llvm::DILocation* start = loop.getStartLoc().get();
  if (start && start->getLine() == 0) start = nullptr;
  if (const llvm::MDNode* noted = loop.getLoopID())
    for (const llvm::MDOperand& operand : noted->operands())
      if (llvm::isa_and_nonnull<llvm::DILocation>(operand.get())) return start;
  auto depth = [](const llvm::DILocation* at) {
    int inlined = 0;
    while ((at = at->getInlinedAt())) inlined++;
    return inlined;
  };
  auto before = [&](const llvm::DILocation* a, const llvm::DILocation* b) {
    if (depth(a) != depth(b)) return depth(a) < depth(b);
    if (a->getInlinedAt() != b->getInlinedAt() || a->getFilename() != b->getFilename()) return false;
    return a->getLine() != b->getLine() ? a->getLine() < b->getLine() : a->getColumn() < b->getColumn();
  };
  for (const llvm::BasicBlock* block : loop.blocks()) {
    const bool inside = std::any_of(loop.begin(), loop.end(), [&](const llvm::Loop* inner) { return inner->contains(block); });
    for (const llvm::Instruction& instruction : *block)
      if (const llvm::DILocation* at = instruction.getDebugLoc().get(); !inside && at && at->getLine() > 0 && (!start || before(at, start))) start = at;
  }
  return start;
}

// Copies of one loop (vectorised, unrolled, remainder, inlined) all start at the same place.
inline Location location_of(const llvm::Loop& loop) {
  Location at = location_of(start_of(loop));
  return at.known() ? at : location_of(*loop.getHeader());
}

// The function a loop is written in, as that is called where it is linked: instances of a template are different loops at one place.
inline std::string written_in(const llvm::Loop& loop) {
  const llvm::Function& function = *loop.getHeader()->getParent();
  const llvm::DILocation* at = start_of(loop);
  const llvm::DISubprogram* subprogram = at ? at->getScope()->getSubprogram() : function.getSubprogram();
  if (!subprogram) return written_name(function.getName().str());
  std::string linkage = subprogram->getLinkageName().str();
  return linkage.empty() ? subprogram->getName().str() : written_name(linkage);
}

}  // namespace perfcast::llvm_ir
