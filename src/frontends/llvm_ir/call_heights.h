// How deep calls nest below each call of a recursive function. A core remembers the return addresses of its last calls
// only; a return is predicted when fewer calls than that nested below its own at once (machine_code/lost_returns.h). So
// each recursive function counts its returns by that height, exactly, from `least_height` on.
//
// Two words of every thread say how deep the call that runs lies, counted in recursive functions, and how deep the
// deepest lay since the youngest of them was entered. A frame keeps its own depth, so that exceptions and longjmp,
// which pass returns by, leave nothing wrong behind. Calls made in place of a return (tail calls) take the depth of
// their caller. Not seen: functions that are on no cycle of the call graph, library routines and what they call back.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <set>
#include <span>
#include <string>

namespace perfcast::llvm_ir {

constexpr int least_height = 8, most_height = 64;  // one counter for each; the last for all that are higher
constexpr int height_counters = most_height - least_height + 1;

// Functions that may lie below themselves on the stack, and those between two such: followed over all units, calls
// through a pointer to every function of that type whose address is taken.
class RecursiveFunctions {
 public:
  RecursiveFunctions() = default;
  explicit RecursiveFunctions(std::span<llvm::Module* const> modules);
  bool contains(const llvm::Function& function) const { return found_.contains(key(function)); }

 private:
  using Key = std::pair<const llvm::Module*, std::string>;  // internal functions are known by their module as well
  static Key key(const llvm::Function& function);
  std::set<Key> found_;
};

// Watches entries and returns of a function; `count` adds one to the counter with this number (i64, from 0).
void track_heights(llvm::Function& function, const std::function<void(llvm::IRBuilder<>&, llvm::Value*)>& count);

}  // namespace perfcast::llvm_ir
