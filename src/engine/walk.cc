#include "engine/walk.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>

#include "base/assert.h"
#include "engine/values.h"
#include "record/foresight.h"

namespace perfcast::engine {

std::size_t EvenChoice::next() {
  ensure(!empty(), "a choice has at least one candidate");
  std::size_t best = 0;
  for (std::size_t k = 0; k < weights_.size(); k++) overdue_[k] += weights_[k] / total_;
  for (std::size_t k = 1; k < weights_.size(); k++)
    if (overdue_[k] > overdue_[best]) best = k;
  overdue_[best] -= 1;
  return best;
}

std::size_t EvenChoice::heaviest_but(std::size_t choice) const {
  std::size_t best = choice == 0 ? 1 : 0;
  for (std::size_t k = best + 1; k < weights_.size(); k++)
    if (k != choice && weights_[k] > weights_[best]) best = k;
  return best;
}

namespace {

// How the mispredictions of a block fall on its successors. A counter of three bits that follows a branch whose rarer way
// has the odds o = p / (1 - p) foresees that way with odds o^4; so 1 / (1 + o^3) of what it gets wrong is the rarer way.
std::vector<WalkBlock::Misprediction> mispredictions(double rate, const std::vector<double>& successors) {
  if (successors.size() != 2) return std::vector<WalkBlock::Misprediction>(std::max<std::size_t>(1, successors.size()), {rate});
  const std::size_t rare = successors[0] < successors[1] ? 0 : 1, frequent = 1 - rare;
  const double all = rate * (successors[0] + successors[1]), odds = successors[rare] / successors[frequent];
  const double on_rare = std::min(successors[rare], all / (1 + odds * odds * odds));
  std::vector<WalkBlock::Misprediction> split(2);
  split[rare].rate = on_rare / successors[rare], split[frequent].rate = (all - on_rare) / successors[frequent];
  return split;
}

// When the first of them is due: anywhere within its period. In much code that is seen a few times each, none would ever be due if all
// began anew.
void spread_first(std::vector<WalkBlock::Misprediction>& mispredictions, std::uint64_t seed) {
  for (auto& misprediction : mispredictions) seed = arbitrary(seed), misprediction.due = std::ldexp(static_cast<double>(seed), -64);
}

// How often the branch of a block goes wrong on a core.
double mispredicted_in(const Block& block, const std::vector<InstructionForm>& forms, const BranchCosts& branches) {
  if (!block.mispredicted) return 0;
  bool jump = false;  // or a call; a branch at the end counts before them
  for (const Instruction& instruction : block.code) {
    const InstructionForm& form = forms.at(static_cast<std::size_t>(instruction.form));
    jump = (form.indirect && !form.ret) || (jump && !form.branch);
  }
  return jump ? jumps_mispredicted_on(branches, *block.mispredicted) : mispredicted_on(branches, *block.mispredicted);
}

// The last block that jumps back to each; the block itself where none does.
std::vector<int> last_to_return(const Function& function) {
  std::vector<int> last(function.blocks.size());
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t b = 0; b < function.blocks.size(); b++)
    for (const Edge& edge : function.blocks[b].next)
      if (edge.count.value > 0 && edge.to >= 0 && static_cast<std::size_t>(edge.to) <= b) last[static_cast<std::size_t>(edge.to)] = static_cast<int>(b);
  return last;
}

// Ends of loops that go wrong since so many branches lie between them that no history reaches back to the beginning. How long a
// loop may be depends on where its code lies: around the length that was measured, ever more of them go wrong. The branch that ends
// a loop is its last, which goes back, or, in unoptimised code, its first: one way leads into what returns to it, the other past it.
double missed_ends(const BranchCosts& branches, const Block& block, int last_to_return) {
  if (!branches.learned_loop || branches.learned_loop->value <= 0 || block.next.size() != 2) return 0;
  auto goes_on = [&](const Edge& edge) { return edge.to >= 0 && edge.to <= last_to_return; };
  const Edge &on = block.next[goes_on(block.next[0]) ? 0 : 1], &out = block.next[goes_on(block.next[0]) ? 1 : 0];
  if (!goes_on(on) || goes_on(out) || out.count.value <= 0) return 0;
  constexpr double around = 0.2;
  const double iterations = on.count.value / out.count.value + 1, longer = iterations / branches.learned_loop->value - 1;
  return out.count.value * std::clamp((longer + around) / (2 * around), 0.0, 1.0);
}

void add_blocks(WalkProgram& program, const Function& function, int number, const BranchCosts& branches,
                const std::vector<InstructionForm>& forms) {
  int first = static_cast<int>(program.blocks.size());
  const std::vector<int> returning = last_to_return(function);
  for (std::size_t b = 0; b < function.blocks.size(); b++) {
    const Block& block = function.blocks[b];
    WalkBlock walk;
    walk.function = number, walk.block = static_cast<int>(b), walk.count = block.count.value;
    walk.begin = program.code.size();
    for (const auto& instruction : block.code) program.code.push_back(&instruction);
    walk.end = program.code.size();
    std::vector<double> times;  // it was left for each successor
    for (const auto& edge : block.next)
      if (edge.count.value > 0 && edge.to >= 0 && static_cast<std::size_t>(edge.to) < function.blocks.size())
        walk.successors.push_back(first + edge.to), walk.choice.add(edge.count.value), times.push_back(edge.count.value);
    const double wrong = std::max(mispredicted_in(block, forms, branches), missed_ends(branches, block, returning[b]));
    walk.mispredictions = mispredictions(walk.count > 0 ? wrong / walk.count : 0, times);
    spread_first(walk.mispredictions, arbitrary(program.blocks.size()));
    program.blocks.push_back(std::move(walk));
  }
}

// Where the calls of a graph lead to.
class CallLinker {
 public:
  CallLinker(WalkProgram& program, const Graph& graph) : program_(program), graph_(graph), unexplained_(graph.functions.size()) {
    int first = 0;
    for (std::size_t f = 0; f < graph.functions.size(); f++) {
      const Function& function = graph.functions[f];
      if (!function.blocks.empty()) entries_[function.name] = first, unexplained_[f] = executions(function);
      first += static_cast<int>(function.blocks.size());
    }
  }

  void link() {
    for (std::size_t b = 0; b < program_.blocks.size(); b++) named_calls(static_cast<int>(b));
    for (auto [block, at] : through_pointers_) {
      for (std::size_t f = 0; f < graph_.functions.size(); f++)
        if (unexplained_[f] > 0.01 * executions(graph_.functions[f]) && function_name(f) != "main")
          connect(block, at, entries_.at(function_name(f)), unexplained_[f]);
    }
  }

 private:
  static double executions(const Function& function) {
    return function.calls.value > 0 ? function.calls.value : function.blocks[0].count.value;
  }
  const std::string& function_name(std::size_t f) const { return graph_.functions[f].name; }

  // The calls of a block are listed in the order of its call instructions; where it has one such instruction, all of
  // them are its own. A last branch that leaves for another function is a tail call.
  void named_calls(int number) {
    const WalkBlock& walk = program_.blocks[static_cast<std::size_t>(number)];
    const Block& block = graph_.functions[static_cast<std::size_t>(walk.function)].blocks[static_cast<std::size_t>(walk.block)];
    std::vector<std::size_t> sites;
    for (std::size_t at = walk.begin; at < walk.end; at++)
      if (program_.call[at] != WalkProgram::no_call) sites.push_back(at);
    if (sites.size() < block.calls.size() && mostly_leaves(walk, block) && walk.end > walk.begin && program_.branches[walk.end - 1] &&
        program_.call[walk.end - 1] == WalkProgram::no_call) {
      program_.call[walk.end - 1] = static_cast<int>(program_.calls.size());
      program_.calls.push_back({{}, {}, true});
      sites.push_back(walk.end - 1);
    }
    for (std::size_t k = 0; k < block.calls.size(); k++) {
      std::size_t nth = sites.size() == 1 ? 0 : k;
      if (nth >= sites.size()) break;
      if (block.calls[k].callee == "*") through_pointers_.emplace_back(number, sites[nth]);
      auto entry = entry_of(block.calls[k].callee, graph_.functions[static_cast<std::size_t>(walk.function)]);
      if (entry == entries_.end()) continue;
      double times = walk.count * block.calls[k].per_execution;
      unexplained_[function_of(entry->second)] -= times;
      connect(number, sites[nth], entry->second, times);
    }
  }

  // The stub of a shared library's routine leaves the function, but for the first time, when the routine is looked up.
  static bool mostly_leaves(const WalkBlock& walk, const Block& block) {
    double stays = 0;
    for (const Edge& edge : block.next) stays += edge.count.value;
    return walk.successors.empty() || stays < 0.01 * walk.count;
  }

  // The program reaches the routines of shared libraries by their stubs.
  std::map<std::string, int>::const_iterator entry_of(const std::string& callee, const Function& caller) const {
    auto stub = caller.library_name.empty() && !caller.name.ends_with("@plt") ? entries_.find(callee + "@plt") : entries_.end();
    return stub != entries_.end() ? stub : entries_.find(callee);
  }

  std::size_t function_of(int block) const { return static_cast<std::size_t>(program_.blocks[static_cast<std::size_t>(block)].function); }

  void connect(int block, std::size_t at, int entry, double times) {
    if (times <= 0) return;
    WalkProgram::Call& call = program_.calls[static_cast<std::size_t>(program_.call[at])];
    call.entries.push_back(entry), call.choice.add(times);
    auto& sites = program_.callers[function_of(entry)];
    if (double executed = std::min(times, program_.blocks[static_cast<std::size_t>(block)].count); executed > 0)
      sites.places.emplace_back(block, at + 1), sites.choice.add(executed);
  }

  WalkProgram& program_;
  const Graph& graph_;
  std::map<std::string, int> entries_;        // first block by name of function
  std::vector<double> unexplained_;           // executions of a function beyond those of the calls that name it
  std::vector<std::pair<int, std::size_t>> through_pointers_;
};

bool goes_wrong(WalkBlock::Misprediction& misprediction) {
  misprediction.due += misprediction.rate;
  if (misprediction.due < 1) return false;
  return misprediction.due -= 1, true;
}

// What is known of the calls through pointers of a block, told to each of them alike.
void foresee_calls(WalkProgram& program, const Graph& graph, const std::vector<InstructionForm>& forms, const BranchCosts& branches) {
  for (const WalkBlock& walk : program.blocks) {
    const Block& block = graph.functions[static_cast<std::size_t>(walk.function)].blocks[static_cast<std::size_t>(walk.block)];
    if (!block.mispredicted_calls || walk.count <= 0) continue;
    std::vector<WalkProgram::Call*> calls;
    for (std::size_t at = walk.begin; at < walk.end; at++)
      if (program.call[at] != WalkProgram::no_call && forms.at(static_cast<std::size_t>(program.code[at]->form)).indirect)
        calls.push_back(&program.calls[static_cast<std::size_t>(program.call[at])]);
    for (WalkProgram::Call* call : calls)
      call->misprediction.rate = std::min(1.0, jumps_mispredicted_on(branches, *block.mispredicted_calls) / walk.count / static_cast<double>(calls.size()));
  }
}

}  // namespace

WalkProgram walk_program(const Graph& graph, const std::vector<InstructionForm>& forms, const BranchCosts& branches) {
  WalkProgram program;
  program.callers.resize(graph.functions.size());
  for (std::size_t f = 0; f < graph.functions.size(); f++) {
    const Function& function = graph.functions[f];
    auto first = static_cast<int>(program.blocks.size());
    add_blocks(program, function, static_cast<int>(f), branches, forms);
    // Called often from places we do not see: again and again.
    if (!function.blocks.empty() && (function.calls.value > 1 || function.blocks[0].count.value > 1)) program.callers[f].entry = first;
  }
  for (const Instruction* instruction : program.code) {
    const auto& form = forms.at(static_cast<std::size_t>(instruction->form));
    program.call.push_back(form.call ? static_cast<int>(program.calls.size()) : WalkProgram::no_call);
    if (form.call) program.calls.emplace_back();
    program.branches.push_back(form.branch || form.ret), program.conditional.push_back(form.conditional);
  }
  for (WalkBlock& block : program.blocks)
    for (std::size_t at = block.begin; at < block.end; at++) {
      const auto& form = forms[static_cast<std::size_t>(program.code[at]->form)];
      const bool last = at + 1 == block.end, none_yet = block.mispredicts_at >= block.end;
      if ((form.branch && last) || (form.call && form.indirect) || (form.ret && last && none_yet)) block.mispredicts_at = at;
    }
  CallLinker(program, graph).link();
  foresee_calls(program, graph, forms, branches);
  return program;
}

std::vector<int> way_to(const WalkProgram& program, int block) {
  auto at = [&](int b) -> const WalkBlock& { return program.blocks[static_cast<std::size_t>(b)]; };
  const int entry = block - at(block).block;  // blocks of a function lie together
  std::map<int, int> came_from{{entry, -1}};
  std::vector<int> reached{entry};
  for (std::size_t k = 0; k < reached.size() && !came_from.contains(block); k++)
    for (int next : at(reached[k]).successors)
      if (came_from.try_emplace(next, reached[k]).second) reached.push_back(next);
  std::vector<int> way;
  if (auto last = came_from.find(block); last != came_from.end())
    for (int b = last->second; b >= 0; b = came_from.at(b)) way.push_back(b);
  std::ranges::reverse(way);
  return way;
}

void Walker::start(int block) {
  frames_.clear();
  go(block);
  settle();
}

// From the end of a block to what comes next: a successor, the caller, or, when the walk began inside a function, one
// of the places that call it.
void Walker::leave_block() {
  if (!here().choice.empty()) {
    chose_ = chose_ || !here().choice.certain();
    here().left_for = here().choice.next();
    return go(here().successors[here().left_for]);
  }
  if (!frames_.empty()) {
    std::tie(block_, at_) = frames_.back();
    return frames_.pop_back();
  }
  auto& callers = program_.callers[static_cast<std::size_t>(here().function)];
  if (callers.choice.empty()) block_ = callers.entry, at_ = block_ < 0 ? 0 : here().begin, entering_ = true;
  else chose_ = chose_ || !callers.choice.certain(), std::tie(block_, at_) = callers.places[callers.choice.next()];
}

// Passes through blocks without code.
void Walker::settle() {
  for (int passed = 0; block_ >= 0 && at_ >= here().end; passed++) {
    if (passed > 10000) block_ = -1;
    else leave_block();
  }
}

void Walker::enter(WalkProgram::Call& call, WalkStep& step) {
  step.taken = true, step.mispredicted = goes_wrong(call.misprediction);
  if (call.choice.empty() || frames_.size() >= deepest) return;
  if (!call.tail) frames_.emplace_back(block_, at_);
  chose_ = chose_ || !call.choice.certain();
  go(call.entries[call.choice.next()]);
}

WalkStep Walker::next() {
  WalkStep step;
  step.block = block_, step.instruction = at_, step.enters_block = entering_;
  entering_ = chose_ = false;
  const Instruction& instruction = *program_.code[at_];
  int call = program_.call[at_];
  bool branch = program_.branches[at_], conditional = program_.conditional[at_];
  WalkBlock& left = here();
  at_++;
  if (call != WalkProgram::no_call) enter(program_.calls[static_cast<std::size_t>(call)], step);
  bool leaves = block_ >= 0 && at_ >= here().end && &here() == &left;
  settle();
  bool behind = block_ >= 0 && program_.code[at_]->address == instruction.address + static_cast<std::uint64_t>(instruction.size);
  if (leaves && branch) step.taken = !behind || !conditional;  // unoptimised code jumps to what lies behind, too
  if (step.instruction == left.mispredicts_at && goes_wrong(left.mispredictions[left.left_for])) step.mispredicted = true;
  if (behind && !step.taken) step.behind = at_;
  step.chosen = chose_;
  return step;
}

BelievedWay::BelievedWay(const Walker& walker, int block) : walker_(walker), block_(block), below_(walker.frames_.size()) {
  const WalkBlock& left = here();
  if (left.successors.size() < 2) block_ = -1;
  else go(left.successors[left.choice.heaviest_but(left.left_for)]);
}

// What the core believes about the branch that ends a block, and what is right.
void BelievedWay::foresee(Place& place) {
  const WalkBlock& block = here();
  if (block.choice.empty() || place.instruction + 1 != block.end) return;
  Foresight& seen = foresight_.try_emplace(block_, block.choice, block.mispredictions).first->second;
  right_ = believed_ = seen.choice.next();
  auto& [rate, due] = seen.mispredictions[*right_];
  due += rate;
  if (due < 1 || block.successors.size() < 2) return;
  due -= 1, believed_ = block.choice.heaviest_but(*right_), place.mispredicted = true;
}

bool BelievedWay::leave_block() {
  if (!here().choice.empty()) {
    const std::size_t to = believed_ ? *believed_ : here().choice.heaviest();
    believed_.reset();
    return go(here().successors[to]), true;
  }
  if (!frames_.empty()) return std::tie(block_, at_) = frames_.back(), frames_.pop_back(), true;
  if (below_ == 0) return false;
  return std::tie(block_, at_) = walker_.frames_[--below_], true;
}

std::optional<BelievedWay::Place> BelievedWay::next() {
  constexpr int most_passed = 100;  // blocks without code
  if (block_ < 0) return {};
  for (int passed = 0; at_ >= here().end; passed++)
    if (passed >= most_passed || !leave_block()) return {};
  Place place{block_, at_++};
  foresee(place);
  const int call = walker_.program_.call[place.instruction];
  if (call == WalkProgram::no_call) return place;
  const WalkProgram::Call& called = walker_.program_.calls[static_cast<std::size_t>(call)];
  if (called.choice.empty()) return place;
  if (!called.tail) frames_.emplace_back(block_, at_);
  go(called.entries[called.choice.heaviest()]);
  return place;
}

}  // namespace perfcast::engine
