#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/brief_name.h"
#include "base/text.h"
#include "report/statistics.h"

namespace perfcast::report {
namespace {

std::string count_text(double count) {
  return std::abs(count) < 1e15 ? fmt::format("{:.0f}", count) : number_text(count, 6);
}
std::string share_text(double part, double whole) { return whole > 0 ? fmt::format("{:.4f}", part / whole) : "-"; }
std::string percent(double part, double whole) { return whole > 0 ? fmt::format("{:.1f}", 100 * part / whole) : "-"; }

std::string static_table(const SourceStatistics& statistics, std::size_t rows) {
  auto operations = statistics.operations;
  std::sort(operations.begin(), operations.end(),
            [](auto& a, auto& b) { return std::tie(b.in_text, a.name) < std::tie(a.in_text, b.name); });
  double total = 0, rest = 0;
  for (const auto& operation : operations) total += operation.in_text;
  if (total == 0) return {};
  Table table({"operation", "static", "fraction", "meaning"});
  std::size_t shown = 0;
  for (const auto& operation : operations) {
    if (operation.in_text == 0) continue;
    if (shown++ < rows) table.add({operation.name, count_text(operation.in_text), share_text(operation.in_text, total), operation.meaning});
    else rest += operation.in_text;
  }
  if (shown > rows) table.add({fmt::format("{} more", shown - rows), count_text(rest), share_text(rest, total), ""});
  table.rule();
  table.add({"all", count_text(total), "", ""});
  return "Static statistics: operations in the text\n" + table.text();
}

std::string dynamic_table(const SourceStatistics& statistics, std::size_t rows) {
  double total = 0, rest = 0;
  for (const auto& operation : statistics.operations) total += operation.executed;
  if (total == 0) return "Dynamic statistics: nothing of this was executed\n";
  Table table({"operation", "dynamic", "fraction", "cumulative", "meaning"});
  std::size_t shown = 0;
  for (const auto& operation : statistics.operations) {
    if (operation.executed == 0) continue;
    if (shown++ < rows)
      table.add({operation.name, count_text(operation.executed), fmt::format("{:.4f}", operation.fraction),
                 fmt::format("{:.4f}", operation.cumulative), operation.meaning});
    else rest += operation.executed;
  }
  if (shown > rows) table.add({fmt::format("{} more", shown - rows), count_text(rest), share_text(rest, total), "1.0000", ""});
  table.rule();
  table.add({"all", count_text(total), "", "", ""});
  std::string text = "Dynamic statistics: operations executed\n" + table.text();
  if (statistics.in_library > 0)
    text += fmt::format("{} % of them in functions of the system's headers\n", percent(statistics.in_library, total));
  return text;
}

std::string statement_table(const SourceStatistics& statistics) {
  double in_text = 0, executed = 0;
  for (const auto& statement : statistics.statements) in_text += statement.in_text, executed += statement.executed;
  if (statistics.statements.empty()) return {};
  Table table({"statement", "static", "static %", "dynamic", "dynamic %"});
  for (const auto& statement : statistics.statements)
    table.add({statement.kind, count_text(statement.in_text), percent(statement.in_text, in_text),
               count_text(statement.executed), percent(statement.executed, executed)});
  table.rule();
  table.add({"all", count_text(in_text), "", count_text(executed), ""});
  return "Distribution of statements\n" + table.text();
}

std::string function_table(const SourceStatistics& statistics, std::size_t rows) {
  if (statistics.functions.size() < 2) return {};
  double total = 0;
  for (const auto& function : statistics.functions) total += function.operations;
  Table table({"function", "calls", "operations", "fraction"});
  for (std::size_t i = 0; i < std::min(rows, statistics.functions.size()); i++) {
    const auto& function = statistics.functions[i];
    table.add({brief_name(function.name, 60), count_text(function.calls), count_text(function.operations), share_text(function.operations, total)});
  }
  return "Where the operations are executed\n" + table.text();
}

std::string coverage_text(const SourceStatistics& statistics) {
  std::string text = fmt::format("coverage {} %: ", percent(statistics.coverage, 1));
  if (statistics.gaps.empty()) return text + "everything was understood\n";
  text += fmt::format("{} place{} not understood or not sure\n", statistics.gaps.size(), statistics.gaps.size() == 1 ? "" : "s");
  std::size_t shown = 0;
  for (const auto& gap : statistics.gaps) {
    if (shown++ == 10) {
      text += fmt::format("  and {} more\n", statistics.gaps.size() - 10);
      break;
    }
    text += fmt::format("  {}: {}{}\n", gap.at.known() ? brief_path(gap.at.text(), 60) : "somewhere", gap.what,
                        gap.weight > 0 ? ", executed " + count_text(gap.weight) + " times" : "");
  }
  return text;
}

}  // namespace

std::string source_statistics_text(const Profile& profile, const StatisticsScope& scope) {
  auto statistics = source_statistics(profile, scope);
  std::string text = statistics.program + ": " + statistics.scope + "\n";
  if (!profile.source) return text + "the profile has no source level\n";
  auto section = [&](const std::string& body) {
    if (!body.empty()) text += "\n" + body;
  };
  if (scope.show_static) section(static_table(statistics, scope.rows));
  if (scope.show_dynamic) section(dynamic_table(statistics, scope.rows));
  if (scope.show_statements) section(statement_table(statistics));
  if (scope.show_dynamic && scope.function.empty()) section(function_table(statistics, 10));
  section(coverage_text(statistics));
  return text;
}

}  // namespace perfcast::report
