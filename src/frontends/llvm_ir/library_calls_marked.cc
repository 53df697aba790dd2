#include "frontends/llvm_ir/library_calls_marked.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <map>
#include <optional>

#include "frontends/llvm_ir/insert_counters.h"

namespace perfcast::llvm_ir {
namespace {

// Copies of so few bytes, where their number is known, are instructions.
constexpr std::uint64_t few_bytes = 128;

// The routine that code generation calls for an intrinsic; none: instructions, or we do not know.
std::optional<std::string> routine_of(const llvm::IntrinsicInst& call) {
  if (const auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&call)) {
    const auto* length = llvm::dyn_cast<llvm::ConstantInt>(memory->getLength());
    if (length && length->getZExtValue() <= few_bytes) return {};
    return llvm::isa<llvm::MemSetInst>(call) ? "memset" : llvm::isa<llvm::MemMoveInst>(call) ? "memmove" : "memcpy";
  }
  std::string name = llvm::Intrinsic::getBaseName(call.getIntrinsicID()).str();
  static const std::set<std::string> mathematical = {"llvm.sin", "llvm.cos", "llvm.tan", "llvm.exp", "llvm.exp2", "llvm.exp10", "llvm.log", "llvm.log2", "llvm.log10", "llvm.pow"};
  if (!mathematical.contains(name)) return {};
  const llvm::Type* type = call.getType()->getScalarType();
  return name.substr(name.find('.') + 1) + (type->isFloatTy() ? "f" : type->isDoubleTy() ? "" : "l");
}

std::optional<std::string> routine_of(const llvm::CallBase& call, const std::set<std::string>& own) {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || own.contains(callee->getName().str())) return {};
  if (callee->getName().starts_with("__perfcast_")) return {};
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) return routine_of(*intrinsic);
  // Nothing may stand behind these, or it would run twice.
  if (call.isMustTailCall() || call.hasFnAttr(llvm::Attribute::ReturnsTwice) || llvm::isa<llvm::CallBrInst>(call)) return {};
  return callee->getName().str();
}

class Marker {
 public:
  explicit Marker(llvm::GlobalVariable& counts)
      : type_(llvm::Type::getInt64Ty(counts.getContext())),
        word_(llvm::ConstantExpr::getInBoundsGetElementPtr(type_, &counts, llvm::ConstantInt::get(type_, routine_word))) {}

  // A routine may call back: what was there before comes back with its end.
  void mark(llvm::CallBase& call, int number) {
    llvm::IRBuilder<> before(&call);
    llvm::Value* outer = before.CreateLoad(type_, word_, true);
    before.CreateStore(before.getInt64(static_cast<std::uint64_t>(number)), word_, true);
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call)) {
      llvm::BasicBlock* next = llvm::SplitEdge(invoke->getParent(), invoke->getNormalDest());
      set_at(*next->getFirstInsertionPt(), outer);
      pads_.insert(invoke->getUnwindDest());
    } else if (!call.doesNotReturn()) {
      set_at(*call.getNextNode(), outer);
    }
  }
  // Who catches an exception is back in the program.
  void finish() {
    for (llvm::BasicBlock* pad : pads_)
      if (pad->isLandingPad()) set_at(*pad->getFirstInsertionPt(), llvm::ConstantInt::get(type_, 0));
  }

 private:
  void set_at(llvm::Instruction& place, llvm::Value* value) { llvm::IRBuilder<>(&place).CreateStore(value, word_, true); }
  llvm::Type* type_;
  llvm::Constant* word_;
  std::set<llvm::BasicBlock*> pads_;
};

}  // namespace

std::vector<std::string> mark_library_calls(llvm::Module& module, const std::set<std::string>& own) {
  llvm::GlobalVariable* counts = module.getNamedGlobal(counts_name);
  if (!counts) return {};
  std::vector<std::pair<llvm::CallBase*, int>> calls;
  std::vector<std::string> routines;
  std::map<std::string, int> numbers;
  for (llvm::Function& function : module) {
    if (function.hasFnAttribute(llvm::Attribute::Naked)) continue;
    for (llvm::BasicBlock& block : function)
      for (llvm::Instruction& instruction : block) {
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        const auto routine = call ? routine_of(*call, own) : std::nullopt;
        if (!routine) continue;
        const auto [known, fresh] = numbers.try_emplace(*routine, static_cast<int>(routines.size()) + 1);
        if (fresh) routines.push_back(*routine);
        calls.emplace_back(call, known->second);
      }
  }
  Marker marker(*counts);
  for (auto [call, number] : calls) marker.mark(*call, number);
  marker.finish();
  return routines;
}

}  // namespace perfcast::llvm_ir
