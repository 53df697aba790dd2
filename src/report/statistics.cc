#include "report/statistics.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

#include "record/operations.h"

namespace perfcast::report {
namespace {

const std::string& readable(const Function& function) {
  return function.readable.empty() ? function.name : function.readable;
}

bool ends_like(const std::string& path, const std::string& wanted) {
  return path == wanted || (path.size() > wanted.size() && path.ends_with(wanted) && path[path.size() - wanted.size() - 1] == '/');
}

bool same_function(const Function& function, const std::string& name) {
  return function.name == name || function.readable == name;
}

// The loop and all loops inside it.
std::set<int> loops_within(const Function& function, int line) {
  std::set<int> inside;
  for (std::size_t i = 0; i < function.loops.size(); i++) {
    auto parent = function.loops[i].parent;
    if (function.loops[i].at.line == line || (parent && inside.contains(*parent))) inside.insert(static_cast<int>(i));
  }
  return inside;
}

class InScope {
 public:
  explicit InScope(const StatisticsScope& scope) : scope_(scope) {}
  bool function(const Function& function) {
    if (!scope_.function.empty() && !same_function(function, scope_.function)) return false;
    if (scope_.loop_line) loops_ = loops_within(function, *scope_.loop_line);
    return true;
  }
  bool place(const Location& at) const {
    if (scope_.file.empty()) return true;
    return ends_like(at.file, scope_.file) && at.line >= scope_.first_line && at.line <= scope_.last_line;
  }
  bool block(const Block& block) const {
    return place(block.at) && (!scope_.loop_line || (block.loop && loops_.contains(*block.loop)));
  }
  bool loop(const Loop& loop, int index) const { return place(loop.at) && (!scope_.loop_line || loops_.contains(index)); }

 private:
  const StatisticsScope& scope_;
  std::set<int> loops_;
};

// Parts of statements; the statement itself is another block, or a loop. Elements of an array expression are parts of it.
bool is_part(const std::string& kind) {
  static const std::set<std::string> parts = {"for-init", "for-test", "for-step", "while-test", "do-test", "do-iterate", "do-forever",
                                              "operand", "arm", "initialiser", "destructor", "do", "for", "while",
                                              "entry", "item", "masked", ""};
  return parts.contains(kind) || kind.starts_with("elements");
}

// A call is one to the program's own functions if any of them is among those called.
std::string statement_kind(const Block& block, const std::set<std::string>& own) {
  if (block.kind != "call") return block.kind == "assign" ? "assignment" : block.kind;
  for (const auto& call : block.calls)
    if (call.callee == "*" || own.contains(call.callee)) return "call user";
  return "call standard";
}

struct Sums {
  std::map<std::string, OperationStatistics> operations;
  std::map<std::string, StatementStatistics> statements;
  void statement(const std::string& kind, double executed, bool library) {
    auto& sum = statements[kind];
    sum.kind = kind;
    sum.in_text += library ? 0 : 1;
    sum.executed += executed;
  }
};

void finish(Sums& sums, SourceStatistics& result) {
  double total = 0;
  for (auto& [name, operation] : sums.operations) total += operation.executed, result.operations.push_back(operation);
  // Most executed first; ties by occurrence, then by name.
  std::sort(result.operations.begin(), result.operations.end(), [](auto& a, auto& b) {
    return std::tie(b.executed, b.in_text, a.name) < std::tie(a.executed, a.in_text, b.name);
  });
  double so_far = 0;
  for (auto& operation : result.operations) {
    if (auto* known = find_operation(operation.name)) operation.meaning = known->meaning;
    else operation.meaning = "library routine";
    so_far += operation.executed;
    if (total > 0) operation.fraction = operation.executed / total, operation.cumulative = so_far / total;
  }
  for (auto& [kind, statement] : sums.statements) result.statements.push_back(statement);
  std::sort(result.statements.begin(), result.statements.end(), [](auto& a, auto& b) {
    return std::tie(b.executed, b.in_text, a.kind) < std::tie(a.executed, a.in_text, b.kind);
  });
  std::sort(result.functions.begin(), result.functions.end(),
            [](auto& a, auto& b) { return std::tie(b.operations, a.name) < std::tie(a.operations, b.name); });
  std::sort(result.gaps.begin(), result.gaps.end(),
            [](auto& a, auto& b) { return std::tie(b.weight, a.at, a.what) < std::tie(a.weight, b.at, b.what); });
  double uncertain = 0;
  for (const auto& gap : result.gaps) uncertain += gap.weight;
  if (uncertain > 0) result.coverage = total / (total + uncertain);
}

std::optional<int> whole_number(const std::string& text) {
  int value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

std::string scope_text(const StatisticsScope& scope) {
  if (!scope.file.empty())
    return scope.file + ":" + std::to_string(scope.first_line) + "-" + std::to_string(scope.last_line);
  if (scope.loop_line) return "loop " + scope.function + ":" + std::to_string(*scope.loop_line);
  return scope.function.empty() ? "the whole program" : scope.function;
}

}  // namespace

SourceStatistics source_statistics(const Profile& profile, const StatisticsScope& scope) {
  SourceStatistics result;
  result.program = profile.program;
  result.scope = scope_text(scope);
  if (!profile.source) return result;
  std::set<std::string> own;
  for (const auto& function : profile.source->functions)
    if (!function.library) own.insert(function.name);
  Sums sums;
  InScope inside(scope);
  std::set<std::pair<std::string, int>> lines;
  for (const auto& function : profile.source->functions) {
    if (!inside.function(function)) continue;
    FunctionStatistics sum{readable(function), function.calls.value, 0, function.library};
    for (const auto& block : function.blocks) {
      if (!inside.block(block)) continue;
      lines.insert({block.at.file, block.at.line});
      for (const auto& [name, times] : block.usage) {
        auto& operation = sums.operations[name];
        operation.name = name;
        // The text of the program is what the user wrote, not the system's headers.
        if (!function.library || !scope.function.empty()) operation.in_text += times;
        operation.executed += times * block.count.value;
        sum.operations += times * block.count.value;
      }
      if (!is_part(block.kind)) sums.statement(statement_kind(block, own), block.count.value, function.library);
    }
    for (std::size_t i = 0; i < function.loops.size(); i++)
      if (inside.loop(function.loops[i], static_cast<int>(i)))
        sums.statement("loop", function.loops[i].entries.value, function.library);
    if (function.library) result.in_library += sum.operations;
    if (sum.operations > 0) result.functions.push_back(std::move(sum));
  }
  // Gaps of other levels have no place in the source and weights in their own operations.
  bool whole = scope.function.empty() && scope.file.empty();
  for (const auto& gap : profile.gaps)
    if (whole ? gap.at.known() || gap.weight == 0 : lines.contains({gap.at.file, gap.at.line})) result.gaps.push_back(gap);
  finish(sums, result);
  return result;
}

Result<StatisticsScope> scope_named(const std::string& text, const Profile& profile) {
  StatisticsScope scope;
  if (text.empty() || text == "program") return scope;
  if (!profile.source) return unfit("the profile has no source level", profile.program, "analyze the program from its source");
  for (const auto& region : profile.regions)
    if (region.name == text) {
      scope.file = region.file, scope.first_line = region.first_line, scope.last_line = region.last_line;
      return scope;
    }
  auto named = [&](const std::string& name) {
    return std::any_of(profile.source->functions.begin(), profile.source->functions.end(),
                       [&](auto& function) { return same_function(function, name); });
  };
  // A name without its scope is enough where only one function ends so.
  auto whole_name = [&](const std::string& name) {
    std::set<std::string> found;
    for (const auto& function : profile.source->functions)
      if (readable(function).ends_with("::" + name)) found.insert(readable(function));
    return !named(name) && found.size() == 1 ? *found.begin() : name;
  };
  if (named(whole_name(text))) {
    scope.function = whole_name(text);
    return scope;
  }
  auto colon = text.rfind(':');
  if (colon != text.npos) {
    auto before = text.substr(0, colon), after = text.substr(colon + 1);
    auto dash = after.find('-');
    auto first = whole_number(after.substr(0, dash)), last = dash == after.npos ? first : whole_number(after.substr(dash + 1));
    if (first && last && dash == after.npos && named(whole_name(before))) {
      scope.function = whole_name(before), scope.loop_line = first;
      return scope;
    }
    if (first && last && *first <= *last) {
      scope.file = before, scope.first_line = *first, scope.last_line = *last;
      return scope;
    }
  }
  return wrong_usage("\"" + text + "\" is no region, function, loop or range of lines of " + profile.program,
                     "--scope NAME, --scope FUNCTION:LINE of a loop, or --scope FILE:FIRST-LAST");
}

}  // namespace perfcast::report
