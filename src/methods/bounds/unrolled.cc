#include "methods/bounds/unrolled.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace perfcast::bounds {
namespace {

// ------------------------------------------------------------------------------------- straight code in front of a remainder

// What the IR blocks of a group do in the run, of the kind of work that names the source's share of it best.
struct Work {
  double flops = 0, bytes_stored = 0;
  void add(const Block& block) {
    auto of = [&](const char* what) {
      auto it = block.usage.find(what);
      return it == block.usage.end() ? 0.0 : it->second * block.count.value;
    };
    flops += of("flops"), bytes_stored += of("bytes_stored");
  }
};

Work asked_for(const SourceLoop& source) {
  Work work;
  work.flops = source.flops * source.iterations;
  for (const Reference& reference : source.references)
    if (reference.store) work.bytes_stored += reference.elements * reference.element_bytes * source.iterations;
  return work;
}

// The compiler neither invents nor drops floating-point operations and stores of distinct elements: what is missing is elsewhere.
bool falls_short(const Work& done, const Work& asked) {
  constexpr double most = 0.9;
  return asked.flops > 0 ? done.flops < most * asked.flops : asked.bytes_stored > 0 && done.bytes_stored < most * asked.bytes_stored;
}

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

void take_in_straight_code(const Profile& profile, std::vector<LoopGroup>& groups) {
  if (!profile.ir) return;
  std::map<const SourceLoop*, Work> done;
  for (const LoopGroup& group : groups)
    if (group.source && group.source->innermost)
      for (auto [f, b] : group.ir_blocks) done[group.source].add(profile.ir->functions[static_cast<std::size_t>(f)].blocks[static_cast<std::size_t>(b)]);
  for (LoopGroup& group : groups) {
    if (!group.source || !group.source->innermost || !falls_short(done[group.source], asked_for(*group.source))) continue;
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

class Vanished {
 public:
  Vanished(const Profile& profile, std::vector<LoopGroup>& groups) : profile_(profile), groups_(groups) {
    for (std::size_t g = 0; g < groups.size(); g++)
      if (const SourceLoop* source = groups[g].source) present_.insert(place_of(source->at)), groups_of_[source].push_back(g);
  }
  // In any copy and any function: the compiler need not have inlined what an ideal one would.
  bool present(const SourceLoop& loop) const { return present_.contains(place_of(loop.at)); }

  // A loop that left no loop in the code: its work is that of the next one around it that did.
  void take_in(const SourceLoop& inner) {
    const SourceLoop* up = around(inner);
    while (up && !present(*up)) up = around(*up);
    if (!up || up->iterations <= 0) return;
    const double times = inner.iterations / up->iterations;
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
  std::vector<LoopGroup>& groups_;
  std::set<Place> present_;
  std::map<const SourceLoop*, std::vector<std::size_t>> groups_of_;
};

}  // namespace

// Long loops were not unrolled: a library routine or a formula took their place.
void take_in_vanished(const Profile& profile, const SourceLoops& loops, std::vector<LoopGroup>& groups) {
  constexpr double short_enough = 64;  // iterations per entry
  Vanished vanished(profile, groups);
  std::set<std::string> functions;
  std::set<const SourceLoop*> hold;  // loops that hold one which is left
  for (LoopGroup& group : groups)
    if (group.source) group.needs = *group.source, functions.insert(group.source->function);
  for (const std::string& function : functions)
    for (const SourceLoop* inner : loops.in(function)) {
      if (!vanished.present(*inner)) {
        if (inner->entries > 0 && inner->iterations / inner->entries <= short_enough) vanished.take_in(*inner);
        continue;
      }
      for (auto up = inner->parent; up; up = profile.source_loops[static_cast<std::size_t>(*up)].parent) hold.insert(&profile.source_loops[static_cast<std::size_t>(*up)]);
    }
  for (LoopGroup& group : groups) group.outer = group.source && hold.contains(group.source);
}

}  // namespace perfcast::bounds
