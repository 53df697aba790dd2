#include "methods/bounds/unrolled.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "methods/bounds/classes.h"
#include "record/work.h"

namespace perfcast::bounds {
namespace {

// ------------------------------------------------------------------------------------- straight code in front of a remainder

// Whether most instructions of a block were written in these lines.
bool written_in(const Block& block, const SourceLoop& source) {
  double inside = 0, known = 0;
  for (const Instruction& instruction : block.code) {
    if (!instruction.line) continue;
    const std::string& file = instruction.file.empty() ? block.at.file : instruction.file;
    known++, inside += file == source.at.file && instruction.line >= source.first_line && instruction.line <= source.last_line;
  }
  return known > 0 && inside > known / 2;
}

const Block* ir_block_of(const Profile& profile, const Function& function, const Block& block, std::pair<int, int>& place) {
  if (!profile.ir || !block.from) return nullptr;
  for (std::size_t f = 0; f < profile.ir->functions.size(); f++) {
    const Function& ir = profile.ir->functions[f];
    if (ir.name != function.name) continue;
    for (std::size_t b = 0; b < ir.blocks.size(); b++)
      if (ir.blocks[b].name == *block.from) return place = {static_cast<int>(f), static_cast<int>(b)}, &ir.blocks[b];
  }
  return nullptr;
}

}  // namespace

void take_in_straight_code(const Profile& profile, const SourceLoops& loops, std::vector<LoopGroup>& groups) {
  if (!profile.ir) return;
  std::map<std::pair<std::string, Place>, Work> done;  // by all copies of a loop together
  for (const LoopGroup& group : groups)
    if (group.source) done[loops.written(*group.source)].add(done_by(profile, group.ir_blocks));
  for (LoopGroup& group : groups) {
    if (!group.source || !group.source->innermost) continue;
    constexpr double most = 0.9;
    Work asked = asked_for(*group.source);
    asked.bytes_loaded = 0;  // what is kept in registers is loaded elsewhere
    if (done[loops.written(*group.source)].share_of(asked).value_or(1) >= most) continue;  // what is missing is elsewhere
    const Function& function = profile.machine->functions[static_cast<std::size_t>(group.function)];
    for (std::size_t b = 0; b < function.blocks.size(); b++) {
      const Block& block = function.blocks[b];
      const int number = static_cast<int>(b);
      if (block.count.value <= 0 || std::ranges::find(group.blocks, number) != group.blocks.end() || !written_in(block, *group.source)) continue;
      auto holder = std::ranges::find_if(groups, [&](const LoopGroup& other) { return other.function == group.function && std::ranges::find(other.blocks, number) != other.blocks.end(); });
      if (holder != groups.end() && (!holder->source || holder->source->innermost)) continue;  // another loop's own
      std::pair<int, int> place;
      const Block* from = ir_block_of(profile, function, block, place);
      Work more;
      if (from) more.add(*from);
      if (more.flops + more.bytes_stored <= 0) continue;
      if (holder != groups.end()) std::erase(holder->blocks, number), std::erase(holder->ir_blocks, place);
      group.blocks.push_back(number);
      if (std::ranges::find(group.ir_blocks, place) == group.ir_blocks.end()) group.ir_blocks.push_back(place);
    }
  }
}

// ---------------------------------------------------------------------------------------------------- unrolled whole
namespace {

// From a reference per iteration of a loop to the same per iteration of the loop around it, `times` iterations of the inner one
// later. What it brings is new but for the elements that the outer iteration before has met; those that no outer iteration
// moves on from (a step of 0) are kept for the loop farther out.
void step_out(Reference& reference, double times) {
  auto step = [&] { return reference.affine() ? reference.stride_bytes[0] : std::nullopt; };
  const auto inner = step();
  const bool whole = reference.contiguous();
  if (!reference.stride_bytes.empty()) reference.stride_bytes.erase(reference.stride_bytes.begin());
  const auto outer = step();
  reference.written *= times;
  if (inner && *inner == 0) return;
  double moved = inner && outer && *outer != 0 ? std::abs(*outer / *inner) : times;  // inner steps that an outer one is worth
  if (moved != std::floor(moved)) moved = times;
  reference.elements *= std::min(times, moved);
  reference.side_by_side = whole || (outer && std::abs(*outer) == reference.element_bytes);
}

// What the code of a loop does itself: library routines that it calls have no part in it.
Work done_in_code(const Profile& profile, const LoopGroup& group) {
  Work work;
  for (int b : group.blocks) {
    const Block& block = profile.machine->functions[static_cast<std::size_t>(group.function)].blocks[static_cast<std::size_t>(b)];
    for (const Instruction& instruction : block.code) {
      const InstructionForm& form = profile.forms[static_cast<std::size_t>(instruction.form)];
      const Classified made = classify(form, instruction);
      work.flops += made.flops * block.count.value;
      if (made.spill) continue;
      if (form.store) work.bytes_stored += form.memory_bytes * block.count.value;
      if (form.load) work.bytes_loaded += form.memory_bytes * block.count.value;
    }
  }
  return work;
}

class Vanished {
 public:
  Vanished(const Profile& profile, const SourceLoops& loops, std::vector<LoopGroup>& groups) : profile_(profile), loops_(loops), groups_(groups) {
    for (std::size_t g = 0; g < groups.size(); g++)
      if (const SourceLoop* source = groups[g].source) {
        present_.insert(loops.place_of(*source)), groups_of_[source].push_back(g);
        if (source->iterations <= 0) continue;
        const double part = groups[g].iterations / source->iterations;  // of the iterations of all copies
        here_[source] += part, unexplained_[source].add(asked_for(*source), -part), unexplained_[source].add(done_in_code(profile, groups[g]));
      }
  }
  // In any copy and any function: the compiler need not have inlined what an ideal one would.
  bool present(const SourceLoop& loop) const { return present_.contains(loops_.place_of(loop)); }

  // Whether the code around a loop that left none does its work too: else a library routine or a formula took its place.
  bool unrolled(const SourceLoop& inner) const {
    constexpr double short_enough = 64;  // iterations per entry: never worth a call
    if (inner.entries <= 0) return false;
    if (inner.iterations / inner.entries <= short_enough) return true;
    constexpr double most = 0.5;
    const SourceLoop* up = left_around(inner);
    if (!up || up->iterations <= 0) return false;
    Work asked;
    asked.add(asked_for(inner), here_.at(up));
    return unexplained_.at(up).share_of(asked).value_or(0) > most;
  }

  // A loop that left no loop in the code: its work is that of the next one around it that did.
  void take_in(const SourceLoop& inner) {
    const SourceLoop* up = left_around(inner);
    if (!up || up->iterations <= 0) return;
    const double times = inner.iterations / up->iterations;
    unexplained_[up].add(asked_for(inner), -here_[up]);
    for (std::size_t g : groups_of_[up]) {
      SourceLoop& needs = groups_[g].needs;
      for (const auto& [name, count] : inner.operations)  // a counter that is converted is a number now
        if (!name.starts_with("sitofp") && !name.starts_with("uitofp")) needs.operations[name] += times * count;
      for (const auto& [name, count] : inner.calls) needs.calls[name] += times * count;
      needs.flops += times * inner.flops, needs.branches += times * inner.branches;
    }
    for (const Reference& reference : inner.references) take_in(reference, inner);
  }

 private:
  // The next loop around it that is left in the code of the same function.
  const SourceLoop* left_around(const SourceLoop& loop) const {
    const SourceLoop* up = around(loop);
    while (up && !present(*up)) up = around(*up);
    return up && groups_of_.contains(up) ? up : nullptr;
  }
  const SourceLoop* around(const SourceLoop& loop) const { return loop.parent ? &profile_.source_loops[static_cast<std::size_t>(*loop.parent)] : nullptr; }

  // What no iteration of the next loop around moves on from can be kept for the whole of that loop. Where the code loads it is the
  // compiler's choice, so it is new to nobody, but the loop farther out may well load it.
  void take_in(Reference reference, const SourceLoop& inner) {
    double often = 1;  // entries of the loop inside per iteration of the one around it
    bool kept = false;
    for (const SourceLoop *loop = &inner, *up = around(inner); up && up->iterations > 0; loop = up, up = around(*up)) {
      if (loop->entries <= 0) return;
      step_out(reference, loop->iterations / loop->entries), often *= loop->entries / up->iterations;
      if (!present(*up)) continue;
      if (reference.affine() && *reference.stride_bytes[0] == 0) {
        kept = true;
        continue;
      }
      reference.written = reference.elements * often, reference.elements = kept ? 0 : reference.written;
      for (std::size_t g : groups_of_[up]) groups_[g].needs.references.push_back(reference);
      return;
    }
  }

  const Profile& profile_;
  const SourceLoops& loops_;
  std::vector<LoopGroup>& groups_;
  std::set<Place> present_;
  std::map<const SourceLoop*, double> here_;       // the part of a loop's iterations that its copy in this function does
  std::map<const SourceLoop*, Work> unexplained_;  // what the code of a loop does beyond the needs it is known to have
  std::map<const SourceLoop*, std::vector<std::size_t>> groups_of_;
};

}  // namespace

void take_in_vanished(const Profile& profile, const SourceLoops& loops, std::vector<LoopGroup>& groups) {
  Vanished vanished(profile, loops, groups);
  std::set<std::string> functions;
  std::set<const SourceLoop*> hold;    // loops that hold one which is left
  std::set<const SourceLoop*> unlike;  // ... or one that became something else: what they carry around is known only for unrolled ones
  for (LoopGroup& group : groups)
    if (group.source) group.needs = *group.source, functions.insert(group.source->function);
  for (const std::string& function : functions)
    for (const SourceLoop* inner : loops.in(function)) {
      const bool left = vanished.present(*inner), taken_in = !left && vanished.unrolled(*inner);
      if (taken_in) vanished.take_in(*inner);
      for (auto up = inner->parent; up && !taken_in; up = profile.source_loops[static_cast<std::size_t>(*up)].parent) {
        const SourceLoop* around = &profile.source_loops[static_cast<std::size_t>(*up)];
        unlike.insert(around);
        if (left) hold.insert(around);
      }
    }
  for (LoopGroup& group : groups) {
    group.outer = group.source && hold.contains(group.source);
    if (unlike.contains(group.source)) group.needs.recurrences.clear();
  }
}

}  // namespace perfcast::bounds
