#include "frontends/apply_counts.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "frontends/lambda_numbers.h"

namespace perfcast {
namespace {

using Position = std::tuple<std::string, int, int>;
using Positions = std::map<Position, double>;

Position position_of(const Location& at) { return {at.file, at.line, at.column}; }

// Several compiled functions may make up one function of the source.
struct Compiled {
  bool found = false;
  double entries = 0;
  Positions at;
  void join(const FunctionPositions& part) {
    found = true;
    for (const auto& [position, count] : part.at) at[position] += count;
  }
};

class Matcher {
 public:
  Matcher(const Graph& graph, const PositionCounts& counts) : counts_(counts) {
    for (const auto& function : graph.functions) named_.insert(function.name);
  }

  Compiled compiled(const Function& function) const {
    Compiled result;
    auto it = counts_.functions.find(function.name);
    if (it != counts_.functions.end() && in_file(function, it->second)) result.entries = it->second.entries, result.join(it->second);
    const std::string prefix = function.name + ".";
    for (auto next = counts_.functions.lower_bound(prefix);
         next != counts_.functions.end() && next->first.starts_with(prefix); ++next) {
      if (named_.contains(next->first) || !in_file(function, next->second)) continue;
      // A part of the function (the body of a parallel loop) is not another entry to it; a copy is.
      bool copy = next->first.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
      if (copy) result.entries += next->second.entries;
      result.join(next->second);
    }
    return result;
  }

 private:
  // Static functions of one name in several files: only that of this file.
  static bool in_file(const Function& function, const FunctionPositions& compiled) {
    if (compiled.at.empty() || function.blocks.empty()) return true;
    std::set<std::string> files;
    for (const auto& block : function.blocks) files.insert(block.at.file);
    return std::any_of(compiled.at.begin(), compiled.at.end(), [&](auto& entry) { return files.contains(std::get<0>(entry.first)); });
  }

  const PositionCounts& counts_;
  std::set<std::string> named_;
};

// Executed on a condition of its own, so that sharing a position with another block hides its count.
bool conditional(const Block& block) { return block.kind == "operand" || block.kind == "arm"; }
bool decides(const Block& block) {
  return block.kind == "if" || block.kind == "switch" || block.kind.ends_with("-test") || block.usage.contains("ANDC") ||
         block.usage.contains("COND");
}

struct Nearest {
  std::optional<double> count;
  bool sure = true;  // all positions of the line agree
};

Nearest nearest_on_line(const Positions& at, const Location& wanted) {
  Nearest nearest;
  int distance = 0;
  double low = 0, high = 0;
  for (auto it = at.lower_bound({wanted.file, wanted.line, 0});
       it != at.end() && std::get<0>(it->first) == wanted.file && std::get<1>(it->first) == wanted.line; ++it) {
    int away = std::abs(std::get<2>(it->first) - wanted.column);
    low = nearest.count ? std::min(low, it->second) : it->second;
    high = nearest.count ? std::max(high, it->second) : it->second;
    if (!nearest.count || away < distance) nearest.count = it->second, distance = away;
  }
  nearest.sure = low == high;
  return nearest;
}

// The first line after `at` on which another block of the function stands.
int next_line(const Function& function, const Location& at) {
  int next = at.line + 50;  // no statement is that long without a part of its own
  for (const auto& block : function.blocks)
    if (block.at.file == at.file && block.at.line > at.line) next = std::min(next, block.at.line);
  return next;
}

// A statement of several lines.
Nearest on_lines_below(const Positions& at, const Location& wanted, int before) {
  for (int line = wanted.line + 1; line < before; line++)
    if (auto found = nearest_on_line(at, {wanted.file, line, 0}); found.count) return found;
  return {};
}

void count_blocks(Function& function, const Compiled& compiled, std::vector<Gap>& gaps) {
  std::map<Position, std::vector<const Block*>> at_position;
  std::set<Position> told;
  for (auto& block : function.blocks) {
    bool matters = !block.usage.empty() || !block.calls.empty();
    auto exact = compiled.at.find(position_of(block.at));
    if (exact != compiled.at.end()) {
      block.count.value = exact->second;
      auto& others = at_position[exact->first];
      bool hidden = !others.empty() && matters && block.kind != "for-step" &&
                    (conditional(block) || std::any_of(others.begin(), others.end(), [](auto* other) { return decides(*other); }));
      if (hidden && block.count.value > 0 && told.insert(exact->first).second)
        gaps.push_back({"several statements stand at one position (a macro): all are counted as its most executed one",
                        block.at, block.count.value});
      others.push_back(&block);
    } else if (auto nearest = nearest_on_line(compiled.at, block.at); nearest.count) {
      block.count.value = *nearest.count;
      if (!nearest.sure && matters)
        gaps.push_back({"no count at this position: that of the nearest on the line is taken", block.at, block.count.value});
    } else if (auto later = on_lines_below(compiled.at, block.at, next_line(function, block.at)); later.count) {
      block.count.value = *later.count;
      if (!later.sure && matters)
        gaps.push_back({"no count on this line: that of the next line of the statement is taken", block.at, block.count.value});
    } else {
      block.count.value = 0;  // the compiler made no code of it: it cannot be reached
    }
  }
}

void count_loops(Function& function) {
  std::vector<double> entries(function.loops.size(), 0);
  std::vector<bool> known(function.loops.size(), false);
  for (auto& block : function.blocks)
    for (auto& edge : block.next) {
      edge.count.value = block.count.value;
      for (std::size_t i = 0; i < function.loops.size(); i++)
        if (function.loops[i].header == edge.to && block.loop != static_cast<int>(i))
          entries[i] += block.count.value, known[i] = true;
    }
  for (std::size_t i = 0; i < function.loops.size(); i++) {
    auto& loop = function.loops[i];
    loop.iterations.value = function.blocks[static_cast<std::size_t>(loop.header)].count.value;
    if (loop.entries.certainty == Certainty::unknown) continue;
    loop.entries.value = known[i] ? entries[i] : function.calls.value;
  }
}

void weigh_gaps(const Graph& graph, std::vector<Gap>& gaps) {
  std::map<std::pair<std::string, int>, double> lines;
  for (const auto& function : graph.functions)
    for (const auto& block : function.blocks) {
      auto& most = lines[{block.at.file, block.at.line}];
      most = std::max(most, block.count.value);
    }
  for (auto& gap : gaps)
    if (auto it = lines.find({gap.at.file, gap.at.line}); gap.weight == 0 && it != lines.end()) gap.weight = it->second;
}

}  // namespace

void apply_counts(Graph& graph, const PositionCounts& counts, std::vector<Gap>& gaps) {
  renumber_lambdas(graph, counts);
  Matcher matcher(graph, counts);
  for (auto& function : graph.functions) {
    auto compiled = matcher.compiled(function);
    function.calls.value = compiled.entries;
    if (compiled.found) count_blocks(function, compiled, gaps);
    else for (auto& block : function.blocks) block.count.value = 0;
    // What is always put in its caller's place is never entered itself.
    if (function.calls.value == 0 && !function.blocks.empty() && !function.blocks.front().loop)
      function.calls.value = function.blocks.front().count.value;
    count_loops(function);
  }
  weigh_gaps(graph, gaps);
}

}  // namespace perfcast
