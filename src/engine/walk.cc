#include "engine/walk.h"

#include <map>

#include "base/assert.h"

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

namespace {

void add_blocks(WalkProgram& program, const Function& function, int number) {
  int first = static_cast<int>(program.blocks.size());
  for (std::size_t b = 0; b < function.blocks.size(); b++) {
    const Block& block = function.blocks[b];
    WalkBlock walk;
    walk.function = number, walk.block = static_cast<int>(b), walk.count = block.count.value;
    walk.begin = program.code.size();
    for (const auto& instruction : block.code) program.code.push_back(&instruction);
    walk.end = program.code.size();
    for (const auto& edge : block.next)
      if (edge.count.value > 0 && edge.to >= 0 && static_cast<std::size_t>(edge.to) < function.blocks.size())
        walk.successors.push_back(first + edge.to), walk.choice.add(edge.count.value);
    if (block.mispredicted && walk.count > 0) walk.misprediction_rate = *block.mispredicted / walk.count;
    program.blocks.push_back(std::move(walk));
  }
}

// The calls of a block are listed in the order of its call instructions.
void add_calls(WalkProgram& program, int number, const Block& block, const std::map<std::string, int>& entries) {
  const WalkBlock& walk = program.blocks[static_cast<std::size_t>(number)];
  std::size_t nth = 0;
  for (std::size_t at = walk.begin; at < walk.end; at++) {
    if (program.callee[at] == WalkProgram::no_call) continue;
    std::string name = nth < block.calls.size() ? block.calls[nth].callee : "";
    nth++;
    auto entry = entries.find(name);
    if (entry == entries.end()) continue;
    program.callee[at] = entry->second;
    auto& sites = program.callers[static_cast<std::size_t>(program.blocks[static_cast<std::size_t>(entry->second)].function)];
    if (walk.count > 0) sites.places.emplace_back(number, at + 1), sites.choice.add(walk.count);
  }
}

}  // namespace

WalkProgram walk_program(const Graph& graph, const std::vector<InstructionForm>& forms) {
  WalkProgram program;
  std::map<std::string, int> entries;
  for (std::size_t f = 0; f < graph.functions.size(); f++) {
    if (!graph.functions[f].blocks.empty()) entries[graph.functions[f].name] = static_cast<int>(program.blocks.size());
    add_blocks(program, graph.functions[f], static_cast<int>(f));
  }
  program.callers.resize(graph.functions.size());
  for (const auto& function : graph.functions) {  // called often from places we do not see: again and again
    auto at = entries.find(function.name);
    auto number = static_cast<std::size_t>(&function - graph.functions.data());
    if (at != entries.end() && (function.calls.value > 1 || function.blocks[0].count.value > 1)) program.callers[number].entry = at->second;
  }
  for (const Instruction* instruction : program.code) {
    const auto& form = forms.at(static_cast<std::size_t>(instruction->form));
    program.callee.push_back(form.call ? WalkProgram::unknown_callee : WalkProgram::no_call);
    program.branches.push_back(form.branch || form.ret);
  }
  for (std::size_t k = 0; k < program.blocks.size(); k++) {
    const auto& function = graph.functions[static_cast<std::size_t>(program.blocks[k].function)];
    add_calls(program, static_cast<int>(k), function.blocks[static_cast<std::size_t>(program.blocks[k].block)], entries);
  }
  return program;
}

void Walker::start(int block) {
  frames_.clear();
  go(block);
  settle();
}

// From the end of a block to what comes next: a successor, the caller, or, when the walk began inside a function, one
// of the places that call it.
void Walker::leave_block() {
  if (!here().choice.empty()) return go(here().successors[here().choice.next()]);
  if (!frames_.empty()) {
    std::tie(block_, at_) = frames_.back();
    return frames_.pop_back();
  }
  auto& callers = program_.callers[static_cast<std::size_t>(here().function)];
  if (callers.choice.empty()) block_ = callers.entry, at_ = block_ < 0 ? 0 : here().begin, entering_ = true;
  else std::tie(block_, at_) = callers.places[callers.choice.next()];
}

// Passes through blocks without code.
void Walker::settle() {
  for (int passed = 0; block_ >= 0 && at_ >= here().end; passed++) {
    if (passed > 10000) block_ = -1;
    else leave_block();
  }
}

WalkStep Walker::next() {
  WalkStep step;
  step.block = block_, step.instruction = at_, step.enters_block = entering_;
  entering_ = false;
  const Instruction& instruction = *program_.code[at_];
  int callee = program_.callee[at_];
  bool branch = program_.branches[at_];
  WalkBlock& left = here();
  at_++;
  if (callee != WalkProgram::no_call) {
    step.taken = true;
    if (callee >= 0 && frames_.size() < deepest) {
      frames_.emplace_back(block_, at_);
      go(callee);
    }
  }
  bool leaves = block_ >= 0 && at_ >= here().end && &here() == &left;
  settle();
  bool behind = block_ >= 0 && program_.code[at_]->address == instruction.address + static_cast<std::uint64_t>(instruction.size);
  if (leaves && branch) {
    step.taken = !behind;
    left.mispredictions_due += left.misprediction_rate;
    if (left.mispredictions_due >= 1) step.mispredicted = true, left.mispredictions_due -= 1;
  }
  step.next_behind = behind && !step.taken;
  return step;
}

}  // namespace perfcast::engine
