#include "frontends/llvm_ir/insert_counters.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Verifier.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <map>
#include <set>

#include "base/assert.h"
#include "frontends/llvm_ir/array_calls.h"
#include "frontends/llvm_ir/call_heights.h"
#include "frontends/llvm_ir/leaving.h"
#include "frontends/llvm_ir/module.h"

namespace perfcast::llvm_ir {
namespace {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::Instruction;
using llvm::Value;

// What the counters of a module lie in.
struct Storage {
  llvm::GlobalVariable* array = nullptr;  // without threads
  llvm::GlobalVariable* slot = nullptr;   // with threads: this thread's array, null at first
  llvm::GlobalVariable* record = nullptr;  // with threads: what the runtime keeps of the module
  llvm::FunctionCallee acquire;            // with threads: gives this thread an array
  llvm::MDNode* scope = nullptr;           // marks our loads and stores
};

// Nothing of the program's own touches the counters: told to the compiler, it can keep them in registers where
// functions with counters are inlined into loops, and move the program's accesses past them.
void keep_apart(llvm::Function& function, llvm::MDNode* scope) {
  for (auto& block : function)
    for (auto& instruction : block) {
      if (!llvm::isa<llvm::LoadInst>(instruction) && !llvm::isa<llvm::StoreInst>(instruction)) continue;
      if (instruction.getMetadata(llvm::LLVMContext::MD_alias_scope) == scope) continue;
      auto* others = instruction.getMetadata(llvm::LLVMContext::MD_noalias);
      instruction.setMetadata(llvm::LLVMContext::MD_noalias, llvm::MDNode::concatenate(others, scope));
    }
}

// Counters of one function.
class Inserter {
 public:
  Inserter(llvm::Function& function, const FunctionPlan& plan, const LeavingCalls& leaving, const Storage& storage)
      : function_(function), plan_(plan), storage_(storage), word_(llvm::Type::getInt64Ty(function.getContext())) {
    for (auto& block : function) {
      blocks_.push_back(&block);
      if (leaving.in_block(block)) unsafe_.insert(&block);
    }
  }

  void run() {
    if (plan_.graph.edges.empty()) return;
    if (storage_.slot) make_base();
    count_elements();
    place_indirect();
    for (const auto& edge : plan_.graph.edges)
      if (edge.counter && edge.counting != Counting::always) sites_.push_back({*edge.counter, site(edge)});
    count_sites();
    if (plan_.heights)
      track_heights(function_, [&](IRBuilder<>& build, Value* number) {
        Value* index = build.CreateAdd(number, build.getInt64(static_cast<std::uint64_t>(*plan_.heights)));
        add_to(build, address(build, index), build.getInt64(1));
      });
  }

 private:
  struct Site {
    int counter;
    Instruction* before;
  };

  Value* address(IRBuilder<>& build, Value* index) {
    Value* base = storage_.slot ? base_ : static_cast<Value*>(storage_.array);
    return build.CreateInBoundsGEP(word_, base, build.CreateAdd(index, build.getInt64(counter_header_words)));
  }
  void add_to(IRBuilder<>& build, Value* place, Value* amount) {
    auto* old = build.CreateLoad(word_, place);
    auto* stored = build.CreateStore(build.CreateAdd(old, amount), place);
    for (Instruction* access : {static_cast<Instruction*>(old), static_cast<Instruction*>(stored)})
      access->setMetadata(llvm::LLVMContext::MD_alias_scope, storage_.scope);
  }

  // Entry: this thread's array, asked for when it has none yet.
  void make_base() {
    BasicBlock& entry = function_.getEntryBlock();
    Instruction* start = &*entry.getFirstNonPHIOrDbgOrAlloca();
    // Allocas of fixed size must stay in the entry block.
    for (auto& instruction : llvm::make_early_inc_range(llvm::make_range(start->getIterator(), entry.end())))
      if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction); alloca && alloca->isStaticAlloca())
        alloca->moveBefore(start);
    IRBuilder<> build(start);
    Value* slot = build.CreateThreadLocalAddress(storage_.slot);
    Value* have = build.CreateLoad(build.getPtrTy(), slot, "counts");
    Value* none = build.CreateIsNull(have);
    BasicBlock* head = &entry;
    auto unlikely = llvm::MDBuilder(function_.getContext()).createBranchWeights(1, 1 << 20);
    Instruction* then = llvm::SplitBlockAndInsertIfThen(none, start, false, unlikely);
    IRBuilder<> ask(then);
    Value* got = ask.CreateCall(storage_.acquire, {storage_.record, slot});
    BasicBlock* tail = start->getParent();
    IRBuilder<> join(tail, tail->begin());
    auto* base = join.CreatePHI(join.getPtrTy(), 2, "counts");
    base->addIncoming(have, head);
    base->addIncoming(got, then->getParent());
    base_ = base;
    if (unsafe_.erase(head)) unsafe_.insert(tail);
    blocks_[0] = tail;
  }

  // Calls that work on whole arrays: the elements their descriptors tell of.
  void count_elements() {
    const auto calls = array_calls(function_);
    ensure(calls.size() == plan_.array_calls.size(), "the plan has another number of array calls");
    if (calls.empty()) return;
    llvm::Type* pointer = llvm::PointerType::get(function_.getContext(), 0);
    auto helper = function_.getParent()->getOrInsertFunction("__perfcast_elements", word_, pointer, pointer, word_);
    llvm::cast<llvm::Function>(helper.getCallee())->addFnAttr(llvm::Attribute::NoUnwind);
    for (std::size_t i = 0; i < calls.size(); i++) {
      IRBuilder<> build(calls[i].call);
      Value* elements = build.CreateCall(
          helper, {calls[i].call->getArgOperand(calls[i].first), calls[i].call->getArgOperand(calls[i].second),
                   build.getInt64(static_cast<std::uint64_t>(calls[i].work))});
      add_to(build, address(build, build.getInt64(static_cast<std::uint64_t>(plan_.array_calls[i]))), elements);
    }
  }

  // Targets of indirect jumps: every way in notes where it came from, the target counts by that note.
  void place_indirect() {
    std::map<int, int> source;  // vertex -> number, in the order the plan gave
    std::map<int, int> table;   // vertex -> its first counter
    for (std::size_t i = 0; i < blocks_.size(); i++) {
      Instruction* end = blocks_[i]->getTerminator();
      if (llvm::isa<llvm::IndirectBrInst>(end) || llvm::isa<llvm::CallBrInst>(end))
        source.emplace(static_cast<int>(i) + 1, static_cast<int>(source.size()) + 1);
    }
    if (source.empty()) return;
    for (const auto& edge : plan_.graph.edges)
      if (edge.counting == Counting::always) table[edge.to] = *edge.counter - source[edge.from];
    IRBuilder<> top(&*function_.getEntryBlock().getFirstInsertionPt());
    auto* came_from = top.CreateAlloca(word_, nullptr, "came_from");
    top.CreateStore(top.getInt64(0), came_from);
    std::map<BasicBlock*, int> number;
    for (auto [vertex, n] : source) number[block(vertex)] = n;
    for (auto [vertex, first] : table) {
      std::set<BasicBlock*> ways_in(llvm::pred_begin(block(vertex)), llvm::pred_end(block(vertex)));
      for (BasicBlock* way : ways_in) {
        IRBuilder<> build(way->getTerminator());
        build.CreateStore(build.getInt64(static_cast<std::uint64_t>(number.contains(way) ? number[way] : 0)), came_from);
      }
      IRBuilder<> build(&*block(vertex)->getFirstInsertionPt());
      Value* index = build.CreateAdd(build.CreateLoad(word_, came_from), build.getInt64(static_cast<std::uint64_t>(first)));
      add_to(build, address(build, index), build.getInt64(1));
    }
    notes_.push_back(came_from);
  }

  BasicBlock* block(int vertex) const { return blocks_[static_cast<std::size_t>(vertex - 1)]; }

  // The instruction before which an edge's counter goes; splits the edge where neither end stands for it alone.
  Instruction* site(const FlowEdge& edge) {
    auto start_of = [](BasicBlock* b) { return &*b->getFirstInsertionPt(); };
    if (edge.from == 0) return start_of(block(edge.to));
    BasicBlock* from = block(edge.from);
    if (edge.to == 0) return start_of(from);  // all that enters returns or leaves
    BasicBlock* to = block(edge.to);
    Instruction* end = from->getTerminator();
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(end); invoke && to->isLandingPad()) to = invoke->getUnwindDest();
    else if (invoke && unwinds_to(*invoke, to)) to = invoke->getUnwindDest();
    if (llvm::all_of(llvm::successors(from), [&](BasicBlock* s) { return s == to; }) && !llvm::isa<llvm::InvokeInst>(end))
      return end;
    if (to->getUniquePredecessor()) return start_of(to);
    if (to->isEHPad()) {
      llvm::SmallVector<BasicBlock*, 2> made;
      llvm::SplitLandingPadPredecessors(to, {from}, ".counted", ".others", made);
      return start_of(made[0]);
    }
    for (unsigned i = 0; i < end->getNumSuccessors(); i++)
      if (end->getSuccessor(i) == to) {
        auto options = llvm::CriticalEdgeSplittingOptions().setMergeIdenticalEdges().unsetPreserveLoopSimplify();
        BasicBlock* middle = llvm::SplitCriticalEdge(end, i, options);
        ensure(middle, "an edge that needs a counter cannot be split");
        return middle->getTerminator();
      }
    ensure(false, "a planned edge is not in the function");
    return nullptr;
  }
  // The block was a landing pad when the plan was made, and its pad has moved to a block of its own since.
  static bool unwinds_to(const llvm::InvokeInst& invoke, const BasicBlock* to) {
    return invoke.getNormalDest() != to && invoke.getUnwindDest() != to;
  }

  // Increments at all sites: in memory, or in a register between the entry and the exits of a loop.
  void count_sites() {
    llvm::DominatorTree tree(function_);
    llvm::LoopInfo loops(tree);
    llvm::MapVector<llvm::Loop*, std::vector<Site>> by_loop;  // in the order of the sites
    for (const Site& site : sites_) {
      llvm::Loop* chosen = nullptr;
      for (auto* loop = loops.getLoopFor(site.before->getParent()); loop && is_safe(*loop); loop = loop->getParentLoop())
        chosen = loop;
      by_loop[chosen].push_back(site);
    }
    std::vector<llvm::AllocaInst*> registers;
    for (auto& [loop, sites] : by_loop) {
      const bool promoted = loop && make_simple(*loop, tree, loops);
      for (const Site& site : sites) promoted ? count_in_register(site, *loop, registers) : count_in_memory(site);
    }
    registers.insert(registers.end(), notes_.begin(), notes_.end());
    tree.recalculate(function_);
    if (!registers.empty()) llvm::PromoteMemToReg(registers, tree);
  }

  bool is_safe(const llvm::Loop& loop) {
    auto [place, fresh] = safe_.emplace(&loop, true);
    if (fresh)
      place->second = llvm::none_of(loop.blocks(), [&](BasicBlock* b) {
        return unsafe_.contains(b) || llvm::isa<llvm::IndirectBrInst>(b->getTerminator()) ||
               llvm::isa<llvm::CallBrInst>(b->getTerminator());
      });
    return place->second;
  }

  static bool make_simple(llvm::Loop& loop, llvm::DominatorTree& tree, llvm::LoopInfo& loops) {
    if (!loop.getLoopPreheader() && !llvm::InsertPreheaderForLoop(&loop, &tree, &loops, nullptr, false)) return false;
    llvm::formDedicatedExitBlocks(&loop, &tree, &loops, nullptr, false);
    return loop.hasDedicatedExits();
  }

  void count_in_memory(const Site& site) {
    IRBuilder<> build(site.before);
    add_to(build, address(build, build.getInt64(static_cast<std::uint64_t>(site.counter))), build.getInt64(1));
  }

  void count_in_register(const Site& site, llvm::Loop& loop, std::vector<llvm::AllocaInst*>& registers) {
    IRBuilder<> top(&*function_.getEntryBlock().getFirstInsertionPt());
    auto* here = top.CreateAlloca(word_, nullptr, "count");
    IRBuilder<> before(loop.getLoopPreheader()->getTerminator());
    before.CreateStore(before.getInt64(0), here);
    IRBuilder<> inside(site.before);
    add_to(inside, here, inside.getInt64(1));
    llvm::SmallVector<BasicBlock*, 8> exits;
    loop.getUniqueExitBlocks(exits);
    for (BasicBlock* exit : exits) {
      IRBuilder<> build(&*exit->getFirstInsertionPt());
      Value* index = build.getInt64(static_cast<std::uint64_t>(site.counter));
      add_to(build, address(build, index), build.CreateLoad(word_, here));
    }
    registers.push_back(here);
  }

  llvm::Function& function_;
  const FunctionPlan& plan_;
  const Storage& storage_;
  llvm::Type* word_;
  Value* base_ = nullptr;
  std::vector<BasicBlock*> blocks_;    // by plan order
  std::set<const BasicBlock*> unsafe_;  // control may get lost inside
  std::vector<Site> sites_;
  std::vector<llvm::AllocaInst*> notes_;
  std::map<const llvm::Loop*, bool> safe_;
};

std::uint64_t page_bytes(const llvm::Module& module) {
  // The largest page a kernel of this architecture may use.
  return llvm::Triple(module.getTargetTriple()).isX86() ? 4096 : 65536;
}

Storage make_storage(llvm::Module& module, const ModulePlan& plan, bool threads) {
  llvm::LLVMContext& context = module.getContext();
  IRBuilder<> build(context);
  llvm::Type *word = build.getInt64Ty(), *pointer = build.getPtrTy();
  const std::uint64_t page = page_bytes(module), words = static_cast<std::uint64_t>(plan.counters + counter_header_words);
  const std::uint64_t bytes = (words * 8 + page - 1) / page * page;
  Storage storage;
  llvm::MDBuilder metadata(context);
  auto* scope = metadata.createAnonymousAliasScope(metadata.createAnonymousAliasScopeDomain("perfcast"), "counts");
  storage.scope = llvm::MDNode::get(context, scope);
  auto constant = [&](std::uint64_t value) { return build.getInt64(value); };
  auto* record_type = llvm::StructType::get(context, {word, word, word, pointer});
  llvm::Constant* array = llvm::ConstantPointerNull::get(build.getPtrTy());
  if (threads) {
    storage.slot = new llvm::GlobalVariable(module, pointer, false, llvm::GlobalValue::InternalLinkage,
                                            llvm::ConstantPointerNull::get(build.getPtrTy()), "perfcast.slot", nullptr,
                                            llvm::GlobalValue::LocalExecTLSModel);
    storage.acquire = module.getOrInsertFunction("__perfcast_thread_counts", pointer, pointer, pointer);
    llvm::cast<llvm::Function>(storage.acquire.getCallee())->addFnAttr(llvm::Attribute::NoUnwind);
  } else {
    auto* type = llvm::ArrayType::get(word, bytes / 8);
    storage.array = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::InternalLinkage,
                                             llvm::ConstantAggregateZero::get(type), counts_name);
    storage.array->setAlignment(llvm::Align(page));
    array = storage.array;
  }
  // What the runtime is told of the module: checksum, counters, bytes, array; two words of its own follow.
  auto* padded = llvm::StructType::get(context, {record_type, word, word});
  auto* value = llvm::ConstantStruct::get(
      padded, {llvm::ConstantStruct::get(record_type, {constant(plan.checksum),
                                                       constant(static_cast<std::uint64_t>(plan.counters)),
                                                       constant(bytes), array}),
               constant(0), constant(0)});
  storage.record = new llvm::GlobalVariable(module, padded, false, llvm::GlobalValue::InternalLinkage, value, "perfcast.module");
  auto hook = module.getOrInsertFunction("__perfcast_register", build.getVoidTy(), pointer);
  auto* start = llvm::Function::Create(llvm::FunctionType::get(build.getVoidTy(), false),
                                       llvm::GlobalValue::InternalLinkage, "perfcast.start", module);
  IRBuilder<> body(BasicBlock::Create(context, "entry", start));
  body.CreateCall(hook, {storage.record});
  body.CreateRetVoid();
  llvm::appendToGlobalCtors(module, start, 0);
  return storage;
}

}  // namespace

void insert_counters(llvm::Module& module, const ModulePlan& plan, const LeavingCalls& leaving, bool threads) {
  std::vector<std::pair<llvm::Function*, const FunctionPlan*>> work;
  for (const auto& planned : plan.functions) work.emplace_back(module.getFunction(planned.name), &planned);
  const Storage storage = make_storage(module, plan, threads);
  for (auto [function, planned] : work) {
    // Code generation would otherwise keep every value of -O0 code in memory, our counters too.
    function->removeFnAttr(llvm::Attribute::OptimizeNone);
    if (function->hasFnAttribute(llvm::Attribute::Naked)) continue;
    Inserter(*function, *planned, leaving, storage).run();
    keep_apart(*function, storage.scope);
  }
  std::string trouble;
  llvm::raw_string_ostream out(trouble);
  ensure(!llvm::verifyModule(module, &out), ("the counted module is not well formed: " + trouble).c_str());
}

}  // namespace perfcast::llvm_ir
