#include "methods/bounds/loops.h"

#include <algorithm>
#include <set>

#include "methods/bounds/unrolled.h"
#include "record/work.h"

namespace perfcast::bounds {
namespace {

struct LoopStart {
  Location at;
  int inside = 0;  // loops in it that start there too, one inside the other
  int beside = 0;  // its number among those side by side
  std::string written;  // the function it was inlined from; empty: it was not
};

// Where the loop of each machine block starts, by way of the IR block it came from.
class Origins {
 public:
  explicit Origins(const Profile& profile) {
    if (!profile.ir) return;
    for (std::size_t f = 0; f < profile.ir->functions.size(); f++) {
      const Function& function = profile.ir->functions[f];
      for (std::size_t b = 0; b < function.blocks.size(); b++)
        blocks_[{function.name, function.blocks[b].name}] = {static_cast<int>(f), static_cast<int>(b)};
      inside_.push_back(same_place_inside(function.loops));
    }
    ir_ = &*profile.ir;
  }
  // The IR block a machine block came from.
  std::optional<std::pair<int, int>> ir_block(const Function& function, const Block& block) const {
    if (!block.from) return {};
    auto it = blocks_.find({function.name, *block.from});
    return it == blocks_.end() ? std::nullopt : std::optional(it->second);
  }
  std::optional<LoopStart> ir_loop(std::pair<int, int> place) const {
    const Function& function = ir_->functions[static_cast<std::size_t>(place.first)];
    const auto& loop = function.blocks[static_cast<std::size_t>(place.second)].loop;
    if (!loop) return {};
    const Loop& found = function.loops[static_cast<std::size_t>(*loop)];
    return LoopStart{found.at, inside_[static_cast<std::size_t>(place.first)][static_cast<std::size_t>(*loop)], found.beside, found.source_function};
  }

 private:
  std::map<std::pair<std::string, std::string>, std::pair<int, int>> blocks_;
  std::vector<std::vector<int>> inside_;  // of the loops of each IR function
  const Graph* ir_ = nullptr;
};

double work_of(const Profile& profile, const LoopGroup& group) {
  const double work = done_by(profile, group.ir_blocks).sum();
  return work > 0 ? work : group.machine_iterations;
}

// A call that always gives the same result may be made once instead of every time: then the loop in it is entered less
// often than the source says. Vector body and remainder of one loop are entered at least as often together. A loop whose test fails
// at once is entered in the source only: that takes no work away.
double removed_share(const SourceLoop& source, double machine_entries, const Work& done) {
  constexpr double most_kept = 0.9;
  if (!source.innermost || machine_entries <= 0 || machine_entries >= most_kept * source.entries) return 0;
  const double entered = machine_entries / source.entries, worked = done.share_of(asked_for(source)).value_or(entered);
  return worked < most_kept ? 1 - std::max(entered, worked) : 0;
}

// Which source loop a group is: of the same function if it can be, else any copy; by its place, else by its lines. Instances of a template
// are at one place: the one it was inlined from, if that is known.
const SourceLoop* source_of(const SourceLoops& loops, const LoopGroup& group, const Place& place, const std::string& written, const std::string& function) {
  const auto& here = loops.at(place);
  const auto is_written = [&](const SourceLoop* loop) { return !written.empty() && loop->source_function == written; };
  for (const SourceLoop* loop : here)
    if (loop->function == function && is_written(loop)) return loop;
  for (const SourceLoop* loop : here)
    if (is_written(loop)) return loop;
  for (const SourceLoop* loop : here)
    if (loop->function == function) return loop;
  if (!here.empty()) return here.front();
  const SourceLoop* around = nullptr;
  for (const SourceLoop* loop : loops.in(function))
    if (loop->at.file == group.at.file && group.at.line >= loop->first_line && group.at.line <= loop->last_line)
      if (!around || loop->last_line - loop->first_line < around->last_line - around->first_line) around = loop;
  return around;
}

// The source's iterations are known for all copies of a loop together; each copy has its part of them by the work it does, and its part
// of the entries by those of its code.
void share_iterations(const Profile& profile, const SourceLoops& loops, std::vector<LoopGroup>& groups) {
  std::map<std::pair<std::string, Place>, std::vector<LoopGroup*>> copies;
  for (LoopGroup& group : groups)
    if (group.source && group.source->iterations > 0) copies[loops.written(*group.source)].push_back(&group);
  for (const auto& [written, members] : copies) {
    double all = 0, entries = 0;
    Work done;
    for (const LoopGroup* group : members) all += work_of(profile, *group), entries += group->entries, done.add(done_by(profile, group->ir_blocks));
    for (LoopGroup* group : members) {
      const SourceLoop& source = *group->source;
      const double part = all > 0 ? work_of(profile, *group) / all : 1.0 / static_cast<double>(members.size());
      group->removed = removed_share(source, entries, done), group->normalised = true;
      group->iterations = part * source.iterations * (1 - group->removed);
      group->entries = (entries > 0 ? group->entries / entries : part) * source.entries * (1 - group->removed);
    }
  }
}

}  // namespace

std::vector<LoopGroup> loop_groups(const Profile& profile) {
  std::vector<LoopGroup> groups;
  std::vector<std::pair<Place, std::string>> places;  // of the groups, and the functions they were inlined from
  Origins origins(profile);
  const SourceLoops loops(profile.source_loops);
  for (std::size_t f = 0; f < profile.machine->functions.size(); f++) {
    const Function& function = profile.machine->functions[f];
    if (function.library) continue;
    std::map<std::pair<Place, std::string>, std::size_t> here;
    auto place_of = [&](const LoopStart& start) { return loops.place_of(start.at, start.inside, start.beside); };
    auto instance_of = [&](const LoopStart& start) { return std::pair(place_of(start), start.written); };
    auto group_at = [&](const LoopStart& start) -> LoopGroup& {
      auto [it, is_new] = here.try_emplace(instance_of(start), groups.size());
      if (is_new) groups.emplace_back(), groups.back().function = static_cast<int>(f), groups.back().at = start.at, places.push_back(it->first);
      return groups[it->second];
    };
    // A loop's place: that of the IR loop its header lies in, else its own.
    std::vector<LoopStart> starts(function.loops.size());
    std::map<Place, std::set<std::string>> written_at;
    const std::vector<int> inside = same_place_inside(function.loops);
    for (std::size_t l = 0; l < function.loops.size(); l++) {
      const Loop& loop = function.loops[l];
      starts[l] = {loop.at, inside[l], 0, {}};
      if (auto from = origins.ir_block(function, function.blocks[static_cast<std::size_t>(loop.header)]))
        if (auto ir = origins.ir_loop(*from)) starts[l] = *ir, written_at[place_of(*ir)].insert(ir->written);
    }
    // A loop that only the code knows belongs to the one instance at its place.
    for (LoopStart& start : starts)
      if (auto known = written_at.find(place_of(start)); start.written.empty() && known != written_at.end() && known->second.size() == 1)
        start.written = *known->second.begin();
    // A cycle entered in several places (by goto) is no loop to the IR, which has its blocks in the loop around it.
    std::vector<bool> unknown_to_ir(function.loops.size());
    for (std::size_t l = 0; l < function.loops.size(); l++)
      for (auto up = function.loops[l].parent; up && function.loops[l].irreducible; up = function.loops[static_cast<std::size_t>(*up)].parent)
        unknown_to_ir[l] = unknown_to_ir[l] || instance_of(starts[static_cast<std::size_t>(*up)]) == instance_of(starts[l]);
    for (std::size_t l = 0; l < function.loops.size(); l++)
      if (unknown_to_ir[l]) starts[l] = {function.loops[l].at, inside[l], 0, {}};
    for (std::size_t b = 0; b < function.blocks.size(); b++) {
      const Block& block = function.blocks[b];
      if (!block.loop || block.count.value <= 0) continue;
      auto from = origins.ir_block(function, block);
      auto ir = from ? origins.ir_loop(*from) : std::nullopt;
      const auto own = static_cast<std::size_t>(*block.loop);
      LoopGroup& group = group_at(unknown_to_ir[own] ? starts[own] : ir.value_or(starts[own]));
      group.blocks.push_back(static_cast<int>(b));
      if (from && std::ranges::find(group.ir_blocks, *from) == group.ir_blocks.end()) group.ir_blocks.push_back(*from);
    }
    for (std::size_t l = 0; l < function.loops.size(); l++) {
      auto it = here.find(instance_of(starts[l]));
      if (it == here.end() || function.loops[l].iterations.value <= 0) continue;
      LoopGroup& group = groups[it->second];
      group.machine_loops.push_back(static_cast<int>(l));
      group.machine_iterations += function.loops[l].iterations.value, group.entries += function.loops[l].entries.value;
      group.irreducible = group.irreducible || function.loops[l].irreducible;
    }
  }
  for (std::size_t g = 0; g < groups.size(); g++) {
    groups[g].source = source_of(loops, groups[g], places[g].first, places[g].second, profile.machine->functions[static_cast<std::size_t>(groups[g].function)].name);
    groups[g].iterations = groups[g].machine_iterations;
  }
  std::erase_if(groups, [](const LoopGroup& group) { return group.machine_loops.empty() || group.machine_iterations <= 0; });
  take_in_straight_code(profile, loops, groups);
  share_iterations(profile, loops, groups);
  take_in_vanished(profile, loops, groups);
  return groups;
}

}  // namespace perfcast::bounds
