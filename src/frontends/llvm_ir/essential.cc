#include "frontends/llvm_ir/essential.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <set>

#include "frontends/llvm_ir/ir_usage.h"
#include "frontends/llvm_ir/location.h"

namespace perfcast::llvm_ir {
namespace {

using llvm::Instruction, llvm::Value;

// A counter, or what an address is made of: steps by the same amount each time, so addressing modes and loop control
// swallow it.
bool steps_evenly(const Value* value, const llvm::Loop& loop, llvm::ScalarEvolution& scalars) {
  if (!scalars.isSCEVable(value->getType())) return false;
  const llvm::SCEV* form = scalars.getSCEV(const_cast<Value*>(value));
  if (scalars.isLoopInvariant(form, &loop)) return true;
  auto* steps = llvm::dyn_cast<llvm::SCEVAddRecExpr>(form);
  return steps && steps->isAffine();
}

const Value* address_of(const Instruction& i) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) return load->getPointerOperand();
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) return store->getPointerOperand();
  return nullptr;
}

// Everything that stored values, results and decisions of the loop depend on, short of addresses and counters.
class Needed {
 public:
  Needed(const llvm::Loop& loop, llvm::ScalarEvolution& scalars) : loop_(loop), scalars_(scalars) {
    for (const llvm::BasicBlock* block : loop.blocks())
      for (const Instruction& i : *block) {
        if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) mark(store->getValueOperand()), mark_address(store->getPointerOperand());
        else if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(&i)) {
          if (branch->isConditional()) mark_condition(branch->getCondition());
        } else if (auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&i)) mark(choice->getCondition());
        else if (auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&i)) {
          mark_address(copy->getRawDest()), mark(copy->getLength());
          auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(copy);
          transfer ? mark_address(transfer->getRawSource()) : mark(copy->getArgOperand(1));
        }
        else if (i.mayHaveSideEffects() && !llvm::isa<llvm::DbgInfoIntrinsic>(i)) {
          for (const Value* operand : i.operands()) mark(operand);
          needed_.insert(&i);
        } else if (used_outside(i) && !steps_evenly(&i, loop_, scalars_)) mark(&i);
      }
  }
  bool contains(const Instruction& i) const { return needed_.contains(&i); }

 private:
  bool used_outside(const Instruction& i) const {
    return std::any_of(i.user_begin(), i.user_end(), [&](const llvm::User* user) {
      auto* other = llvm::dyn_cast<Instruction>(user);
      return other && !loop_.contains(other);
    });
  }
  // A test of a counter against a fixed bound closes the loop: bookkeeping.
  void mark_condition(const Value* condition) {
    auto* compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
    if (compare && steps_evenly(compare->getOperand(0), loop_, scalars_) && steps_evenly(compare->getOperand(1), loop_, scalars_)) return;
    mark(condition);
  }
  // An address made of loaded values needs those; how they are added up is the addressing mode's business.
  void mark_address(const Value* address) {
    if (steps_evenly(address, loop_, scalars_)) return;
    auto* i = llvm::dyn_cast<Instruction>(address);
    if (!i || !loop_.contains(i)) return;
    if (llvm::isa<llvm::GetElementPtrInst>(i) || llvm::isa<llvm::CastInst>(i)) {
      for (const Value* operand : i->operands()) mark_address(operand);
      return;
    }
    mark(address);
  }
  void mark(const Value* value) {
    std::vector<const Value*> work{value};
    while (!work.empty()) {
      auto* i = llvm::dyn_cast<Instruction>(work.back());
      work.pop_back();
      if (!i || !loop_.contains(i) || !needed_.insert(i).second) continue;
      if (const Value* address = address_of(*i)) {
        mark_address(address);
        continue;
      }
      if (steps_evenly(i, loop_, scalars_)) continue;  // counted once, its operands are counters
      for (const Value* operand : i->operands()) work.push_back(operand);
    }
  }

  const llvm::Loop& loop_;
  llvm::ScalarEvolution& scalars_;
  std::set<const Instruction*> needed_;
};

// Equation 4.1: comparisons, maxima, changes of sign and rounding are operations too, choices and conversions are not.
double flops_of(const std::string& name, const llvm::Type& type) {
  static const std::set<std::string> one = {"fadd", "fmul", "fdiv", "frem", "sqrt", "fcmp", "fmax", "fneg"};
  const bool rounds = name == "fptosi" && type.isFPOrFPVectorTy();
  return name == "fma" ? 2 : one.contains(name) || rounds ? 1 : 0;
}

std::string array_name(const llvm::SCEV* address, llvm::ScalarEvolution& scalars) {
  const auto* base = llvm::dyn_cast<llvm::SCEVUnknown>(scalars.getPointerBase(address));
  if (!base) return "";
  std::string name = base->getValue()->getName().str();
  return name.substr(0, name.find(".addr"));
}

// Strides of the loop and of the loops around it.
std::vector<std::optional<double>> strides_of(const llvm::SCEV* address, const llvm::Loop& loop, llvm::ScalarEvolution& scalars) {
  std::vector<std::optional<double>> strides;
  for (const llvm::Loop* around = &loop; around; around = around->getParentLoop()) {
    auto* steps = llvm::dyn_cast<llvm::SCEVAddRecExpr>(address);
    if (steps && steps->getLoop() == around) {
      auto* step = llvm::dyn_cast<llvm::SCEVConstant>(steps->getStepRecurrence(scalars));
      strides.push_back(step ? std::optional(static_cast<double>(step->getAPInt().getSExtValue())) : std::nullopt);
      address = steps->getStart();
    } else if (scalars.isLoopInvariant(address, around)) {
      strides.push_back(0);
    } else {
      strides.push_back(std::nullopt);
    }
  }
  return strides;
}

std::string type_of(const Instruction& i) {
  auto* store = llvm::dyn_cast<llvm::StoreInst>(&i);
  return type_name(store ? store->getValueOperand()->getType() : i.getType());
}

// At least half of the bytes that a step covers, or that lie between the first and the last element of an iteration, are
// used: whole vectors bring them, and some bytes besides.
bool mostly_used(const Reference& reference) {
  const double used = 2 * reference.elements * reference.element_bytes;
  const bool step = reference.affine() && std::abs(*reference.stride_bytes[0]) <= used;
  return reference.elements > 0 && (step || (reference.elements > 1 && reference.span_bytes + reference.element_bytes <= used));
}

// One group of references: how many distinct elements an iteration needs that no earlier one had, loads and stores.
// Two references with stride s touch the same elements when their offsets differ by a multiple of s; the one that is
// ahead meets an element first. An element that the loop itself stored is not loaded.
void add_group(const std::vector<const PlacedAccess*>& group, const llvm::Loop& loop, const LoopAnalyses& analyses, SourceLoop& out) {
  const PlacedAccess& first = *group.front();
  std::map<std::int64_t, std::vector<const PlacedAccess*>> classes;
  std::int64_t low = first.offset, high = first.offset;
  for (const PlacedAccess* access : group) {
    std::int64_t key = access->offset, step = first.stride ? std::abs(*first.stride) : 0;
    if (step) key = ((key % step) + step) % step;
    classes[key].push_back(access);
    low = std::min(low, access->offset), high = std::max(high, access->offset);
  }
  bool invariant = first.stride && *first.stride == 0;
  for (bool store : {false, true}) {
    Reference reference;
    reference.store = store, reference.elements = reference.written = 0;
    for (auto& [key, members] : classes) {
      double most = 0;
      const PlacedAccess* ahead = nullptr;
      for (const PlacedAccess* access : members) {
        bool before = ahead && first.stride && (*first.stride > 0 ? access->offset > ahead->offset : access->offset < ahead->offset);
        if (!ahead || before) ahead = access;
        if (access->store != store) continue;
        double weight = weight_of(*access->instruction->getParent(), loop, analyses);
        most = std::max(most, weight), reference.written += weight;
        if (!reference.line) reference.line = location_of(access->instruction->getDebugLoc().get()).line;
        reference.type = type_of(*access->instruction), reference.element_bytes = access->bytes;
      }
      if (!store && ahead && ahead->store) most = 0;
      if (!invariant) reference.elements += most;
    }
    if (reference.written == 0) continue;
    reference.array = array_name(first.address, analyses.scalars);
    reference.stride_bytes = strides_of(first.address, loop, analyses.scalars);
    reference.span_bytes = static_cast<double>(high - low);
    reference.side_by_side = !reference.contiguous() && !invariant && mostly_used(reference);
    out.references.push_back(reference);
  }
}

// A copy or fill of known length, as of a structure: loads and stores of words that lie side by side. A long one is a library's.
bool add_copy(const Instruction& i, double weight, const llvm::Loop& loop, const LoopAnalyses& analyses, SourceLoop& out) {
  auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&i);
  auto* length = copy ? llvm::dyn_cast<llvm::ConstantInt>(copy->getLength()) : nullptr;
  if (!length) return false;
  const std::uint64_t bytes = length->getZExtValue();
  constexpr std::uint64_t longest = 256;  // what code generators write out
  if (bytes > longest) return false;
  int word = 8;
  while (bytes % static_cast<std::uint64_t>(word)) word /= 2;
  auto add = [&](const Value* pointer, bool store) {
    const llvm::SCEV* address = analyses.scalars.getSCEV(const_cast<Value*>(pointer));
    Reference reference;
    reference.array = array_name(address, analyses.scalars), reference.store = store;
    reference.element_bytes = word, reference.type = "i" + std::to_string(8 * word);
    reference.written = weight * static_cast<double>(bytes) / word, reference.line = location_of(i.getDebugLoc().get()).line;
    reference.stride_bytes = strides_of(address, loop, analyses.scalars);
    reference.elements = reference.affine() && *reference.stride_bytes[0] == 0 ? 0 : reference.written;
    reference.span_bytes = static_cast<double>(bytes) - word, reference.side_by_side = true;
    out.references.push_back(reference);
  };
  if (bytes == 0) return true;
  if (auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(copy)) add(transfer->getRawSource(), false);
  add(copy->getRawDest(), true);
  return true;
}

}  // namespace

std::vector<PlacedAccess> place_accesses(const llvm::Loop& loop, const LoopAnalyses& analyses) {
  std::vector<PlacedAccess> placed;
  std::vector<std::size_t> first_of_group;
  const llvm::DataLayout& layout = loop.getHeader()->getModule()->getDataLayout();
  for (const llvm::BasicBlock* block : loop.blocks()) {
    if (analyses.loops.getLoopFor(block) != &loop) continue;
    for (const Instruction& i : *block) {
      const Value* pointer = address_of(i);
      if (!pointer) continue;
      PlacedAccess access{&i, analyses.scalars.getSCEV(const_cast<Value*>(pointer)), llvm::isa<llvm::StoreInst>(i), 0, -1, 0, {}};
      auto* stored = llvm::dyn_cast<llvm::StoreInst>(&i);
      access.bytes = static_cast<int>(layout.getTypeStoreSize(stored ? stored->getValueOperand()->getType() : i.getType()).getKnownMinValue());
      if (auto strides = strides_of(access.address, loop, analyses.scalars); strides[0]) access.stride = static_cast<std::int64_t>(*strides[0]);
      for (std::size_t g = 0; g < first_of_group.size() && access.group < 0; g++) {
        const PlacedAccess& other = placed[first_of_group[g]];
        if (other.bytes != access.bytes || other.stride != access.stride) continue;
        auto* apart = llvm::dyn_cast<llvm::SCEVConstant>(analyses.scalars.getMinusSCEV(access.address, other.address));
        if (apart && apart->getAPInt().getSignificantBits() <= 62) access.group = static_cast<int>(g), access.offset = apart->getAPInt().getSExtValue();
      }
      if (access.group < 0) access.group = static_cast<int>(first_of_group.size()), first_of_group.push_back(placed.size());
      placed.push_back(access);
    }
  }
  return placed;
}

double weight_of(const llvm::BasicBlock& block, const llvm::Loop& loop, const LoopAnalyses& analyses) {
  double header = static_cast<double>(analyses.frequencies.getBlockFreq(loop.getHeader()).getFrequency());
  double own = static_cast<double>(analyses.frequencies.getBlockFreq(&block).getFrequency());
  return header > 0 ? std::min(1.0, own / header) : 1;
}

namespace {

// A division by a constant is a product with its reciprocal; by a power of two, a shift or a mask.
std::string division_name(const Instruction& i) {
  auto* by = llvm::dyn_cast<llvm::ConstantInt>(i.getOperand(1));
  if (!by) return i.getOpcodeName();
  return by->getValue().abs().isPowerOf2() ? "shl" : "mul";
}

// A product with a power of two is a shift, with its neighbours a shift and an addition, which addressing can do at once.
std::string product_name(const Instruction& i) {
  auto* by = llvm::dyn_cast<llvm::ConstantInt>(i.getOperand(1));
  if (!by) return "mul";
  const llvm::APInt factor = by->getValue().abs();
  if (factor.isPowerOf2()) return "shl";
  return (factor - 1).isPowerOf2() || (factor + 1).isPowerOf2() ? "add" : "mul";
}

// x - x / d * d; where d is a constant there is no division.
bool is_remainder(const Instruction& difference) {
  if (difference.getOpcode() != Instruction::Sub) return false;
  auto* product = llvm::dyn_cast<Instruction>(difference.getOperand(1));
  if (!product || product->getOpcode() != Instruction::Mul || !product->hasOneUse()) return false;
  for (unsigned k : {0u, 1u})
    if (auto* quotient = llvm::dyn_cast<Instruction>(product->getOperand(k)); quotient && (quotient->getOpcode() == Instruction::UDiv || quotient->getOpcode() == Instruction::SDiv))
      if (quotient->getOperand(0) == difference.getOperand(0) && quotient->getOperand(1) == product->getOperand(1 - k) && !llvm::isa<llvm::Constant>(quotient->getOperand(1))) return true;
  return false;
}

// Routines that are one operation of the machine; they stay calls only because the language wants errno set.
std::string routine_operation(const Instruction& i) {
  auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || !callee->isDeclaration() || !i.getType()->isFloatingPointTy()) return "";
  const llvm::StringRef name = callee->getName();
  return name == "sqrt" || name == "sqrtf" ? "sqrt" : name == "fma" || name == "fmaf" ? "fma" : "";
}

}  // namespace

bool comes_with_division(const Instruction& i) {
  if (i.getOpcode() == Instruction::Mul && i.hasOneUse()) return is_remainder(*llvm::cast<Instruction>(*i.user_begin()));
  return is_remainder(i);
}

std::string operation_name(const Instruction& i) {
  switch (i.getOpcode()) {
    case Instruction::FAdd: case Instruction::FSub: return "fadd";
    case Instruction::Add: case Instruction::Sub: return "add";
    case Instruction::And: case Instruction::Or: case Instruction::Xor: return "and";
    case Instruction::Shl: case Instruction::LShr: case Instruction::AShr: return "shl";
    case Instruction::SDiv: case Instruction::UDiv: case Instruction::SRem: case Instruction::URem: return division_name(i);
    case Instruction::Mul: return product_name(i);
    case Instruction::FMul: case Instruction::FDiv: case Instruction::FRem: case Instruction::FNeg: case Instruction::FCmp:
    case Instruction::ICmp: case Instruction::Select: case Instruction::SIToFP: case Instruction::UIToFP:
    case Instruction::FPToSI: case Instruction::FPToUI: case Instruction::FPExt: case Instruction::FPTrunc:
    case Instruction::AtomicRMW: case Instruction::AtomicCmpXchg: return i.getOpcodeName();
    default: break;
  }
  auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  if (!intrinsic) return routine_operation(i);
  switch (intrinsic->getIntrinsicID()) {
    case llvm::Intrinsic::fma: case llvm::Intrinsic::fmuladd: return "fma";
    case llvm::Intrinsic::sqrt: return "sqrt";
    case llvm::Intrinsic::fabs: case llvm::Intrinsic::copysign: return "fneg";
    case llvm::Intrinsic::minnum: case llvm::Intrinsic::maxnum: case llvm::Intrinsic::minimum: case llvm::Intrinsic::maximum: return "fmax";
    case llvm::Intrinsic::floor: case llvm::Intrinsic::ceil: case llvm::Intrinsic::trunc: case llvm::Intrinsic::rint:
    case llvm::Intrinsic::nearbyint: case llvm::Intrinsic::round: case llvm::Intrinsic::roundeven: return "fptosi";
    case llvm::Intrinsic::smin: case llvm::Intrinsic::smax: case llvm::Intrinsic::umin: case llvm::Intrinsic::umax:
    case llvm::Intrinsic::abs: case llvm::Intrinsic::ctpop: case llvm::Intrinsic::ctlz: case llvm::Intrinsic::cttz:
    case llvm::Intrinsic::bswap: case llvm::Intrinsic::usub_sat: case llvm::Intrinsic::uadd_sat: return "add";
    case llvm::Intrinsic::fshl: case llvm::Intrinsic::fshr: return "shl";
    default: return "";
  }
}

bool sign_taken_up(const Instruction& i) {
  return i.getOpcode() == Instruction::FNeg && !i.use_empty() && std::all_of(i.user_begin(), i.user_end(), [](const llvm::User* user) {
    auto* other = llvm::dyn_cast<Instruction>(user);
    if (other && other->getOpcode() == Instruction::FMul && other->hasOneUse()) other = llvm::dyn_cast<Instruction>(*other->user_begin());
    const std::string name = other ? operation_name(*other) : "";
    return name == "fadd" || name == "fma";
  });
}

const Instruction* compared_for(const Instruction& choice) {
  auto* select = llvm::dyn_cast<llvm::SelectInst>(&choice);
  auto* compare = select ? llvm::dyn_cast<llvm::FCmpInst>(select->getCondition()) : nullptr;
  if (!compare || !compare->hasOneUse()) return nullptr;
  const Value *first = compare->getOperand(0), *second = compare->getOperand(1), *yes = select->getTrueValue(), *no = select->getFalseValue();
  return (first == yes && second == no) || (first == no && second == yes) ? compare : nullptr;
}

const Instruction* fused_product(const Instruction& sum) {
  if (sum.getOpcode() != Instruction::FAdd && sum.getOpcode() != Instruction::FSub) return nullptr;
  for (const Value* operand : sum.operands()) {
    auto* product = llvm::dyn_cast<Instruction>(operand);
    if (product && product->getOpcode() == Instruction::FMul && product->hasOneUse()) return product;
  }
  return nullptr;
}

void add_essential_operations(const llvm::Loop& loop, const LoopAnalyses& analyses, SourceLoop& out) {
  Needed needed(loop, analyses.scalars);
  std::set<const Instruction*> taken_up;
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const Instruction& i : *block)
      for (const Instruction* part : {fused_product(i), compared_for(i), sign_taken_up(i) ? &i : nullptr})
        if (part) taken_up.insert(part);
  for (const llvm::BasicBlock* block : loop.blocks()) {
    if (analyses.loops.getLoopFor(block) != &loop) continue;
    double weight = weight_of(*block, loop, analyses);
    for (const Instruction& i : *block) {
      if (add_copy(i, weight, loop, analyses, out)) continue;
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i); call && operation_name(i).empty()) {
        auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(call);
        if (intrinsic && (intrinsic->isAssumeLikeIntrinsic() || llvm::isa<llvm::DbgInfoIntrinsic>(intrinsic))) continue;
        const llvm::Function* callee = call->getCalledFunction();
        out.calls[callee ? callee->getName().str() : "*"] += weight;
        continue;
      }
      if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(&i); branch && branch->isConditional()) {
        if (!loop.isLoopExiting(block) && !loop.isLoopLatch(block)) out.branches += weight;
        continue;
      }
      std::string name = operation_name(i);
      if (name.empty() || !needed.contains(i) || taken_up.contains(&i) || comes_with_division(i)) continue;
      if (fused_product(i)) name = "fma";
      if (compared_for(i)) name = "fmax";
      const llvm::Type* type = name == "fcmp" || name == "icmp" ? i.getOperand(0)->getType() : i.getType();
      out.operations[name + "." + type_name(type)] += weight, out.flops += weight * flops_of(name, *type);
    }
  }
  auto placed = place_accesses(loop, analyses);
  std::map<int, std::vector<const PlacedAccess*>> groups;
  for (const PlacedAccess& access : placed) groups[access.group].push_back(&access);
  for (const auto& [number, group] : groups) add_group(group, loop, analyses, out);
}

}  // namespace perfcast::llvm_ir
