#include "frontends/loops_beside.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "record/same_place.h"
#include "record/work.h"

namespace perfcast {
namespace {

// The loops of the source that begin at one place.
struct Family {
  Location at;
  std::vector<std::size_t> members;  // of Profile::source_loops
};

std::vector<Family> families(const Profile& profile) {
  std::map<std::pair<std::string, Location>, Family> found;
  std::set<std::pair<std::string, Location>> several;
  for (std::size_t l = 0; l < profile.source_loops.size(); l++) {
    const SourceLoop& loop = profile.source_loops[l];
    const std::pair key(loop.source_function, loop.at);
    found[key].at = loop.at, found[key].members.push_back(l);
    if (loop.beside > 0) several.insert(key);
  }
  std::vector<Family> all;
  for (const auto& key : several) all.push_back(std::move(found[key]));
  return all;
}

// A loop of the IR that holds no other of its place, and what it does.
struct Unit {
  int loop = 0;
  Work done;
};

std::vector<Unit> units_at(const Function& function, const Location& at) {
  std::vector<Unit> units;
  const std::vector<int> inside = same_place_inside(function.loops);
  for (std::size_t l = 0; l < function.loops.size(); l++) {
    if (function.loops[l].at != at || function.loops[l].iterations.value <= 0 || inside[l] > 0) continue;
    units.push_back({static_cast<int>(l), {}});
    for (const Block& block : function.blocks)
      if (block.loop == static_cast<int>(l)) units.back().done.add(block);
  }
  return units;
}

// What a loop asks for, with flops as the usage of a block counts them: without comparisons and changes of sign.
Work asked_of_code(const SourceLoop& loop) {
  Work work = asked_for(loop);
  for (const char* left_out : {"fcmp.", "fneg.", "fmax."})
    for (const auto& [name, times] : loop.operations)
      if (name.starts_with(left_out)) work.flops -= times * loop.iterations;
  work.flops = std::max(0.0, work.flops);
  return work;
}

// How far apart the shares are of what is done and of what is asked for: what counts as an operation differs a little between the source
// and the code, and the compiler may load an element more than once.
double off(const Work& done, const Work& all_done, const Work& asked, const Work& all_asked) {
  constexpr double loads_count = 0.25;
  auto part = [](double a, double all_a, double b, double all_b) { return std::abs((all_a > 0 ? a / all_a : 0) - (all_b > 0 ? b / all_b : 0)); };
  return part(done.flops, all_done.flops, asked.flops, all_asked.flops) + part(done.bytes_stored, all_done.bytes_stored, asked.bytes_stored, all_asked.bytes_stored) +
         loads_count * part(done.bytes_loaded, all_done.bytes_loaded, asked.bytes_loaded, all_asked.bytes_loaded);
}

// Which number each unit has: copies of a loop follow each other, and loops come in the order of the source. Of all such divisions the
// one whose work is nearest to what is asked for; none where even that is far off.
std::optional<std::vector<int>> divided(const std::vector<Unit>& units, const std::vector<Work>& asked) {
  constexpr double far = 0.25;
  const std::size_t n = units.size(), k = asked.size();
  Work all_asked, all_done;
  for (const Work& work : asked) all_asked.add(work);
  for (const Unit& unit : units) all_done.add(unit.done);
  // best[s][u]: the first u units divided among the first s loops; first[s][u]: where those of the last of these begin.
  std::vector<std::vector<double>> best(k + 1, std::vector<double>(n + 1, INFINITY));
  std::vector<std::vector<std::size_t>> first(k + 1, std::vector<std::size_t>(n + 1, 0));
  best[0][0] = 0;
  for (std::size_t s = 1; s <= k; s++)
    for (std::size_t u = 0; u <= n; u++) {
      Work done;
      for (std::size_t from = u;; from--) {
        if (double total = best[s - 1][from] + off(done, all_done, asked[s - 1], all_asked); total < best[s][u]) best[s][u] = total, first[s][u] = from;
        if (from == 0) break;
        done.add(units[from - 1].done);
      }
    }
  if (!(best[k][n] <= far)) return {};
  std::vector<int> number(n, 0);
  for (std::size_t s = k, u = n; s > 0; u = first[s][u], s--)
    for (std::size_t each = first[s][u]; each < u; each++) number[each] = static_cast<int>(s) - 1;
  return number;
}

// One loop in place of several: what they ask for, each by its share of the iterations. A recurrence of some of them is one of these
// iterations only.
SourceLoop together(const std::vector<const SourceLoop*>& loops) {
  SourceLoop all = *loops[0];
  all.beside = 0, all.entries = all.iterations = all.flops = all.branches = 0;
  all.operations.clear(), all.overhead.clear(), all.references.clear(), all.recurrences.clear(), all.calls.clear();
  for (const SourceLoop* loop : loops) all.entries += loop->entries, all.iterations += loop->iterations;
  for (const SourceLoop* loop : loops) {
    const double share = all.iterations > 0 ? loop->iterations / all.iterations : 0;
    auto add = [&](std::map<std::string, double>& sum, const std::map<std::string, double>& own) {
      for (const auto& [name, times] : own) sum[name] += share * times;
    };
    add(all.operations, loop->operations), add(all.calls, loop->calls);
    all.flops += share * loop->flops, all.branches += share * loop->branches, all.innermost = all.innermost && loop->innermost;
    all.first_line = std::min(all.first_line, loop->first_line), all.last_line = std::max(all.last_line, loop->last_line);
    for (Reference reference : loop->references) reference.elements *= share, reference.written *= share, reference.side_by_side = reference.side_by_side || reference.contiguous(), all.references.push_back(reference);
    for (Recurrence recurrence : loop->recurrences) {
      for (auto& [name, times] : recurrence.operations) times *= share;
      all.recurrences.push_back(recurrence);
    }
  }
  return all;
}

// The loops of a family become one for each function and number of loops inside.
void join(const Family& family, const std::vector<int>& inside, std::vector<SourceLoop>& all, std::map<std::size_t, std::size_t>& replaced) {
  std::map<std::pair<std::string, int>, std::vector<std::size_t>> like;
  for (std::size_t member : family.members) like[{all[member].function, inside[member]}].push_back(member);
  for (const auto& [key, members] : like) {
    std::vector<const SourceLoop*> loops;
    for (std::size_t member : members) loops.push_back(&all[member]);
    SourceLoop one = together(loops);
    all[members[0]] = std::move(one);
    for (std::size_t k = 1; k < members.size(); k++) replaced[members[k]] = members[0];
  }
}

// A loop around one that is known is what lies around that in the source.
void number_around(const Profile& profile, const Family& family, const std::vector<int>& inside, int loop, Function& function) {
  const auto& all = profile.source_loops;
  const int number = function.loops[static_cast<std::size_t>(loop)].beside;
  auto source = std::ranges::find_if(family.members, [&](std::size_t l) { return inside[l] == 0 && all[l].beside == number; });
  if (source == family.members.end()) return;
  auto above = all[*source].parent;
  for (auto up = function.loops[static_cast<std::size_t>(loop)].parent; up; up = function.loops[static_cast<std::size_t>(*up)].parent) {
    Loop& around = function.loops[static_cast<std::size_t>(*up)];
    if (around.at != family.at) continue;
    while (above && all[static_cast<std::size_t>(*above)].at != family.at) above = all[static_cast<std::size_t>(*above)].parent;
    if (!above) return;
    around.beside = all[static_cast<std::size_t>(*above)].beside, above = all[static_cast<std::size_t>(*above)].parent;
  }
}

void leave_out(const std::map<std::size_t, std::size_t>& replaced, std::vector<SourceLoop>& all) {
  std::vector<int> now(all.size(), 0);
  int next = 0;
  for (std::size_t l = 0; l < all.size(); l++)
    if (!replaced.contains(l)) now[l] = next++;
  for (const auto& [gone, kept] : replaced) now[gone] = now[kept];
  for (SourceLoop& loop : all)
    if (loop.parent) *loop.parent = now[static_cast<std::size_t>(*loop.parent)];
  std::vector<SourceLoop> left;
  for (std::size_t l = 0; l < all.size(); l++)
    if (!replaced.contains(l)) left.push_back(std::move(all[l]));
  all = std::move(left);
}

}  // namespace

void tell_loops_apart(Profile& profile) {
  std::map<std::size_t, std::size_t> replaced;  // loops of the source that became part of another
  const std::vector<int> inside = same_place_inside(profile.source_loops);
  for (const Family& family : families(profile)) {
    std::vector<Work> asked;
    std::set<std::string> holders;
    for (std::size_t member : family.members) {
      const SourceLoop& loop = profile.source_loops[member];
      holders.insert(loop.function);
      if (inside[member] > 0) continue;
      asked.resize(std::max(asked.size(), static_cast<std::size_t>(loop.beside) + 1));
      asked[static_cast<std::size_t>(loop.beside)].add(asked_of_code(loop));
    }
    std::vector<std::pair<Function*, std::vector<Unit>>> found;
    if (profile.ir)
      for (Function& function : profile.ir->functions)
        if (auto units = units_at(function, family.at); !units.empty()) found.emplace_back(&function, std::move(units));
    // What one copy of several does is not known: how often each of them ran was counted for all together.
    auto numbers = holders.size() == 1 && found.size() == 1 ? divided(found[0].second, asked) : std::nullopt;
    if (!numbers) {
      join(family, inside, profile.source_loops, replaced);
      continue;
    }
    auto& [function, units] = found[0];
    for (std::size_t u = 0; u < numbers->size(); u++) {
      function->loops[static_cast<std::size_t>(units[u].loop)].beside = (*numbers)[u];
      number_around(profile, family, inside, units[u].loop, *function);
    }
  }
  if (!replaced.empty()) leave_out(replaced, profile.source_loops);
}

}  // namespace perfcast
