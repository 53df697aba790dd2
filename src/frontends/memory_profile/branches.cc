#include "frontends/memory_profile/branches.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <set>

#include "record/successors.h"

namespace perfcast::memory_profile {

Choices choices_of(const MemoryProfile& profile) {
  Choices choices;
  for (const BranchSite& site : profile.branches)
    if (site.kind != BranchKind::branch && site.kind != BranchKind::call && site.executed > 0)
      choices[{site.function, site.block}].push_back({site.kind, site.taken / site.executed, site.mispredicted * (1 / site.executed), site.at});
  return choices;
}

namespace {

// Which machine blocks of an IR block take its mispredictions: those that jump by a table, else those with a conditional
// branch.
int claim_of(const Block& block, const std::vector<InstructionForm>& forms) {
  bool jumps = false, conditional = false;
  for (const Instruction& instruction : block.code) {
    const InstructionForm& form = forms[static_cast<std::size_t>(instruction.form)];
    jumps = jumps || (form.branch && form.indirect && !form.ret && !form.call);
    conditional = conditional || form.conditional;
  }
  return jumps && block.next.size() > 1 ? 2 : conditional && block.next.size() > 1 ? 1 : 0;
}

// Calls and jumps through pointers that leave the function.
double calls_through_pointers(const Block& block) {
  return static_cast<double>(std::ranges::count_if(block.calls, [](const Call& call) { return call.callee == "*"; }));
}

// What was seen of a part of a condition: how often it was met, and then decided.
struct Part {
  double met = 0, decides = 0;
  Mispredictions mispredicted;
};
// Of the parts of a condition that was met so often.
std::vector<Part> parts_of(const std::vector<Choice>& choices, double met) {
  std::vector<Part> parts;
  for (const Choice& choice : choices)
    if (choice.kind == BranchKind::part) {
      parts.push_back({met, met * choice.taken, choice.mispredicted * met});
      met -= met * choice.taken;
    }
  return parts;
}

// One function's machine code.
class Branches {
 public:
  Branches(Function& function, const std::vector<InstructionForm>& forms) : function_(function), forms_(forms) {
    find_origins();
    for (Block& block : function.blocks)
      if (invented(block)) invented_[{*origin(block), of_division(block) ? BranchKind::division : BranchKind::choice}].push_back(&block);
  }

  // The IR block it is a piece of.
  const std::optional<std::string>& origin(const Block& block) const {
    return origins_[static_cast<std::size_t>(&block - function_.blocks.data())];
  }

  // A branch the code generator made inside an IR block: the ways through that block meet again at once (the tree of a
  // switch does not), or each has its own copy of the branch that ends the block, as when the two halves of a search go on;
  // and how often each was taken is a guess.
  bool invented(const Block& block) const {
    if (!origin(block) || claim_of(block, forms_) != 1 || block.next.size() != 2) return false;
    const Edge &one = block.next[0], &other = block.next[1];
    if (one.to < 0 || other.to < 0 || one.count.certainty != Certainty::ratio || other.count.certainty != Certainty::ratio) return false;
    auto after_one = way_inside(one, block), after_other = way_inside(other, block);
    if (after_one == other.to || after_other == one.to || (after_one && after_one == after_other)) return true;
    const auto ends = ends_inside(one, block);
    return ends.size() == 2 && ends == ends_inside(other, block);
  }

  // It chooses between a division and the same in another width.
  bool of_division(const Block& block) const {
    return std::ranges::all_of(block.next, [&](const Edge& edge) { return divides(behind(edge)); });
  }

  void add_to(MadeBranches& made) {
    for (const auto& [of, branches] : invented_)
      if (of.second == BranchKind::choice)
        for (const Block* branch : branches) made.of_choices[{function_.name, of.first}].insert(position_of(*branch));
    for (Block& block : function_.blocks)
      if (origin(block) && chain_from(block, *origin(block), 2)) made.of_parts.emplace(function_.name, *origin(block));
  }

  // What is known of the choices of an IR block, told to the branches it became: to those at its place in the source. Where that
  // does not tell and their numbers differ, some choices became no branch: each branch is taken for the average.
  void tell(const std::string& from, const std::vector<Choice>& choices) {
    for (BranchKind kind : {BranchKind::choice, BranchKind::division}) {
      const std::vector<Block*>& branches = invented_[{from, kind}];
      std::vector<Choice> known;
      std::ranges::copy_if(choices, std::back_inserter(known), [&](const Choice& choice) { return choice.kind == kind; });
      if (known.empty()) continue;
      const Choice average = average_of(known);
      for (std::size_t k = 0; k < branches.size(); k++) {
        const Position at = position_of(*branches[k]);
        const auto there = at == Position() ? known.end() : std::ranges::find(known, at, &Choice::at);
        const Choice& choice = known.size() == branches.size() ? known[k] : there != known.end() ? *there : average;
        branches[k]->mispredicted = choice.mispredicted * branches[k]->count.value;
        if (kind == BranchKind::division) share_division(*branches[k], choice.taken);
      }
    }
  }

  // A condition of several parts that became a branch each, one behind the other, all of which lead to where any part decides:
  // each has its own mispredictions, and how often it decides is known. Copies of the whole share them.
  void tell_parts(const std::string& from, const std::vector<Part>& parts) {
    std::vector<Chain> copies;
    double executions = 0;
    for (Block& block : function_.blocks)
      if (auto chain = chain_from(block, from, parts.size())) executions += block.count.value, copies.push_back(std::move(*chain));
    for (const Chain& copy : copies)
      for (std::size_t k = 0; k < parts.size() && executions > 0; k++) tell_part(copy, k, parts[k], copy.blocks[0]->count.value / executions);
  }

 private:
  static Choice average_of(const std::vector<Choice>& choices) {
    Choice average{choices[0].kind, 0, {}, {}};
    const double each = 1 / static_cast<double>(choices.size());
    for (const Choice& choice : choices) average.taken += choice.taken * each, average.mispredicted += choice.mispredicted * each;
    return average;
  }
  // Of the branch that ends a block.
  Position position_of(const Block& block) const {
    for (const Instruction& instruction : block.code)
      if (forms_[static_cast<std::size_t>(instruction.form)].conditional) return {instruction.line, instruction.column};
    return {};
  }

  struct Chain {
    std::vector<Block*> blocks;  // a part each
    int decided = 0;             // the block they all lead to
  };
  bool is_part(const Block& block, const std::string& from) const {
    return origin(block) == from && !invented(block) && claim_of(block, forms_) == 1 && block.next.size() == 2 && block.next[0].to >= 0 && block.next[1].to >= 0;
  }
  // The branches of a condition's parts, if they begin here: each leads to the next, which lies behind it.
  std::optional<Chain> chain_from(Block& first, const std::string& from, std::size_t parts) {
    if (!is_part(first, from)) return {};
    Chain chain{{&first}, -1};
    while (chain.blocks.size() < parts) {
      const Block& last = *chain.blocks.back();
      auto to = [&](const Edge& edge) { return &function_.blocks[static_cast<std::size_t>(past_jumps(edge.to))]; };
      const auto next = std::ranges::find_if(last.next, [&](const Edge& edge) { return to(edge) > &last && is_part(*to(edge), from); });
      if (next == last.next.end()) return {};
      if (chain.blocks.size() == 1) chain.decided = past_jumps((next == last.next.begin() ? last.next[1] : last.next[0]).to);
      chain.blocks.push_back(to(*next));
    }
    const bool all = std::ranges::all_of(chain.blocks, [&](const Block* block) {
      return std::ranges::any_of(block->next, [&](const Edge& edge) { return past_jumps(edge.to) == chain.decided; });
    });
    return all ? std::optional(chain) : std::nullopt;
  }
  void tell_part(const Chain& chain, std::size_t k, const Part& part, double share) {
    Block& block = *chain.blocks[k];
    block.mispredicted = part.mispredicted * share;
    if (block.count.certainty == Certainty::ratio) block.count.value = part.met * share;
    for (Edge& edge : block.next)
      if (edge.count.certainty == Certainty::ratio) {
        edge.count.value = share * (past_jumps(edge.to) == chain.decided ? part.decides : part.met - part.decides);
        if (Block& jump = behind(edge); only_jumps(jump) && jump.count.certainty == Certainty::ratio) jump.count.value = jump.next[0].count.value = edge.count.value;
      }
  }
  static bool only_jumps(const Block& block) { return block.code.size() <= 1 && block.next.size() == 1 && block.next[0].to >= 0; }
  // Where one comes to past blocks that only jump on.
  int past_jumps(int to) const {
    for (int steps = 0; to >= 0 && steps < 4 && only_jumps(function_.blocks[static_cast<std::size_t>(to)]); steps++)
      to = function_.blocks[static_cast<std::size_t>(to)].next[0].to;
    return to;
  }

  // Blocks the code generator made have no name of the IR; one that is reached from pieces of one IR block alone is a
  // piece of it.
  void find_origins() {
    std::vector<std::vector<std::size_t>> before(function_.blocks.size());
    for (std::size_t b = 0; b < function_.blocks.size(); b++) {
      origins_.push_back(function_.blocks[b].from);
      for (const Edge& edge : function_.blocks[b].next)
        if (edge.to >= 0) before[static_cast<std::size_t>(edge.to)].push_back(b);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = 0; b < before.size(); b++) {
        if (origins_[b] || before[b].empty() || !origins_[before[b][0]]) continue;
        if (!std::ranges::all_of(before[b], [&](std::size_t p) { return origins_[p] == origins_[before[b][0]]; })) continue;
        origins_[b] = origins_[before[b][0]], changed = true;
      }
    }
  }
  const Block& behind(const Edge& edge) const { return function_.blocks[static_cast<std::size_t>(edge.to)]; }
  Block& behind(const Edge& edge) { return function_.blocks[static_cast<std::size_t>(edge.to)]; }

  // Where a piece of the same IR block leads to, if it leads to one place.
  std::optional<int> way_inside(const Edge& edge, const Block& from) const {
    const Block& piece = behind(edge);
    return origin(piece) == origin(from) && piece.next.size() == 1 ? std::optional(piece.next[0].to) : std::nullopt;
  }

  // Where a piece of the same IR block leads to by its own branch, past blocks that only jump on.
  std::set<int> ends_inside(const Edge& edge, const Block& from) const {
    std::set<int> ends;
    if (origin(behind(edge)) != origin(from)) return ends;
    for (const Edge& way : behind(edge).next) ends.insert(past_jumps(way.to));
    return ends;
  }

  const std::string* division_of(const Block& block) const {
    for (const Instruction& instruction : block.code)
      if (const std::string& opcode = forms_[static_cast<std::size_t>(instruction.form)].opcode; opcode.contains("DIV")) return &opcode;
    return nullptr;
  }
  bool divides(const Block& block) const { return division_of(block) != nullptr; }

  void share_division(Block& test, double narrow) {
    for (Edge& edge : test.next) {
      Block& division = behind(edge);
      double share = division_of(division)->contains("32") ? narrow : 1 - narrow;
      edge.count.value = division.count.value = share * test.count.value;
      if (division.next.size() == 1) division.next[0].count.value = division.count.value;
    }
  }

  Function& function_;
  const std::vector<InstructionForm>& forms_;
  std::vector<std::optional<std::string>> origins_;
  std::map<std::pair<std::string, BranchKind>, std::vector<Block*>> invented_;  // in the order of the code
};

// The blocks of one function of the IR, by name.
class BranchesOfIr {
 public:
  explicit BranchesOfIr(const Function& function) : function_(function) {
    for (const Block& block : function.blocks) blocks_[block.name] = &block;
  }
  // The block whose branch ends a piece of `name`: itself, or where it leads to without a branch of its own, since the
  // code generator joins such blocks and copies short ones behind each of those before them.
  const Block* ending(const std::string& name) const {
    auto found = blocks_.find(name);
    const Block* block = found == blocks_.end() ? nullptr : found->second;
    for (int steps = 0; block && !block->mispredicted && block->next.size() == 1 && block->next[0].to >= 0 && steps < 8; steps++)
      block = &function_.blocks[static_cast<std::size_t>(block->next[0].to)];
    return block;
  }

 private:
  const Function& function_;
  std::map<std::string, const Block*> blocks_;
};

void merge(std::vector<Part>& into, const std::vector<Part>& other) {
  if (into.empty()) into = other;
  else if (into.size() == other.size())
    for (std::size_t k = 0; k < into.size(); k++)
      into[k].met += other[k].met, into[k].decides += other[k].decides, into[k].mispredicted += other[k].mispredicted;
}

// What was seen of the parts of conditions. Where a test has no branch of its own, the code generator made it one with another
// that leads to the same places.
void pass_on_parts(const Function& ir, const Choices& choices, const std::function<bool(const Block&)>& has_own, Branches& branches) {
  std::map<std::set<int>, std::vector<Part>> without_own;
  std::vector<std::pair<const Block*, std::vector<Part>>> conditions;
  for (const Block& block : ir.blocks) {
    auto found = choices.find({ir.name, block.name});
    std::vector<Part> parts = found != choices.end() ? parts_of(found->second, block.count.value) : std::vector<Part>();
    if (parts.empty()) continue;
    if (has_own(block)) conditions.emplace_back(&block, std::move(parts));
    else merge(without_own[successors(block)], parts);
  }
  for (auto& [block, parts] : conditions) {
    if (auto others = without_own.find(successors(*block)); others != without_own.end()) merge(parts, others->second), without_own.erase(others);
    branches.tell_parts(block->name, parts);
  }
}

// Mispredictions of calls through pointers, shared by the machine blocks that make them.
void pass_on_calls(const Function& ir, const Branches& branches, Function& machine) {
  std::map<std::string, double> executions;
  for (const Block& block : machine.blocks)
    if (branches.origin(block)) executions[*branches.origin(block)] += block.count.value * calls_through_pointers(block);
  for (const Block& from : ir.blocks)
    if (from.mispredicted_calls && executions[from.name] > 0)
      for (Block& block : machine.blocks)
        if (const double calls = calls_through_pointers(block); calls > 0 && branches.origin(block) == from.name)
          block.mispredicted_calls = *from.mispredicted_calls * (block.count.value * calls / executions[from.name]);
}

}  // namespace

MadeBranches made_branches(const std::vector<InstructionForm>& forms, Graph& machine) {
  MadeBranches made;
  for (Function& function : machine.functions) Branches(function, forms).add_to(made);
  return made;
}

// Mispredictions are kept in number: copies of an IR block and the tree of comparisons a switch became share them by
// their executions. Branches made of choices have their own.
void pass_on_branches(const Graph& ir, const Choices& choices, const std::vector<InstructionForm>& forms, Graph& machine) {
  std::map<std::string, const Function*> in_ir;
  for (const Function& function : ir.functions) in_ir[function.name] = &function;
  for (Function& function : machine.functions) {
    auto known = in_ir.find(function.name);
    if (known == in_ir.end()) continue;
    BranchesOfIr ir_branches(*known->second);
    Branches branches(function, forms);
    struct Claims {
      int strongest = 0;
      double executions = 0;
      Mispredictions mispredicted;
    };
    auto source = [&](const Block& block) {  // whose mispredictions a machine block may claim
      const Block* from = branches.origin(block) && !branches.invented(block) ? ir_branches.ending(*branches.origin(block)) : nullptr;
      return from && from->mispredicted && from->count.value > 0 ? from : nullptr;
    };
    std::map<const Block*, Claims> claims;
    for (const Block& block : function.blocks)
      if (const Block* from = source(block)) {
        Claims& all = claims[from];
        int claim = claim_of(block, forms);
        if (claim > all.strongest) all = {claim, 0, {}};
        if (claim == all.strongest) all.executions += block.count.value, all.mispredicted = *from->mispredicted;
      }
    // The test before a loop and the one at its end are often merged: who leads to the same places has the other's too.
    for (const Block& lost : known->second->blocks)
      if (lost.mispredicted && (!claims.contains(&lost) || claims[&lost].strongest == 0))
        for (auto& [from, all] : claims)
          if (all.strongest == 1 && successors(lost).size() > 1 && successors(lost) == successors(*from)) {
            all.mispredicted += *lost.mispredicted;
            break;
          }
    for (Block& block : function.blocks)
      if (const Block* from = source(block)) {
        const Claims& all = claims[from];
        if (all.strongest > 0 && all.executions > 0 && claim_of(block, forms) == all.strongest)
          block.mispredicted = all.mispredicted * (block.count.value / all.executions);
      }
    pass_on_calls(*known->second, branches, function);
    for (const Block& block : known->second->blocks)
      if (auto found = choices.find({function.name, block.name}); found != choices.end()) branches.tell(block.name, found->second);
    pass_on_parts(*known->second, choices, [&](const Block& block) { return claims.contains(&block) && claims[&block].strongest == 1; }, branches);
  }
}

}  // namespace perfcast::memory_profile
