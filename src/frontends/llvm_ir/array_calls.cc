#include "frontends/llvm_ir/array_calls.h"

#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <optional>

namespace perfcast::llvm_ir {
namespace {

constexpr const char* prefix = "_FortranA";

struct Routine {
  const char* start;  // of its name, after the prefix
  const char* name;
  unsigned first;     // argument that holds the array; functions with a dimension or an array result have it second
  ArrayWork work = ArrayWork::of_first;
};

constexpr Routine routines[] = {{"Assign", "assign", 0, ArrayWork::of_source},
                                {"Matmul", "matmul", 1, ArrayWork::of_product},
                                {"Sum", "sum", 0},
                                {"Product", "product", 0},
                                {"Maxval", "maxval", 0},
                                {"Minval", "minval", 0},
                                {"DotProduct", "dot_product", 0},
                                {"Norm2", "norm2", 0},
                                {"Count", "count", 0},
                                {"Any", "any", 0},
                                {"All", "all", 0},
                                {"CppSum", "sum", 1},
                                {"CppProduct", "product", 1},
                                {"CppDotProduct", "dot_product", 1},
                                {"Maxloc", "maxloc", 1},
                                {"Minloc", "minloc", 1},
                                {"Cshift", "cshift", 1},
                                {"Eoshift", "eoshift", 1},
                                {"Pack", "pack", 1},
                                {"Reshape", "reshape", 1},
                                {"Spread", "spread", 1},
                                {"Transpose", "transpose", 1}};

std::optional<ArrayCall> array_call(llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee || !callee->getName().starts_with(prefix)) return std::nullopt;
  const llvm::StringRef rest = callee->getName().drop_front(std::char_traits<char>::length(prefix));
  // Allocate and AllocatableX begin like All.
  const auto* routine = std::ranges::find_if(routines, [&](const Routine& each) {
    return rest.starts_with(each.start) && !rest.starts_with("Alloc");
  });
  if (routine == std::end(routines)) return std::nullopt;
  ArrayCall found{&call, routine->name, routine->first, routine->first, routine->work};
  if (rest.ends_with("Dim")) found.first = found.second = 1;
  if (found.work != ArrayWork::of_first) found.second = found.first + 1;
  if (found.second >= call.arg_size()) return std::nullopt;
  for (unsigned index : {found.first, found.second})
    if (!call.getArgOperand(index)->getType()->isPointerTy()) return std::nullopt;
  return found;
}

}  // namespace

std::vector<ArrayCall> array_calls(llvm::Function& function) {
  std::vector<ArrayCall> calls;
  for (auto& block : function)
    for (auto& instruction : block)
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        if (auto found = array_call(*call)) calls.push_back(std::move(*found));
  return calls;
}

}  // namespace perfcast::llvm_ir
