#include "frontends/llvm_ir/ir_usage.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "frontends/llvm_ir/emulated.h"

namespace perfcast::llvm_ir {
namespace {

// By how much the scalable vectors of a function's CPU are longer than 128 bits, for which the IR writes them.
unsigned vscale_of(const llvm::Function& function) {
  if (const auto range = function.getFnAttribute(llvm::Attribute::VScaleRange); range.isValid() && range.getVScaleRangeMax() == range.getVScaleRangeMin())
    return range.getVScaleRangeMin();
  const std::string cpu = function.getFnAttribute("target-cpu").getValueAsString().str();
  const bool named = !cpu.empty() && cpu != "generic";
  const int bits = named ? scalable_bits(cpu) : scalable_bits_here().value_or(scalable_bits({}));
  return static_cast<unsigned>(bits) / 128;
}

// Intrinsics that the C library computes: "llvm.sin.f64" is sin, of float sinf, of long double sinl.
const char* library_routine(llvm::Intrinsic::ID id) {
  switch (id) {
    case llvm::Intrinsic::sin: return "sin";
    case llvm::Intrinsic::cos: return "cos";
    case llvm::Intrinsic::tan: return "tan";
    case llvm::Intrinsic::exp: return "exp";
    case llvm::Intrinsic::exp2: return "exp2";
    case llvm::Intrinsic::exp10: return "exp10";
    case llvm::Intrinsic::log: return "log";
    case llvm::Intrinsic::log2: return "log2";
    case llvm::Intrinsic::log10: return "log10";
    case llvm::Intrinsic::pow: return "pow";
    case llvm::Intrinsic::powi: return "powi";
    default: return nullptr;
  }
}

class Counter {
 public:
  Counter(const llvm::DataLayout& layout, unsigned vscale) : layout_(layout), vscale_(vscale) {}
  BlockUsage take() { return std::move(usage_); }

  void count(const llvm::Instruction& i) {
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) return count_call(*call);
    const llvm::Type* type = i.getType();
    switch (i.getOpcode()) {
      case llvm::Instruction::Load: add("load", type), bytes("bytes_loaded", type); break;
      case llvm::Instruction::Store: {
        const auto* stored = llvm::cast<llvm::StoreInst>(i).getValueOperand()->getType();
        add("store", stored), bytes("bytes_stored", stored);
        break;
      }
      case llvm::Instruction::AtomicRMW:
      case llvm::Instruction::AtomicCmpXchg: {
        const auto* value = i.getOperand(1)->getType();
        add(i.getOpcodeName(), value), bytes("bytes_loaded", value), bytes("bytes_stored", value);
        break;
      }
      case llvm::Instruction::FAdd:
      case llvm::Instruction::FSub:
      case llvm::Instruction::FMul:
      case llvm::Instruction::FDiv:
      case llvm::Instruction::FRem: add(i.getOpcodeName(), type), flops(type, 1); break;
      case llvm::Instruction::ICmp:
      case llvm::Instruction::FCmp: add_short(i.getOpcodeName(), i.getOperand(0)->getType()); break;
      case llvm::Instruction::Select:
      case llvm::Instruction::SExt:
      case llvm::Instruction::ZExt:
      case llvm::Instruction::Trunc: add_short(i.getOpcodeName(), type); break;
      case llvm::Instruction::GetElementPtr: add_word("gep"); break;
      case llvm::Instruction::PHI:
      case llvm::Instruction::Alloca:
      case llvm::Instruction::Switch:
      case llvm::Instruction::IndirectBr:
      case llvm::Instruction::Ret:
      case llvm::Instruction::BitCast:
      case llvm::Instruction::PtrToInt:
      case llvm::Instruction::IntToPtr:
      case llvm::Instruction::LandingPad:
      case llvm::Instruction::Resume:
      case llvm::Instruction::ExtractValue:
      case llvm::Instruction::InsertValue:
      case llvm::Instruction::Freeze:
      case llvm::Instruction::Unreachable: add_word(i.getOpcodeName()); break;
      case llvm::Instruction::Br: add_word(llvm::cast<llvm::BranchInst>(i).isConditional() ? "br" : "jump"); break;
      case llvm::Instruction::ExtractElement: add("extractelement", i.getOperand(0)->getType()); break;
      default: add(i.getOpcodeName(), type);
    }
  }

 private:
  void add_word(const std::string& name, double times = 1) { usage_.operations[name] += times; }
  void add(const std::string& name, const llvm::Type* type) { add_word(name + "." + type_name(type, vscale_)); }
  double times_scaled(llvm::TypeSize size) const { return static_cast<double>(size.getKnownMinValue()) * (size.isScalable() ? vscale_ : 1); }
  double lanes(const llvm::Type* type) const {
    const auto* vector = llvm::dyn_cast<llvm::VectorType>(type);
    return vector ? static_cast<double>(vector->getElementCount().getKnownMinValue()) * (llvm::isa<llvm::ScalableVectorType>(vector) ? vscale_ : 1) : 1;
  }
  // Operations whose cost is the same for all plain integers carry a type only where it is another.
  void add_short(const std::string& name, const llvm::Type* type) {
    if (type->isIntegerTy() || type->isPointerTy()) add_word(name);
    else add(name, type);
  }
  void flops(const llvm::Type* type, double each) { add_word("flops", each * lanes(type)); }
  void bytes(const char* name, const llvm::Type* type) {
    add_word(name, times_scaled(layout_.getTypeStoreSize(const_cast<llvm::Type*>(type))));
  }
  void call_routine(const std::string& name, double times = 1) {
    for (auto& call : usage_.calls)
      if (call.callee == name) {
        call.per_execution += times;
        return;
      }
    usage_.calls.push_back({name, times});
  }

  void count_call(const llvm::CallBase& call) {
    if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) return count_intrinsic(*intrinsic);
    if (call.isInlineAsm()) return add_word("asm");
    add_word("call");
    if (llvm::isa<llvm::InvokeInst>(call)) add_word("jump");
    const auto* callee = llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
    call_routine(callee ? callee->getName().str() : "*");
  }

  void count_intrinsic(const llvm::IntrinsicInst& call) {
    if (call.isAssumeLikeIntrinsic() || llvm::isa<llvm::DbgInfoIntrinsic>(call)) return;
    const llvm::Type* type = call.getType();
    const llvm::Intrinsic::ID id = call.getIntrinsicID();
    if (const auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&call)) return count_memory(*copy);
    if (const char* routine = library_routine(id)) {
      const llvm::Type* one = type->getScalarType();
      call_routine(std::string(routine) + (one->isFloatTy() ? "f" : one->isX86_FP80Ty() || one->isFP128Ty() ? "l" : ""), lanes(type));
      return add_word("call", lanes(type));
    }
    std::string name = llvm::Intrinsic::getBaseName(id).drop_front(5).str();  // without "llvm."
    if (id == llvm::Intrinsic::fma || id == llvm::Intrinsic::fmuladd) {
      name = "fma";
      flops(type, 2);
    } else if (id == llvm::Intrinsic::sqrt) {
      flops(type, 1);
    } else if (id == llvm::Intrinsic::vector_reduce_fadd || id == llvm::Intrinsic::vector_reduce_fmul) {
      flops(call.getArgOperand(1)->getType(), 1);
    } else if (id == llvm::Intrinsic::masked_load || id == llvm::Intrinsic::masked_gather) {
      bytes("bytes_loaded", type);
    } else if (id == llvm::Intrinsic::masked_store || id == llvm::Intrinsic::masked_scatter) {
      bytes("bytes_stored", call.getArgOperand(0)->getType());
    }
    if (type->isVoidTy() && call.arg_size() > 0) type = call.getArgOperand(0)->getType();
    if (name.starts_with("vector.reduce")) type = call.getArgOperand(call.arg_size() - 1)->getType();
    type->isVoidTy() ? add_word(name) : add(name, type);
  }

  // Copies and fills: short ones of known length are stores in place, others call the library.
  void count_memory(const llvm::MemIntrinsic& call) {
    const bool copies = llvm::isa<llvm::MemTransferInst>(call);
    const std::string name = llvm::isa<llvm::MemMoveInst>(call) ? "memmove" : copies ? "memcpy" : "memset";
    add_word(name);
    constexpr std::uint64_t in_place = 128;  // bytes; about where compilers begin to call the library
    const auto* length = llvm::dyn_cast<llvm::ConstantInt>(call.getLength());
    if (!length || length->getZExtValue() > in_place) call_routine(name);
    if (!length) return;
    const double n = static_cast<double>(length->getZExtValue());
    if (copies) add_word("bytes_loaded", n);
    add_word("bytes_stored", n);
  }

  const llvm::DataLayout& layout_;
  const unsigned vscale_;
  BlockUsage usage_;
};

}  // namespace

std::string type_name(const llvm::Type* type, unsigned vscale) {
  if (const auto* vector = llvm::dyn_cast<llvm::VectorType>(type)) {
    const auto count = vector->getElementCount();
    const std::string shape = !count.isScalable() || vscale ? "v" : "nxv";
    return shape + std::to_string(count.getKnownMinValue() * (count.isScalable() && vscale ? vscale : 1)) + type_name(vector->getElementType());
  }
  if (type->isIntegerTy()) return "i" + std::to_string(type->getIntegerBitWidth());
  if (type->isPointerTy()) return "ptr";
  if (type->isBFloatTy()) return "bf16";
  if (type->isX86_FP80Ty()) return "f80";
  if (type->isFloatingPointTy()) return "f" + std::to_string(type->getPrimitiveSizeInBits().getFixedValue());
  if (type->isStructTy()) return "struct";
  if (type->isArrayTy()) return "array";
  return type->isVoidTy() ? "void" : "other";
}

BlockUsage usage_of(const llvm::BasicBlock& block) {
  Counter counter(block.getModule()->getDataLayout(), vscale_of(*block.getParent()));
  for (const auto& instruction : block) counter.count(instruction);
  return counter.take();
}

}  // namespace perfcast::llvm_ir
