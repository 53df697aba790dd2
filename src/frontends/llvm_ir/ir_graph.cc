#include "frontends/llvm_ir/ir_graph.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

#include <set>

#include "frontends/llvm_ir/ir_usage.h"
#include "frontends/llvm_ir/location.h"
#include "frontends/llvm_ir/module.h"
#include "frontends/llvm_ir/recurrence.h"
#include "frontends/source_path.h"
#include "frontends/written_name.h"

namespace perfcast::llvm_ir {
namespace {

class Builder {
 public:
  Builder(const llvm::Function& function, const FunctionCounts& counts)
      : tree_(const_cast<llvm::Function&>(function)), loop_info_(tree_), counts_(counts) {
    result_.name = counts.unique;
    const std::string readable = written_name(counts.name);
    if (readable != result_.name) result_.readable = readable;
    if (const auto* subprogram = function.getSubprogram())
      result_.at = {source_path(subprogram->getFilename().str(), subprogram->getDirectory().str()),
                    static_cast<int>(subprogram->getLine()), 0};
    if (const llvm::CallBase* starter = result_.at.known() ? nullptr : starter_of(function)) result_.at = location_of(starter->getDebugLoc().get());
    result_.calls.value = counts.entries;
    for (const auto& block : function) index_.emplace(&block, static_cast<int>(index_.size()));
    add_loops();
    for (const auto& block : function) add_block(block);
  }
  Function take() { return std::move(result_); }

 private:
  void add_loops() {
    for (llvm::Loop* loop : loop_info_.getLoopsInPreorder()) {
      Loop& added = result_.loops.emplace_back();
      const int number = static_cast<int>(loops_.size());
      loops_.emplace(loop, number);
      if (loop->getParentLoop()) added.parent = loops_.at(loop->getParentLoop());
      added.header = index_.at(loop->getHeader());
      added.at = location_of(*loop);
      if (const llvm::DILocation* at = start_of(*loop); at && at->getInlinedAt()) added.source_function = written_in(*loop);
      added.iterations.value = counts_.blocks[static_cast<std::size_t>(added.header)].count;
      double back = 0;
      for (const llvm::BasicBlock* block : loop->blocks())
        for (const auto& edge : counts_.blocks[static_cast<std::size_t>(index_.at(block))].next)
          if (edge.to == added.header) back += edge.count;
      added.entries.value = added.iterations.value - back;
      if (added.iterations.value > 0) added.recurrence = recurrence_of(*loop);
    }
  }

  void add_block(const llvm::BasicBlock& block) {
    const BlockCounts& counts = counts_.blocks[result_.blocks.size()];
    Block& added = result_.blocks.emplace_back();
    added.name = counts.name, added.at = location_of(block), added.count.value = counts.count;
    if (const llvm::Loop* loop = loop_info_.getLoopFor(&block)) added.loop = loops_.at(loop);
    for (const auto& edge : counts.next) added.next.push_back({edge.to, {edge.count, {}, Certainty::counted}});
    BlockUsage usage = usage_of(block);
    added.usage = std::move(usage.operations), added.calls = std::move(usage.calls);
  }

  llvm::DominatorTree tree_;
  llvm::LoopInfo loop_info_;
  const FunctionCounts& counts_;
  std::map<const llvm::BasicBlock*, int> index_;
  std::map<const llvm::Loop*, int> loops_;
  Function result_;
};

}  // namespace

Result<IrLevel> ir_level(const CompiledProgram& program, const CountedRun& run) {
  IrLevel level;
  std::set<std::string> bodies;
  for (std::size_t i = 0; i < program.units.size(); i++) {
    TRY(LoadedModule loaded, load_module(program.units[i].final_bitcode));
    for (const auto& counts : run.units[i].functions) {
      bodies.insert(counts.name);
      if (!counts.duplicate)
        level.graph.functions.push_back(Builder(*loaded.module->getFunction(counts.name), counts).take());
    }
  }
  for (const auto& function : level.graph.functions)
    for (const auto& block : function.blocks)
      for (const auto& call : block.calls)
        if (block.count.value > 0 && call.callee != "*" && !bodies.contains(call.callee))
          level.library_calls[call.callee] += block.count.value * call.per_execution;
  return level;
}

}  // namespace perfcast::llvm_ir
