#include "frontends/scaling/certificate.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include <cmath>
#include <optional>
#include <vector>

#include "expr/parse.h"
#include "frontends/llvm_ir/module.h"

namespace perfcast::scaling {
namespace {

using Setting = std::map<std::string, double>;
using Whole = std::int64_t;

// The parameter a value holds: what atoi or strtol made of an argument of main, perhaps with a default beside it.
class Binding {
 public:
  explicit Binding(const std::map<std::string, int>& parameters) : parameters_(parameters) {}

  std::optional<std::string> of(const llvm::Value* value, int depth = 0) const {
    if (depth > 8) return {};
    while (const auto* cast = llvm::dyn_cast<llvm::UnaryInstruction>(value)) {
      if (!llvm::isa<llvm::CastInst>(cast) && !llvm::isa<llvm::FreezeInst>(cast)) return {};
      value = cast->getOperand(0);
    }
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(value)) return of_call(*call);
    std::vector<const llvm::Value*> choices;
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(value))
      for (const llvm::Value* incoming : phi->incoming_values()) choices.push_back(incoming);
    if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(value)) choices = {select->getTrueValue(), select->getFalseValue()};
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) return of_argument(*argument, depth);
    std::optional<std::string> found;
    for (const llvm::Value* choice : choices) {
      if (llvm::isa<llvm::Constant>(choice)) continue;
      auto one = of(choice, depth + 1);
      if (!one || (found && *found != *one)) return {};
      found = one;
    }
    return found;
  }

 private:
  std::optional<std::string> of_call(const llvm::CallBase& call) const {
    const llvm::Function* callee = call.getCalledFunction();
    if (!callee || call.arg_size() < 1) return {};
    const llvm::StringRef name = callee->getName();
    if (name != "atoi" && name != "atol" && name != "atoll" && !name.contains("strtol") && !name.contains("strtoul")) return {};
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(call.getArgOperand(0));
    if (!load) return {};
    const auto* place = llvm::dyn_cast<llvm::GetElementPtrInst>(load->getPointerOperand());
    if (!place || !llvm::isa<llvm::Argument>(place->getPointerOperand()) || place->getNumIndices() != 1) return {};
    const auto* index = llvm::dyn_cast<llvm::ConstantInt>(place->getOperand(1));
    if (!index) return {};
    Whole number = index->getSExtValue();
    if (place->getSourceElementType()->isIntegerTy(8)) number /= 8;  // an offset in bytes
    for (const auto& [parameter, argument] : parameters_)
      if (argument == number) return parameter;
    return {};
  }
  // An argument of a function that is called from one place only.
  std::optional<std::string> of_argument(const llvm::Argument& argument, int depth) const {
    const llvm::Function* function = argument.getParent();
    if (!function->hasOneUse()) return {};
    const auto* call = llvm::dyn_cast<llvm::CallBase>(*function->user_begin());
    if (!call || call->getCalledFunction() != function || argument.getArgNo() >= call->arg_size()) return {};
    return of(call->getArgOperand(argument.getArgNo()), depth + 1);
  }
  const std::map<std::string, int>& parameters_;
};

// Values of scalar-evolution expressions with the parameters and the iterations of the loops around known.
class Evaluator {
 public:
  Evaluator(const Binding& binding, const Setting& setting) : binding_(binding), setting_(setting) {}
  std::map<const llvm::Loop*, Whole> iteration;
  Whole steps_left = 2'000'000;  // of summing over the iterations of outer loops

  std::optional<Whole> of(const llvm::SCEV* e) const {
    switch (e->getSCEVType()) {
      case llvm::scConstant: {
        const llvm::APInt& value = llvm::cast<llvm::SCEVConstant>(e)->getAPInt();
        return value.getSignificantBits() <= 63 ? std::optional<Whole>(value.getSExtValue()) : std::nullopt;
      }
      case llvm::scTruncate:
      case llvm::scSignExtend: return of(llvm::cast<llvm::SCEVCastExpr>(e)->getOperand());
      case llvm::scZeroExtend: {
        auto inner = of(llvm::cast<llvm::SCEVCastExpr>(e)->getOperand());
        return inner && *inner >= 0 ? inner : std::nullopt;
      }
      case llvm::scUDivExpr: {
        auto* division = llvm::cast<llvm::SCEVUDivExpr>(e);
        auto a = of(division->getLHS()), b = of(division->getRHS());
        return a && b && *a >= 0 && *b > 0 ? std::optional<Whole>(*a / *b) : std::nullopt;
      }
      case llvm::scAddRecExpr: {
        auto* recurrence = llvm::cast<llvm::SCEVAddRecExpr>(e);
        auto it = iteration.find(recurrence->getLoop());
        if (!recurrence->isAffine() || it == iteration.end()) return {};
        auto start = of(recurrence->getOperand(0)), step = of(recurrence->getOperand(1));
        return start && step ? std::optional<Whole>(*start + *step * it->second) : std::nullopt;
      }
      case llvm::scUnknown: {
        auto name = binding_.of(llvm::cast<llvm::SCEVUnknown>(e)->getValue());
        if (!name) return {};
        auto it = setting_.find(*name);
        return it == setting_.end() ? std::nullopt : std::optional<Whole>(static_cast<Whole>(it->second));
      }
      case llvm::scAddExpr:
      case llvm::scMulExpr:
      case llvm::scUMaxExpr:
      case llvm::scSMaxExpr:
      case llvm::scUMinExpr:
      case llvm::scSMinExpr: return of_several(llvm::cast<llvm::SCEVNAryExpr>(e));
      default: return {};
    }
  }

 private:
  std::optional<Whole> of_several(const llvm::SCEVNAryExpr* e) const {
    std::optional<Whole> all;
    for (const llvm::SCEV* operand : e->operands()) {
      auto one = of(operand);
      if (!one) return {};
      if (!all) all = one;
      else if (e->getSCEVType() == llvm::scAddExpr) *all += *one;
      else if (e->getSCEVType() == llvm::scMulExpr && __builtin_mul_overflow(*all, *one, &*all)) return {};
      else if (e->getSCEVType() == llvm::scMulExpr) continue;
      else if (e->getSCEVType() == llvm::scUMaxExpr || e->getSCEVType() == llvm::scSMaxExpr) all = std::max(*all, *one);
      else all = std::min(*all, *one);
    }
    return all;
  }
  const Binding& binding_;
  const Setting& setting_;
};

// Executions of the innermost header of a nest, outermost loop first.
std::optional<double> executions(const std::vector<const llvm::Loop*>& nest, std::size_t depth, llvm::ScalarEvolution& evolution, Evaluator& at) {
  const llvm::SCEV* back = evolution.getBackedgeTakenCount(nest[depth]);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(back)) return {};
  auto times = at.of(back);
  if (!times || *times < 0) return {};
  if (depth + 1 == nest.size()) return static_cast<double>(*times + 1);
  bool same_each_time = true;
  for (std::size_t inner = depth + 1; inner < nest.size(); inner++) {
    const llvm::SCEV* often = evolution.getBackedgeTakenCount(nest[inner]);
    if (llvm::isa<llvm::SCEVCouldNotCompute>(often)) return {};  // what depends on that must not be asked
    same_each_time = same_each_time && evolution.isLoopInvariant(often, nest[depth]);
  }
  if (same_each_time) {
    auto inner = executions(nest, depth + 1, evolution, at);
    return inner ? std::optional<double>(*inner * static_cast<double>(*times + 1)) : std::nullopt;
  }
  double total = 0;
  for (Whole i = 0; i <= *times; i++) {
    if (at.steps_left-- <= 0) return {};
    at.iteration[nest[depth]] = i;
    auto inner = executions(nest, depth + 1, evolution, at);
    if (!inner) return {};
    total += *inner;
  }
  at.iteration.erase(nest[depth]);
  return total;
}

// Beyond what caps and tiles usually hold.
constexpr double far_sizes[] = {1009, 10007, 100003, 1000003};
bool is_far(const Setting& setting) { return !setting.empty() && setting.begin()->second >= far_sizes[0]; }

class FunctionWitness {
 public:
  FunctionWitness(llvm::Function& function, Function& graph, const Binding& binding, const std::vector<Setting>& settings)
      : graph_(graph), binding_(binding), settings_(settings), library_(llvm::TargetLibraryInfoImpl(llvm::Triple(function.getParent()->getTargetTriple()))),
        names_(library_, &function), cache_(function), tree_(function), loops_(tree_), evolution_(function, names_, cache_, tree_, loops_) {
    for (Block& block : graph.blocks) blocks_.emplace(block.name, &block);
  }

  void run() {
    if (graph_.calls.expression != "1") return;
    if (!graph_.blocks.empty() && graph_.blocks[0].count.expression == "1") graph_.blocks[0].count.certainty = Certainty::proved;
    for (llvm::Loop* loop : loops_.getLoopsInPreorder()) check(*loop);
  }

 private:
  Block* block_of(const llvm::BasicBlock* block) const {
    if (!block) return nullptr;
    auto it = blocks_.find(block->getName().str());
    return it == blocks_.end() ? nullptr : it->second;
  }
  // The loop is entered once in each iteration of the one around it, by the counts; its guard holds.
  bool entered_each_time(const llvm::Loop& loop) const {
    const Block* before = block_of(loop.getLoopPreheader());
    if (!before) return false;
    if (!loop.getParentLoop()) return before->count.expression == "1";
    const Block* around = block_of(loop.getParentLoop()->getHeader());
    return around && before->count.expression == around->count.expression;
  }
  void check(const llvm::Loop& loop) {
    std::vector<const llvm::Loop*> nest;
    for (const llvm::Loop* at = &loop; at; at = at->getParentLoop()) {
      if (!entered_each_time(*at)) return;
      nest.insert(nest.begin(), at);
    }
    if (nest.size() > 3) return;  // summing over deeper nests takes too long
    Block* header = block_of(loop.getHeader());
    if (!header || header->count.certainty != Certainty::interpolated) return;
    auto form = expr::parse(header->count.expression);
    if (!form) return;
    for (const Setting& setting : settings_) {
      Evaluator at(binding_, setting);
      auto found = executions(nest, 0, evolution_, at);
      if (!found && at.steps_left <= 0) continue;  // too large to sum over: the other sizes decide
      auto expected = expr::evaluate(*form, setting);
      if (!found || !expected) return;
      if (std::abs(*found - *expected) <= 0.25 + 1e-9 * *found) continue;
      // Far away the loop is another one (it has a cap, or a tile the samples did not fill): the form holds for small sizes only.
      if (is_far(setting)) mark(loop, *header, Certainty::unknown);
      return;
    }
    mark(loop, *header, Certainty::proved);
  }
  // All blocks of the loop that run as often as its header.
  void mark(const llvm::Loop& loop, const Block& header, Certainty certainty) const {
    const std::string same = header.count.expression;
    for (const llvm::BasicBlock* block : loop.blocks())
      if (Block* own = block_of(block); own && own->count.expression == same && own->count.certainty == Certainty::interpolated) own->count.certainty = certainty;
  }

  Function& graph_;
  const Binding& binding_;
  const std::vector<Setting>& settings_;
  llvm::TargetLibraryInfoImpl library_;
  llvm::TargetLibraryInfo names_;
  llvm::AssumptionCache cache_;
  llvm::DominatorTree tree_;
  llvm::LoopInfo loops_;
  llvm::ScalarEvolution evolution_;
  std::map<std::string, Block*> blocks_;
};

// More sizes than a quasi-polynomial of degree three and period eight has coefficients: agreement on all is identity. And a few
// far larger ones: what is capped at 1000 is a polynomial below it.
std::vector<Setting> witness_settings(const std::map<std::string, int>& parameters) {
  std::vector<Setting> all{{}};
  const int each = parameters.size() == 1 ? 40 : 6;
  for (const auto& [name, argument] : parameters) {
    std::vector<Setting> next;
    for (const Setting& setting : all)
      for (int k = 0; k < each; k++) {
        Setting one = setting;
        one[name] = parameters.size() == 1 ? 64 + k : 40 + 3 * k;
        next.push_back(std::move(one));
      }
    all = std::move(next);
    if (all.size() > 300) break;
  }
  for (double size : far_sizes) {
    Setting& far = all.emplace_back();
    for (const auto& [name, argument] : parameters) far[name] = size;
  }
  return all;
}

}  // namespace

void certify(const llvm_ir::CompiledProgram& program, const std::map<std::string, int>& parameters, Graph& ir, Graph* machine) {
  const Binding binding(parameters);
  const std::vector<Setting> settings = witness_settings(parameters);
  for (const auto& unit : program.units) {
    auto loaded = llvm_ir::load_module(unit.final_bitcode);
    if (!loaded) continue;
    for (llvm::Function& function : *loaded->module) {
      if (function.isDeclaration()) continue;
      for (Function& graph : ir.functions)
        if (graph.name == function.getName().str()) FunctionWitness(function, graph, binding, settings).run();
    }
  }
  if (!machine) return;
  std::map<std::pair<std::string, std::string>, const Count*> judged;
  for (const Function& function : ir.functions)
    for (const Block& block : function.blocks)
      if (block.count.certainty == Certainty::proved || block.count.certainty == Certainty::unknown) judged[{function.name, block.name}] = &block.count;
  for (Function& function : machine->functions)
    for (Block& block : function.blocks)
      if (block.from && block.count.certainty == Certainty::interpolated)
        if (auto it = judged.find({function.name, *block.from}); it != judged.end() && it->second->expression == block.count.expression)
          block.count.certainty = it->second->certainty;
}

}  // namespace perfcast::scaling
