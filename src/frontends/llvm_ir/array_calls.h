// Calls of Flang's run-time library that work on whole arrays: assignments, sums, products of matrices. How many
// elements they touched stands in the arrays' descriptors while the program runs, so each such call has a counter that
// adds them up.
#pragma once

#include <string>
#include <vector>

namespace llvm {
class CallInst;
class Function;
}  // namespace llvm

namespace perfcast::llvm_ir {

// How the number of elements follows from the descriptors (data/runtime/counts.c knows these numbers).
enum class ArrayWork { of_first = 0, of_source = 1, of_product = 2 };

struct ArrayCall {
  llvm::CallInst* call = nullptr;
  std::string routine;                // "assign", "sum", "matmul"
  unsigned first = 0, second = 0;     // arguments that are descriptors
  ArrayWork work = ArrayWork::of_first;
};

// In the order of the code.
std::vector<ArrayCall> array_calls(llvm::Function& function);

}  // namespace perfcast::llvm_ir
