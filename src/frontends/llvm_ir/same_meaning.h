// Whether sources mean the same to two targets. The front end settles everything in which targets differ before any
// optimisation: the layouts of the system's structures, the values of its constants (O_DIRECTORY, FE_UPWARD, SYS_gettid),
// what #ifdef chooses, and how arguments are passed. So the same sources are compiled for both, and where the early IR
// agrees in all that a library can see, IR made for one target calls the libraries of the other rightly. How functions of
// the program call each other may differ: they do so among themselves.
#pragma once

#include <llvm/IR/Module.h>

#include <string>

namespace perfcast::llvm_ir {

// The first difference between the early IR of one source for two targets: "the layout of struct.stat"; empty: none.
std::string difference_in_meaning(const llvm::Module& one, const llvm::Module& other);

}  // namespace perfcast::llvm_ir
