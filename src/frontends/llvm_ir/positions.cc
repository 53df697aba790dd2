// Source positions with their counts, from a counted run and the debug positions of the same bitcode.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

#include "frontends/llvm_ir/array_calls.h"
#include "frontends/llvm_ir/instrument.h"
#include "frontends/llvm_ir/module.h"
#include "frontends/source_path.h"

namespace perfcast::llvm_ir {
namespace {

using Position = std::tuple<std::string, int, int>;

class Collector {
 public:
  explicit Collector(const llvm::Module& module) {
    for (const auto& function : module)
      if (const auto* subprogram = function.getSubprogram()) linkage_[subprogram] = function.getName().str();
  }

  // All positions of one function. What was inlined into it (always_inline, at -O0) belongs to the function it was
  // written in; each place it was inlined at adds.
  void add(const llvm::Function& function, const FunctionCounts& counts, PositionCounts& result) {
    FunctionPositions& own = result.functions[counts.name];
    own.entries += counts.entries;
    std::map<std::pair<std::string, const llvm::DILocation*>, std::map<Position, double>> found;
    std::size_t number = 0;
    for (const auto& block : function) {
      const double count = counts.blocks[number++].count;
      for (const auto& instruction : block) {
        const llvm::DILocation* at = instruction.getDebugLoc();
        if (!at || at->getLine() == 0 || llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) continue;
        const bool inlined = at->getInlinedAt() != nullptr;
        auto& positions = found[{inlined ? owner(*at) : counts.name, at->getInlinedAt()}];
        const Position position{file(*at), static_cast<int>(at->getLine()), static_cast<int>(at->getColumn())};
        double& most = positions[position];
        most = std::max(most, count);
      }
    }
    for (const auto& [place, positions] : found)
      for (const auto& [position, count] : positions) result.functions[place.first].at[position] += count;
  }

  // The blocks of each position, in their order. Variables are given room at the function's start, whatever statement
  // needs them: that is no execution of the statement.
  void add_blocks(llvm::Function& function, const FunctionCounts& counts, FunctionPositions& result) {
    const auto calls = array_calls(function);
    for (std::size_t i = 0; i < calls.size() && i < counts.array_elements.size(); i++)
      if (const llvm::DILocation* at = calls[i].call->getDebugLoc())
        result.arrays[{file(*at), static_cast<int>(at->getLine()), static_cast<int>(at->getColumn())}].push_back(
            {calls[i].routine, counts.array_elements[i]});
    llvm::DominatorTree tree(function);
    llvm::LoopInfo loops(tree);
    std::map<const llvm::BasicBlock*, int> numbers;
    std::map<const llvm::Loop*, int> loop_numbers;
    for (const auto& block : function) numbers.emplace(&block, static_cast<int>(numbers.size()));
    for (const auto* loop : loops.getLoopsInPreorder()) loop_numbers.emplace(loop, static_cast<int>(loop_numbers.size()));
    for (const auto& block : function) {
      const BlockCounts& own = counts.blocks[static_cast<std::size_t>(numbers.at(&block))];
      PositionBlock seen;
      seen.count = own.count;
      const llvm::Loop* loop = loops.getLoopFor(&block);
      for (const auto* around = loop; around; around = around->getParentLoop())
        seen.loops.insert(seen.loops.begin(), loop_numbers.at(around));
      std::map<Position, bool> held;  // true: only by the jump at its end
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
      for (const auto& instruction : block) {
        const llvm::DILocation* at = instruction.getDebugLoc();
        if (!at || at->getLine() == 0 || llvm::isa<llvm::DbgInfoIntrinsic, llvm::AllocaInst>(instruction)) continue;
        const bool jump = &instruction == branch && branch->isUnconditional();
        held.try_emplace({file(*at), static_cast<int>(at->getLine()), static_cast<int>(at->getColumn())}, jump);
      }
      for (const auto& [position, passes] : held) {
        result.blocks[position].push_back(seen);
        result.blocks[position].back().passes = passes;
      }
      if (!loop || loop->getHeader() != &block || !branch || !branch->isConditional() || !branch->getDebugLoc()) continue;
      const llvm::DILocation* at = branch->getDebugLoc();
      PositionBlock& header =
          result.blocks[{file(*at), static_cast<int>(at->getLine()), static_cast<int>(at->getColumn())}].back();
      header.header = true;
      header.entries = own.count;
      for (const auto* from : llvm::predecessors(&block))
        if (loop->contains(from))
          for (const auto& edge : counts.blocks[static_cast<std::size_t>(numbers.at(from))].next)
            if (edge.to == numbers.at(&block)) header.entries -= edge.count;
      for (const auto& edge : own.next)
        if (edge.to == numbers.at(branch->getSuccessor(0))) header.taken += edge.count;
    }
  }

 private:
  std::string owner(const llvm::DILocation& at) const {
    const llvm::DISubprogram* subprogram = at.getScope()->getSubprogram();
    if (auto known = linkage_.find(subprogram); known != linkage_.end()) return known->second;
    return (subprogram->getLinkageName().empty() ? subprogram->getName() : subprogram->getLinkageName()).str();
  }
  const std::string& file(const llvm::DILocation& at) {
    const llvm::DIFile* file = at.getFile();
    auto [place, fresh] = files_.try_emplace(file);
    if (fresh) place->second = source_path(file->getFilename().str(), file->getDirectory().str());
    return place->second;
  }
  std::map<const llvm::DISubprogram*, std::string> linkage_;
  std::map<const llvm::DIFile*, std::string> files_;
};

}  // namespace

Result<PositionCounts> position_counts(const CompiledProgram& program, Stage stage, const CountedRun& run) {
  PositionCounts result;
  for (std::size_t i = 0; i < program.units.size(); i++) {
    const Unit& unit = program.units[i];
    TRY(LoadedModule loaded, load_module(stage == Stage::early ? unit.early_bitcode : unit.final_bitcode));
    Collector collector(*loaded.module);
    for (const auto& counts : run.units[i].functions) {
      llvm::Function& function = *loaded.module->getFunction(counts.name);
      collector.add(function, counts, result);
      if (unit.language == Language::fortran) collector.add_blocks(function, counts, result.functions[counts.name]);
    }
  }
  return result;
}

}  // namespace perfcast::llvm_ir
