#include "frontends/llvm_ir/source_loops.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "frontends/llvm_ir/essential.h"
#include "frontends/llvm_ir/location.h"
#include "frontends/llvm_ir/module.h"
#include "frontends/written_name.h"
#include "record/same_place.h"

namespace perfcast::llvm_ir {
namespace {

using Place = std::tuple<std::string, int, int>;
Place place_of(const Location& at) { return {at.file, at.line, at.column}; }

struct Iterations {
  double entries = 0, iterations = 0;
  int beside = 0;  // SourceLoop::beside
};
// By the function a loop is written in, as that is called where it is linked (instances of a template are different loops at one place),
// by its place, and by its number among the loops there.
using Counted = std::map<std::tuple<std::string, Place, int>, Iterations>;

// ----------------------------------------------------------------------------- loops side by side that begin at one place

// The loops of a function with what record/same_place.h asks of them.
struct PlacedLoop {
  const llvm::Loop* loop = nullptr;
  Place at;
  std::optional<int> parent;
};

// Which of the loops at its place a loop is: all of them in the order of the source, and those that hold as many others of that place.
struct LoopNumber {
  int at_place = 0, beside = 0;
};

// Numbers the loops of a function and marks their own code by discriminators, which stay with it whatever the passes do.
std::map<const llvm::Loop*, LoopNumber> number_loops(const llvm::LoopInfo& loops) {
  std::vector<PlacedLoop> placed;
  std::map<const llvm::Loop*, int> index;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    index[loop] = static_cast<int>(placed.size());
    placed.push_back({loop, place_of(location_of(*loop)), loop->getParentLoop() ? std::optional(index.at(loop->getParentLoop())) : std::nullopt});
  }
  const std::vector<int> inside = same_place_inside(placed);
  std::map<const llvm::Loop*, LoopNumber> numbers;
  std::map<std::pair<std::string, Place>, int> next;
  std::map<std::tuple<std::string, Place, int>, int> next_beside;
  for (std::size_t l = 0; l < placed.size(); l++) {
    const llvm::Loop* loop = placed[l].loop;
    const std::string written = written_in(*loop);
    const LoopNumber number = numbers[loop] = {next[{written, placed[l].at}]++, next_beside[{written, placed[l].at, inside[l]}]++};
    for (llvm::BasicBlock* block : loop->blocks())
      for (llvm::Instruction& i : *block)
        if (const llvm::DILocation* at = i.getDebugLoc().get(); at && number.at_place > 0 && loops.getLoopFor(block) == loop)
          if (auto marked = at->cloneWithBaseDiscriminator(static_cast<unsigned>(number.at_place))) i.setDebugLoc(*marked);
  }
  return numbers;
}

// The number that most of a loop's own code is marked with; of what was inlined into it the call counts.
int number_of(const llvm::Loop& loop, const llvm::LoopInfo& loops) {
  const llvm::DILocation* start = start_of(loop);
  std::map<unsigned, int> votes;
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& i : *block) {
      const llvm::DILocation* at = i.getDebugLoc().get();
      while (start && at && at->getInlinedAt() != start->getInlinedAt()) at = at->getInlinedAt();
      if (start && at && loops.getLoopFor(block) == &loop && at->getScope()->getSubprogram() == start->getScope()->getSubprogram()) votes[at->getBaseDiscriminator()]++;
    }
  auto most = std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
  return most == votes.end() ? 0 : static_cast<int>(most->first);
}

// ------------------------------------------------------------------------- counts of the early IR, and its weights

// Whether a block only decides: nothing that it does lasts.
bool only_decides(const llvm::BasicBlock& block) {
  return std::ranges::none_of(block, [](const llvm::Instruction& i) { return i.mayHaveSideEffects() && !llvm::isa<llvm::DbgInfoIntrinsic>(i); });
}

// Where the parts of a condition meet: `a && b` that is not the condition of an `if`.
bool joins_conditions(const llvm::BasicBlock& block) {
  return std::ranges::any_of(block.phis(), [](const llvm::PHINode& phi) { return phi.getType()->isIntegerTy(1); });
}

// Edges that leave a loop in the test before its body, which does not begin an iteration: through the header, and where the parts
// of a condition meet that began there.
double tested_out(const llvm::Loop& loop, const FunctionCounts& counts, const std::map<const llvm::BasicBlock*, int>& number,
                  const std::vector<const llvm::BasicBlock*>& blocks) {
  if (loop.getLoopLatch() == loop.getHeader()) return 0;
  std::set<const llvm::BasicBlock*> test = {loop.getHeader()};
  for (bool grown = true; grown;) {
    grown = false;
    for (const llvm::BasicBlock* block : loop.blocks()) {
      auto before = llvm::predecessors(block);
      const bool follows = std::all_of(before.begin(), before.end(), [&](const llvm::BasicBlock* other) { return test.contains(other); });
      if (!test.contains(block) && follows && !loop.isLoopLatch(block) && only_decides(*block)) grown = test.insert(block).second;
    }
  }
  double out = 0;
  for (const llvm::BasicBlock* block : test) {
    if (block != loop.getHeader() && !joins_conditions(*block)) continue;
    for (const EdgeCount& edge : counts.blocks[static_cast<std::size_t>(number.at(block))].next)
      if (!loop.contains(blocks[static_cast<std::size_t>(edge.to)])) out += edge.count;
  }
  return out;
}

void count_iterations(llvm::Function& function, const FunctionCounts& counts, Counted& found) {
  llvm::DominatorTree tree(function);
  llvm::LoopInfo loops(tree);
  std::map<const llvm::BasicBlock*, int> number;
  std::vector<const llvm::BasicBlock*> blocks;
  for (const auto& block : function) number.emplace(&block, static_cast<int>(blocks.size())), blocks.push_back(&block);
  const auto numbers = number_loops(loops);
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    double header = counts.blocks[static_cast<std::size_t>(number.at(loop->getHeader()))].count, back = 0;
    for (const llvm::BasicBlock* block : loop->blocks())
      for (const EdgeCount& edge : counts.blocks[static_cast<std::size_t>(number.at(block))].next)
        if (blocks[static_cast<std::size_t>(edge.to)] == loop->getHeader()) back += edge.count;
    Iterations& here = found[{written_in(*loop), place_of(location_of(*loop)), numbers.at(loop).at_place}];
    here.beside = numbers.at(loop).beside;
    here.entries += header - back, here.iterations += header - tested_out(*loop, counts, number, blocks);
  }
}

// Counts as branch weights, so that they survive whatever the passes do to the blocks.
void attach_weights(llvm::Function& function, const FunctionCounts& counts) {
  std::map<const llvm::BasicBlock*, int> number;
  for (const auto& block : function) number.emplace(&block, static_cast<int>(number.size()));
  llvm::MDBuilder builder(function.getContext());
  double most = 1;
  for (const auto& block : counts.blocks) most = std::max(most, block.count);
  const double scale = std::min(1.0, 4e9 / (most + 1));
  for (auto& block : function) {
    llvm::Instruction* end = block.getTerminator();
    if (end->getNumSuccessors() < 2 || !(llvm::isa<llvm::BranchInst>(end) || llvm::isa<llvm::SwitchInst>(end))) continue;
    const BlockCounts& known = counts.blocks[static_cast<std::size_t>(number.at(&block))];
    std::vector<std::uint32_t> weights;
    for (unsigned k = 0; k < end->getNumSuccessors(); k++) {
      double sum = 0;
      int same = 0;
      for (const EdgeCount& edge : known.next)
        if (edge.to == number.at(end->getSuccessor(k))) sum += edge.count;
      for (unsigned other = 0; other < end->getNumSuccessors(); other++) same += end->getSuccessor(other) == end->getSuccessor(k);
      double weight = sum * scale / same;
      weights.push_back(static_cast<std::uint32_t>(weight > 0 && weight < 1 ? 1 : weight));
    }
    if (std::ranges::any_of(weights, [](auto w) { return w > 0; })) end->setMetadata(llvm::LLVMContext::MD_prof, builder.createBranchWeights(weights));
  }
  function.setEntryCount(static_cast<std::uint64_t>(std::max(1.0, counts.entries)));
}

// ------------------------------------------------------------------------------------- cleaned up, but not vectorised

struct Analyses {
  llvm::LoopAnalysisManager loop;
  llvm::FunctionAnalysisManager function;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager module;
};

// Our own passes leave undone what the user's pragmas ask for; that is no news to anybody.
struct Silence : llvm::DiagnosticHandler {
  bool handleDiagnostics(const llvm::DiagnosticInfo&) override { return true; }
};

void clean_up(llvm::Module& module, Analyses& analyses) {
  module.getContext().setDiagnosticHandler(std::make_unique<Silence>());
  for (auto& function : module)
    if (function.hasOptNone()) function.removeFnAttr(llvm::Attribute::OptimizeNone), function.removeFnAttr(llvm::Attribute::NoInline);
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = tuning.LoopUnrolling = tuning.LoopInterleaving = false;
  llvm::PassBuilder builder(nullptr, tuning);
  builder.registerModuleAnalyses(analyses.module), builder.registerCGSCCAnalyses(analyses.calls);
  builder.registerFunctionAnalyses(analyses.function), builder.registerLoopAnalyses(analyses.loop);
  builder.crossRegisterProxies(analyses.loop, analyses.function, analyses.calls, analyses.module);
  auto passes = builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2);
  passes.run(module, analyses.module);
}

// Of what was inlined into the loop the line of the call counts: its own lines may lie anywhere, around other loops too.
void add_lines(const llvm::Loop& loop, SourceLoop& out) {
  out.first_line = out.last_line = out.at.line;
  const llvm::DILocation* start = start_of(loop);
  if (!start) return;
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const auto& i : *block) {
      const llvm::DILocation* place = i.getDebugLoc().get();
      while (place && place->getInlinedAt() != start->getInlinedAt()) place = place->getInlinedAt();
      if (!place || place->getScope()->getSubprogram() != start->getScope()->getSubprogram()) continue;
      if (Location at = location_of(place); at.known() && at.file == out.at.file)
        out.first_line = std::min(out.first_line, at.line), out.last_line = std::max(out.last_line, at.line);
    }
}

LoopAnalyses views_of(llvm::Function& function, llvm::FunctionAnalysisManager& managers) {
  return {managers.getResult<llvm::LoopAnalysis>(function), managers.getResult<llvm::ScalarEvolutionAnalysis>(function),
          managers.getResult<llvm::BlockFrequencyAnalysis>(function)};
}

// A loop that holds others, by the block it begins with, which stays when those are unrolled.
struct OuterLoop {
  llvm::WeakVH header;
  std::size_t index = 0;  // of the loop made of it
};

void unroll_whole(llvm::Function& function, llvm::FunctionAnalysisManager& managers) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopFullUnrollPass()));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass());
  managers.invalidate(function, passes.run(function, managers));
}

// What loops carry around whose inner loops are so short that they are no loops once they are unrolled.
void add_outer_recurrences(llvm::Function& function, llvm::FunctionAnalysisManager& managers, const std::vector<OuterLoop>& outer, std::vector<SourceLoop>& out) {
  if (outer.empty()) return;
  unroll_whole(function, managers);
  const LoopAnalyses views = views_of(function, managers);
  for (const OuterLoop& before : outer) {
    auto* header = llvm::dyn_cast_or_null<llvm::BasicBlock>(static_cast<llvm::Value*>(before.header));
    const llvm::Loop* loop = header ? views.loops.getLoopFor(header) : nullptr;
    if (loop && loop->getHeader() == header) add_recurrences(*loop, views, out[before.index]);
  }
}

void add_loops(llvm::Function& function, Analyses& analyses, const Counted& counted,
               const std::string& name, std::vector<SourceLoop>& out) {
  const LoopAnalyses views = views_of(function, analyses.function);
  const llvm::LoopInfo& loops = views.loops;
  std::vector<OuterLoop> outer;
  std::map<const llvm::Loop*, int> number;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    SourceLoop made;
    made.function = name, made.at = location_of(*loop), made.source_function = written_in(*loop);
    auto it = counted.find({made.source_function, place_of(made.at), number_of(*loop, loops)});
    if (it == counted.end() || it->second.iterations <= 0) continue;
    made.entries = it->second.entries, made.iterations = it->second.iterations, made.beside = it->second.beside;
    made.innermost = loop->isInnermost();
    for (const llvm::Loop* around = loop->getParentLoop(); around && !made.parent; around = around->getParentLoop())
      if (auto known = number.find(around); known != number.end()) made.parent = known->second;
    add_lines(*loop, made);
    add_essential_operations(*loop, views, made);
    add_recurrences(*loop, views, made);
    if (!made.innermost) outer.push_back({loop->getHeader(), out.size()});
    number.emplace(loop, static_cast<int>(out.size()));
    out.push_back(std::move(made));
  }
  add_outer_recurrences(function, analyses.function, outer, out);
}

}  // namespace

Result<std::vector<SourceLoop>> source_loops(const CompiledProgram& program, Stage stage, const CountedRun& run) {
  std::vector<SourceLoop> found;
  std::vector<LoadedModule> modules;
  Counted counted;
  for (std::size_t u = 0; u < program.units.size(); u++) {
    const Unit& unit = program.units[u];
    TRY(LoadedModule loaded, load_module(stage == Stage::early ? unit.early_bitcode : unit.final_bitcode));
    for (const FunctionCounts& counts : run.units[u].functions)
      if (llvm::Function* function = loaded.module->getFunction(counts.name); function && function->size() == counts.blocks.size()) {
        if (!counts.duplicate) count_iterations(*function, counts, counted);
        attach_weights(*function, counts);
      }
    modules.push_back(std::move(loaded));
  }
  for (std::size_t u = 0; u < modules.size(); u++) {
    Analyses analyses;
    clean_up(*modules[u].module, analyses);
    std::map<std::string, std::string> unique;
    for (const FunctionCounts& counts : run.units[u].functions) unique[counts.name] = counts.duplicate ? "" : counts.unique;
    for (auto& function : *modules[u].module) {
      auto name = unique.find(function.getName().str());
      if (!function.isDeclaration() && (name == unique.end() || !name->second.empty()))
        add_loops(function, analyses, counted, name == unique.end() ? function.getName().str() : name->second, found);
    }
  }
  return found;
}

}  // namespace perfcast::llvm_ir
