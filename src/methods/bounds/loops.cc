#include "methods/bounds/loops.h"

#include <algorithm>

#include "methods/bounds/unrolled.h"

namespace perfcast::bounds {
namespace {

// Where the loop of each machine block starts, by way of the IR block it came from.
class Origins {
 public:
  explicit Origins(const Profile& profile) {
    if (!profile.ir) return;
    for (std::size_t f = 0; f < profile.ir->functions.size(); f++) {
      const Function& function = profile.ir->functions[f];
      for (std::size_t b = 0; b < function.blocks.size(); b++)
        blocks_[{function.name, function.blocks[b].name}] = {static_cast<int>(f), static_cast<int>(b)};
    }
    ir_ = &*profile.ir;
  }
  // The IR block a machine block came from.
  std::optional<std::pair<int, int>> ir_block(const Function& function, const Block& block) const {
    if (!block.from) return {};
    auto it = blocks_.find({function.name, *block.from});
    return it == blocks_.end() ? std::nullopt : std::optional(it->second);
  }
  const Loop* ir_loop(std::pair<int, int> place) const {
    const Function& function = ir_->functions[static_cast<std::size_t>(place.first)];
    const auto& loop = function.blocks[static_cast<std::size_t>(place.second)].loop;
    return loop ? &function.loops[static_cast<std::size_t>(*loop)] : nullptr;
  }

 private:
  std::map<std::pair<std::string, std::string>, std::pair<int, int>> blocks_;
  const Graph* ir_ = nullptr;
};

// A measure of the work of IR blocks that unrolling and vectorising do not change.
double work_of(const Profile& profile, const LoopGroup& group) {
  double work = 0;
  for (auto [f, b] : group.ir_blocks) {
    const Block& block = profile.ir->functions[static_cast<std::size_t>(f)].blocks[static_cast<std::size_t>(b)];
    for (const char* what : {"flops", "bytes_loaded", "bytes_stored"})
      if (auto it = block.usage.find(what); it != block.usage.end()) work += block.count.value * it->second;
  }
  return work > 0 ? work : group.machine_iterations;
}

// A call that always gives the same result may be made once instead of every time: then the loop in it is entered less
// often than the source says. Vector body and remainder of one loop are entered at least as often together.
double removed_share(const SourceLoop& source, double machine_entries) {
  constexpr double most_kept = 0.9;
  return source.innermost && machine_entries > 0 && machine_entries < most_kept * source.entries ? 1 - machine_entries / source.entries : 0;
}

// Which source loop a group is: of the same function if it can be, else any copy; by its place, else by its lines.
const SourceLoop* source_of(const SourceLoops& loops, const LoopGroup& group, const std::string& function) {
  const auto& here = loops.at(group.at);
  for (const SourceLoop* loop : here)
    if (loop->function == function) return loop;
  if (!here.empty()) return here.front();
  const SourceLoop* around = nullptr;
  for (const SourceLoop* loop : loops.in(function))
    if (loop->at.file == group.at.file && group.at.line >= loop->first_line && group.at.line <= loop->last_line)
      if (!around || loop->last_line - loop->first_line < around->last_line - around->first_line) around = loop;
  return around;
}

}  // namespace

std::vector<LoopGroup> loop_groups(const Profile& profile) {
  std::vector<LoopGroup> groups;
  Origins origins(profile);
  std::map<std::pair<std::string, Place>, std::vector<std::size_t>> copies;  // of one source loop, by the function it is written in
  for (std::size_t f = 0; f < profile.machine->functions.size(); f++) {
    const Function& function = profile.machine->functions[f];
    if (function.library) continue;
    std::map<Place, std::size_t> here;
    auto group_at = [&](const Location& at) -> LoopGroup& {
      auto [it, is_new] = here.try_emplace(place_of(at), groups.size());
      if (is_new) groups.emplace_back(), groups.back().function = static_cast<int>(f), groups.back().at = at;
      return groups[it->second];
    };
    // A loop's place: that of the IR loop its header lies in, else its own.
    std::vector<Location> loop_at(function.loops.size());
    for (std::size_t l = 0; l < function.loops.size(); l++) {
      const Loop& loop = function.loops[l];
      loop_at[l] = loop.at;
      if (auto from = origins.ir_block(function, function.blocks[static_cast<std::size_t>(loop.header)]))
        if (const Loop* ir = origins.ir_loop(*from)) loop_at[l] = ir->at;
    }
    for (std::size_t b = 0; b < function.blocks.size(); b++) {
      const Block& block = function.blocks[b];
      if (!block.loop || block.count.value <= 0) continue;
      auto from = origins.ir_block(function, block);
      const Loop* ir = from ? origins.ir_loop(*from) : nullptr;
      LoopGroup& group = group_at(ir ? ir->at : loop_at[static_cast<std::size_t>(*block.loop)]);
      group.blocks.push_back(static_cast<int>(b));
      if (from && std::ranges::find(group.ir_blocks, *from) == group.ir_blocks.end()) group.ir_blocks.push_back(*from);
    }
    for (std::size_t l = 0; l < function.loops.size(); l++) {
      auto it = here.find(place_of(loop_at[l]));
      if (it == here.end() || function.loops[l].iterations.value <= 0) continue;
      LoopGroup& group = groups[it->second];
      group.machine_loops.push_back(static_cast<int>(l));
      group.machine_iterations += function.loops[l].iterations.value, group.entries += function.loops[l].entries.value;
      group.irreducible = group.irreducible || function.loops[l].irreducible;
    }
  }
  std::erase_if(groups, [](const LoopGroup& group) { return group.machine_loops.empty() || group.machine_iterations <= 0; });
  const SourceLoops loops(profile.source_loops);
  for (std::size_t g = 0; g < groups.size(); g++) {
    groups[g].source = source_of(loops, groups[g], profile.machine->functions[static_cast<std::size_t>(groups[g].function)].name);
    if (const SourceLoop* source = groups[g].source) copies[{source->source_function, place_of(source->at)}].push_back(g);
    groups[g].iterations = groups[g].machine_iterations;
  }
  take_in_straight_code(profile, groups);
  // The source's iterations are known for all copies together; each copy has its part of them.
  for (const auto& [place, members] : copies) {
    double all = 0, all_entries = 0;
    for (std::size_t g : members) all += work_of(profile, groups[g]), all_entries += groups[g].entries;
    for (std::size_t g : members) {
      const SourceLoop& source = *groups[g].source;
      double part = all > 0 ? work_of(profile, groups[g]) / all : 1.0 / static_cast<double>(members.size());
      if (source.iterations <= 0) continue;
      groups[g].iterations = part * source.iterations, groups[g].entries = part * source.entries, groups[g].normalised = true;
      groups[g].removed = removed_share(source, all_entries);
      groups[g].iterations *= 1 - groups[g].removed, groups[g].entries *= 1 - groups[g].removed;
    }
  }
  take_in_vanished(profile, loops, groups);
  return groups;
}

}  // namespace perfcast::bounds
