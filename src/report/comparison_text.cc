#include "report/comparison_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace perfcast::report {
namespace {

std::string distances_text(const Comparison& comparison) {
  Table table({"from", "to", "section", "numbers", "distance", "shape", "ratio"});
  for (const auto& d : comparison.distances)
    table.add({d.a, d.b, d.section, std::to_string(d.quantities), number_text(d.distance, 3), number_text(d.shape, 3), number_text(d.ratio, 3)});
  if (table.empty()) return "";
  return "distance: root mean square of ln(ratio); shape: the same about the mean ratio\n\n" + table.text() + "\n";
}

std::string repetition_text(const Repetition& r, std::size_t rows) {
  if (r.compared == 0) return fmt::format("{} and {} are one machine, but share no numbers with a spread\n\n", r.a, r.b);
  std::string text = fmt::format(
      "{} and {} are one machine, characterized twice: {} of {} numbers agree within their intervals "
      "(two standard deviations); {} differ by at most 5 %, {} by at most 10 %\n\n",
      r.a, r.b, r.agreeing, r.compared, percent_text(r.within_5), percent_text(r.within_10));
  Table table({"beyond their intervals", "section", r.a, r.b, "ratio", "intervals", ""});
  const std::size_t shown = rows ? std::min(rows, r.beyond.size()) : r.beyond.size();
  for (std::size_t i = 0; i < shown; i++) {
    const Disagreement& d = r.beyond[i];
    table.add({d.name, d.section, number_text(d.a), number_text(d.b), d.a > 0 && d.b > 0 ? number_text(d.b / d.a, 3) : "-",
               number_text(d.intervals, 3), d.disturbed ? "disturbed" : ""});
  }
  if (shown < r.beyond.size()) table.add({fmt::format("and {} more (--rows 0)", r.beyond.size() - shown), "", "", "", "", "", ""});
  return table.empty() ? text : text + table.text() + "\n";
}

// The three resources that take most of the time.
std::string shares_text(const std::map<std::string, double>& shares) {
  std::vector<std::pair<double, std::string>> sorted;
  for (const auto& [resource, share] : shares) sorted.push_back({share, resource});
  std::ranges::sort(sorted, std::greater<>());
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, sorted.size()); i++)
    text += fmt::format("{}{} {:.0f} %", i ? ", " : "", sorted[i].second, 100 * sorted[i].first);
  return text;
}

std::string why_text(const ComparedProgram& p, const std::string& machine) {
  auto resource = p.mostly.find(machine);
  auto by = p.mostly_seconds.find(machine);
  if (resource == p.mostly.end() || by == p.mostly_seconds.end()) return "";
  double saved = by->second;
  return fmt::format("{} {} {}", resource->second, time_text(std::abs(saved)), saved > 0 ? "less" : "more");
}

std::string programs_text(const Comparison& comparison) {
  Table table({"program", "machine", "model", "time", "gain", "mostly by", "where the time goes"});
  for (const auto& p : comparison.programs)
    for (const auto& machine : comparison.machines) {
      auto seconds = p.seconds.find(machine);
      if (seconds == p.seconds.end()) {
        table.add({p.program, machine, "-", "no answer", "-", "", ""});
        continue;
      }
      auto gain = p.gain.find(machine);
      auto model = p.model.find(machine);
      auto shares = p.shares.find(machine);
      table.add({p.program, machine, model == p.model.end() ? "-" : model->second, time_text(seconds->second), gain == p.gain.end() ? "-" : fmt::format("{:.2f}", gain->second),
                 why_text(p, machine), shares == p.shares.end() ? "" : shares_text(shares->second)});
    }
  return table.empty() ? "" : "what programs gain against " + comparison.reference + ", most first\n\n" + table.text() + "\n";
}

}  // namespace

std::string comparison_text(const Comparison& comparison, const ComparisonView& view) {
  std::vector<std::string> head = {"relative to " + comparison.reference, ""};
  for (const auto& machine : comparison.machines) head.push_back(machine);
  auto cells = [&](const std::map<std::string, double>& numbers, std::vector<std::string> row) {
    for (const auto& machine : comparison.machines) {
      auto it = numbers.find(machine);
      row.push_back(it == numbers.end() ? "-" : number_text(it->second, 3));
    }
    return row;
  };
  std::string text = distances_text(comparison);
  for (const auto& repetition : comparison.repetitions) text += repetition_text(repetition, view.rows);
  text += programs_text(comparison);
  Table groups(head);
  for (const auto& group : comparison.groups) groups.add(cells(group.relative, {group.name, group.section}));
  if (!groups.empty()) text += "geometric means of costs (below 1: faster)\n\n" + groups.text() + "\n";
  Table quantities(head);
  std::size_t left_out = 0, shown = 0;
  for (const auto& quantity : comparison.quantities) {
    if (quantity.relative.empty()) continue;
    if (view.quantities && shown == view.quantities) left_out++;
    else quantities.add(cells(quantity.relative, {quantity.name, quantity.section})), shown++;
  }
  if (left_out) quantities.add(cells({}, {fmt::format("and {} more (--rows 0)", left_out), ""}));
  return quantities.empty() ? text + "these machines have no numbers in common\n" : text + quantities.text();
}

}  // namespace perfcast::report
