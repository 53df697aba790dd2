#include "frontends/memory_profile/instrument.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <memory_profile_layout.h>  // data/runtime: shared with the run-time library

#include "frontends/llvm_ir/module.h"
#include "frontends/memory_profile/accesses.h"
#include "frontends/memory_profile/report_branches.h"
#include "frontends/memory_profile/runtime_calls.h"
#include "frontends/memory_profile/versions.h"

namespace perfcast::memory_profile {
// The names of the records mean LLVM's here.
using llvm::Function, llvm::Instruction, llvm::Loop;
namespace {

using namespace llvm;

// if (hash of the page < threshold) perfcast_access(id, address): perfcast_place_hash, as the run-time library has it.
void report_access(Runtime& runtime, Instruction& at, Value* pointer, std::uint32_t id) {
  IRBuilder<> builder(&at);
  give_position(builder, at);
  auto* i64 = builder.getInt64Ty();
  Value* address = builder.CreatePtrToInt(pointer, i64);
  Value* place = builder.CreateAdd(builder.CreateLShr(address, 12), builder.CreateLoad(i64, runtime.offset, true));
  Value* block = builder.CreateMul(builder.CreateLShr(place, perfcast_block_bits), builder.getInt64(perfcast_block_factor));
  Value* of_block = builder.CreateXor(block, builder.CreateShl(block, perfcast_block_fold));
  Value* hash = builder.CreateLShr(builder.CreateAdd(builder.CreateMul(place, builder.getInt64(perfcast_page_factor)), of_block), perfcast_hash_shift);
  Value* followed = builder.CreateICmpULT(hash, builder.CreateLoad(i64, runtime.threshold, true));
  Instruction* then = SplitBlockAndInsertIfThen(followed, &at, false);
  IRBuilder<> inside(then);
  give_position(inside, at);
  inside.CreateCall(runtime.access, {inside.getInt32(id), address});
}

void report_range(Runtime& runtime, MemIntrinsic& copy, bool store, std::uint32_t id) {
  IRBuilder<> builder(&copy);
  give_position(builder, copy);
  auto* transfer = dyn_cast<MemTransferInst>(&copy);
  Value* pointer = transfer && !store ? transfer->getRawSource() : copy.getRawDest();
  auto* i64 = builder.getInt64Ty();
  builder.CreateCall(runtime.range, {builder.getInt32(id), builder.CreatePtrToInt(pointer, i64),
                                     builder.CreateZExtOrTrunc(copy.getLength(), i64)});
}

// Few bytes are soon touched, and their number is known: it is enough to see them in bursts.
bool may_be_long(const MemIntrinsic& copy) {
  constexpr std::uint64_t few_bytes = 256;
  auto* length = dyn_cast<ConstantInt>(copy.getLength());
  return !length || length->getZExtValue() > few_bytes;
}

Value* pointer_of(Instruction& instruction, unsigned argument) {
  if (auto* call = dyn_cast<CallBase>(&instruction)) return call->getArgOperand(argument);
  if (auto* atomic = dyn_cast<AtomicRMWInst>(&instruction)) return atomic->getPointerOperand();
  return getLoadStorePointerOperand(&instruction);
}

void instrument(Function& function, Runtime& runtime, const MadeBranches& made, MemoryProfile& profile) {
  std::vector<FoundAccess> found = find_accesses(function);
  std::vector<Instruction*> branches = find_branches(function);
  std::vector<std::string> branch_blocks;
  for (const Instruction* branch : branches) branch_blocks.push_back(branch->getParent()->getName().str());
  std::vector<std::string> access_blocks;
  for (const FoundAccess& access : found) access_blocks.push_back(access.block->getName().str());

  ValueToValueMapTy slow;
  // What cannot be versioned reports always, and is not heard between bursts: slower, but not blind.
  const bool versions = make_versions(function, *runtime.flag, slow);
  auto slow_of = [&](Instruction* fast) { return versions ? dyn_cast_or_null<Instruction>(slow.lookup(fast)) : fast; };
  for (std::size_t i = 0; i < branches.size(); i++) {
    Instruction* branch = slow_of(branches[i]);
    if (!branch || (isa<BranchInst>(branch) && !cast<BranchInst>(branch)->isConditional())) continue;
    const Site here{function.getName().str(), branch_blocks[i]};
    report_branch(runtime, *branch, here, made, profile.branches);
  }
  for (std::size_t i = 0; i < found.size(); i++) {
    Instruction* copy = slow_of(found[i].instruction);
    if (!copy) continue;
    auto id = static_cast<std::uint32_t>(profile.accesses.size());
    if (found[i].access.store) id |= static_cast<std::uint32_t>(perfcast_is_store);
    id |= perfcast_width_of(found[i].access.bytes);
    AccessSite site;
    site.function = function.getName().str(), site.block = access_blocks[i], site.access = found[i].access;
    if (found[i].slot) {
      site.access.lines = {{0, 1, 0}};
    } else if (auto* memory = dyn_cast<MemIntrinsic>(copy)) {
      report_range(runtime, *memory, found[i].access.store, id);
      if (auto* fast = cast<MemIntrinsic>(found[i].instruction); fast != memory && may_be_long(*fast)) report_range(runtime, *fast, found[i].access.store, id);
    } else {
      report_access(runtime, *copy, pointer_of(*copy, found[i].argument), id);
    }
    profile.accesses.push_back(site);
  }
}

}  // namespace

void instrument(llvm::Module& module, const MadeBranches& made, MemoryProfile& profile) {
  Runtime runtime(module);
  std::vector<Function*> functions;
  for (Function& function : module)
    if (llvm_ir::has_code(function)) functions.push_back(&function);
  for (Function* function : functions) instrument(*function, runtime, made, profile);
}

}  // namespace perfcast::memory_profile
