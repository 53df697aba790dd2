#include "frontends/flang/apply_fortran_counts.h"

#include <algorithm>
#include <set>

namespace perfcast {
namespace {

using Position = std::tuple<std::string, int, int>;
using Held = std::vector<PositionBlock>;

Position position_of(const Location& at) { return {at.file, at.line, at.column}; }

// Loops over elements at one position, in order: the headers of each outermost loop beyond those around the statement.
std::vector<std::vector<const PositionBlock*>> nests_of(const Held& held) {
  std::vector<std::vector<const PositionBlock*>> nests;
  std::size_t around = held.front().loops.size() - (held.front().header ? 1 : 0);
  int last = -1;
  for (const auto& block : held) {
    if (!block.header || block.loops.size() <= around) continue;
    if (block.loops[around] != last) nests.emplace_back(), last = block.loops[around];
    nests.back().push_back(&block);
  }
  return nests;
}

const PositionBlock* first_header(const Held& held) {
  auto it = std::ranges::find_if(held, [](const auto& block) { return block.header; });
  return it == held.end() ? nullptr : &*it;
}

// Executions of an assignment under a mask: of the first block in the deepest loop.
double deepest(const Held& held) {
  const PositionBlock* best = nullptr;
  for (const auto& block : held)
    if (!block.header && !block.passes && (!best || block.loops.size() > best->loops.size())) best = &block;
  return best ? best->count : held.front().count;
}

// Counts of the blocks of one function, first by position, then by flow.
class Counter {
 public:
  Counter(Function& function, const FunctionPositions& positions)
      : function_(function), positions_(positions), known_(function.blocks.size()) {}

  void count() {
    for (std::size_t i = 0; i < function_.blocks.size(); i++) known_[i] = by_position(function_.blocks[i]);
    leave_out_unreachable();
    by_flow();
  }

  void finish(std::vector<Gap>& gaps) {
    for (std::size_t i = 0; i < function_.blocks.size(); i++) {
      Block& block = function_.blocks[i];
      block.count.value = known_[i].value_or(0);
      bool matters = !block.usage.empty() || !block.calls.empty();
      if (known_[i] || !matters || !reachable(i)) continue;
      if (is_part(block))
        gaps.push_back({"the number of elements is not seen in the compiled code", block.at, before(i)});
      else
        gaps.push_back({"how often this " + block.kind + " ran is not known", block.at, 0});
    }
    for (auto& edge : edges_)
      function_.blocks[edge.from].next[edge.index].count.value = edge.count.value_or(0);
    for (auto& loop : function_.loops) {
      auto header = static_cast<std::size_t>(loop.header);
      loop.iterations.value = known_[header].value_or(0);
      double again = 0;
      for (const auto& edge : edges_)
        if (edge.to == header && function_.blocks[edge.from].loop && inside(*function_.blocks[edge.from].loop, loop))
          again += edge.count.value_or(0);
      loop.entries.value = std::max(0.0, loop.iterations.value - again);
    }
  }

 private:
  struct FlowEdge {
    std::size_t from = 0, index = 0, to = 0;
    std::optional<double> count;
  };

  bool inside(int loop, const Loop& outer) const {
    for (std::optional<int> it = loop; it; it = function_.loops[static_cast<std::size_t>(*it)].parent)
      if (&function_.loops[static_cast<std::size_t>(*it)] == &outer) return true;
    return false;
  }
  double before(std::size_t i) const {
    while (i > 0 && is_part(function_.blocks[i])) i--;
    return known_[i].value_or(0);
  }
  // Its statement ran at least once, or may have.
  bool reachable(std::size_t i) const { return !is_part(function_.blocks[i]) || before(i) > 0; }

  std::optional<double> by_position(const Block& block) {
    static const std::set<std::string> silent = {"goto", "exit", "cycle", "continue", "do-forever",
                                                 "entry", "return", "end", "other"};
    const bool stores = block.kind == "return" && !block.usage.empty();  // an alternate return keeps its number
    if (silent.contains(block.kind) && !stores) return std::nullopt;
    if (block.kind.starts_with("elements-of-")) return by_routine(block);
    if (block.kind == "elements") return by_nest(block);
    auto it = positions_.blocks.find(position_of(block.at));
    if (it == positions_.blocks.end()) return std::nullopt;
    const Held& held = it->second;
    if (block.kind == "masked") return deepest(held);
    const PositionBlock* header = first_header(held);
    if (block.kind.starts_with("do")) {
      if (!header) return std::nullopt;
      auto nests = nests_of(held);
      bool several = !nests.empty() && nests[0].size() > 1;  // more than one index: one loop inside the other
      double trips = several ? nests[0].back()->taken : header->taken;
      if (block.kind == "do") return header->entries;
      return block.kind == "do-iterate" ? trips : several ? header->entries + trips : header->count;
    }
    if (block.kind == "while-test" && header) return header->count;
    auto own = std::ranges::find_if(held, [](const auto& each) { return !each.passes; });
    return own == held.end() ? held.front().count : own->count;
  }

  // The next loop over elements at the position, or further on in its line.
  std::optional<double> by_nest(const Block& block) {
    for (auto it = positions_.blocks.lower_bound(position_of(block.at)); it != positions_.blocks.end(); ++it) {
      const auto& [file, line, column] = it->first;
      if (file != block.at.file || line != block.at.line) break;
      auto nests = nests_of(it->second);
      std::size_t& number = elements_seen_[it->first];
      if (number < nests.size()) return nests[number++].back()->taken;
      // The loop over a mask may stand at another position; what it does for each element is at this one.
      for (const auto& each : it->second)
        if (nests.empty() && number == 0 && each.loops.size() > it->second.front().loops.size()) return number++, each.count;
    }
    return std::nullopt;
  }
  // The next call of this routine at the position, or further on in its line: items of an output list have positions
  // of their own.
  std::optional<double> by_routine(const Block& block) {
    for (auto it = positions_.arrays.lower_bound(position_of(block.at)); it != positions_.arrays.end(); ++it) {
      const auto& [file, line, column] = it->first;
      if (file != block.at.file || line != block.at.line) break;
      std::size_t& next = routines_seen_[{it->first, block.kind}];
      while (next < it->second.size() && "elements-of-" + it->second[next].first != block.kind) next++;
      if (next < it->second.size()) return it->second[next++].second;
    }
    return std::nullopt;
  }

  // Statements of another ENTRY, or that nothing leads to, are not executed here.
  void leave_out_unreachable() {
    std::vector<bool> seen(known_.size());
    std::vector<std::size_t> todo = {0};
    while (!todo.empty()) {
      std::size_t i = todo.back();
      todo.pop_back();
      if (i >= seen.size() || seen[i]) continue;
      seen[i] = true;
      for (const auto& edge : function_.blocks[i].next) todo.push_back(static_cast<std::size_t>(edge.to));
    }
    for (std::size_t i = 0; i < seen.size(); i++) {
      if (i > 0 && is_part(function_.blocks[i])) seen[i] = seen[i - 1];
      if (!seen[i] && !known_[i]) known_[i] = 0;
    }
  }
  // Belongs to the statement before it, no step of its own in the flow.
  static bool is_part(const Block& block) { return block.kind.starts_with("elements") || block.kind == "item"; }

  void by_flow() {
    std::vector<std::vector<FlowEdge*>> in(known_.size()), out(known_.size());
    for (std::size_t i = 0; i < known_.size(); i++)
      for (std::size_t k = 0; k < function_.blocks[i].next.size(); k++)
        edges_.push_back({i, k, static_cast<std::size_t>(function_.blocks[i].next[k].to), {}});
    for (auto& edge : edges_) out[edge.from].push_back(&edge), in[edge.to].push_back(&edge);
    bool more = true;
    while (more) {
      more = false;
      for (std::size_t i = 0; i < known_.size(); i++) {
        if (is_part(function_.blocks[i])) continue;
        more |= balance(in[i], known_[i], i == 0 ? positions_.entries : 0);
        if (!out[i].empty()) more |= balance(out[i], known_[i], 0);
      }
    }
  }
  // count == sum of edges + extra: finds the one that is missing.
  static bool balance(std::vector<FlowEdge*>& edges, std::optional<double>& count, double extra) {
    FlowEdge* missing = nullptr;
    double sum = extra;
    for (auto* edge : edges) {
      if (edge->count) sum += *edge->count;
      else if (missing) return false;
      else missing = edge;
    }
    if (missing && count) return missing->count = std::max(0.0, *count - sum), true;
    if (!missing && !count) return count = sum, true;
    return false;
  }

  Function& function_;
  const FunctionPositions& positions_;
  std::vector<std::optional<double>> known_;
  std::vector<FlowEdge> edges_;
  std::map<Position, std::size_t> elements_seen_;
  std::map<std::pair<Position, std::string>, std::size_t> routines_seen_;
};

// The compiled function and the parts the compiler cut out of it (bodies of parallel regions).
FunctionPositions compiled(const std::string& name, const PositionCounts& counts) {
  FunctionPositions result;
  if (auto it = counts.functions.find(name); it != counts.functions.end()) result = it->second;
  const std::string prefix = name + ".";
  for (auto it = counts.functions.lower_bound(prefix); it != counts.functions.end() && it->first.starts_with(prefix); ++it)
    for (const auto& [position, held] : it->second.blocks) {
      auto& all = result.blocks[position];
      all.insert(all.begin(), held.begin(), held.end());
    }
  return result;
}

}  // namespace

void apply_fortran_counts(Graph& graph, const PositionCounts& counts, std::vector<Gap>& gaps) {
  std::map<std::pair<std::string, int>, double> lines;
  for (auto& function : graph.functions) {
    FunctionPositions positions = compiled(function.name, counts);
    function.calls.value = positions.entries;
    Counter counter(function, positions);
    counter.count();
    counter.finish(gaps);
    std::map<std::pair<std::string, int>, double> own;
    for (const auto& block : function.blocks) own.try_emplace({block.at.file, block.at.line}, block.count.value);
    for (const auto& [line, count] : own) lines[line] += count;
  }
  for (auto& gap : gaps)
    if (gap.weight == 0)
      if (auto it = lines.find({gap.at.file, gap.at.line}); it != lines.end()) gap.weight = it->second;
  std::erase_if(gaps, [](const Gap& gap) { return gap.weight == 0 && gap.what.starts_with("how often"); });
}

}  // namespace perfcast
