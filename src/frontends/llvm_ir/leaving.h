// Calls that may not come back to the instruction after them: because they throw, exit, jump away, or come back twice.
// Known for a whole program, since a call of a function whose body is in another unit is as safe as that body.
#pragma once

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <map>
#include <span>
#include <string>

namespace perfcast::llvm_ir {

struct Leaving {
  bool throws = false;  // an exception may come out of it
  bool exits = false;   // exit, longjmp, exec, fork, setjmp: control may be lost or doubled
  bool operator==(const Leaving&) const = default;
};

class LeavingCalls {
 public:
  // Looks at all bodies and follows calls to a fixed point. A call through a pointer may do anything.
  explicit LeavingCalls(std::span<llvm::Module* const> modules);

  Leaving of(const llvm::CallBase& call) const;
  // Whether control may get lost between the block's first instruction and its terminator's edges.
  bool in_block(const llvm::BasicBlock& block) const;

 private:
  Leaving of_body(const llvm::Function& function) const;
  // Internal functions are known by their module as well.
  std::map<std::pair<const llvm::Module*, std::string>, Leaving> bodies_;
};

}  // namespace perfcast::llvm_ir
