// Source positions with their counts, from a counted run and the debug positions of the same bitcode.
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

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
    for (const auto& counts : run.units[i].functions)
      collector.add(*loaded.module->getFunction(counts.name), counts, result);
  }
  return result;
}

}  // namespace perfcast::llvm_ir
