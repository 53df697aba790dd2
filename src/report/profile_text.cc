#include "report/profile_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/text.h"

namespace perfcast::report {
namespace {

std::string shown_name(const Function& function) { return function.readable.empty() ? function.name : function.readable; }

bool is_quantity(const std::string& name) { return name == "flops" || name.starts_with("bytes_"); }

// IR operations of one execution of a block; what costs nothing is left out.
double operations_of(const Block& block) {
  double sum = 0;
  for (const auto& [name, times] : block.usage)
    if (!is_quantity(name) && name != "phi") sum += times;
  return sum;
}

std::string run_text(const Profile& profile) {
  const ProgramRun& run = profile.run;
  std::string text = profile.program;
  if (!run.arguments.empty()) text += " " + join(run.arguments, " ");
  text += "\n  compiled   " + run.compiler + (run.cflags.empty() ? "" : "  " + run.cflags);
  if (!run.target.empty() || !run.cpu.empty()) text += fmt::format("  for {} {}", run.target, run.cpu);
  text += fmt::format("\n  counted    {} of processor time, {} page faults", time_text(run.seconds), number_text(run.page_faults));
  if (!run.ending.empty()) text += "; it " + run.ending;
  for (const auto& [name, value] : run.parameters)
    text += fmt::format("\n  parameter  {} = {} (argument {})", name, number_text(value, 12), run.parameter_arguments.at(name));
  return text + "\n";
}

std::string level_text(const char* name, const Graph& graph, const char* unit) {
  std::size_t blocks = 0, executed = 0, functions = 0;
  double total = 0;
  for (const auto& function : graph.functions) {
    functions += function.calls.value > 0;
    for (const auto& block : function.blocks) {
      blocks++, executed += block.count.value > 0;
      total += block.count.value * (block.code.empty() ? operations_of(block) : static_cast<double>(block.code.size()));
    }
  }
  return fmt::format("  {:<9}  {} of {} functions and {} of {} blocks executed, {} {}\n", name, functions,
                     graph.functions.size(), executed, blocks, number_text(total), unit);
}

std::string totals_text(const Graph& graph) {
  auto usage = dynamic_usage(graph);
  return fmt::format("  work       {} flops, {} loaded, {} stored\n", number_text(usage["flops"]),
                     size_text(usage["bytes_loaded"]), size_text(usage["bytes_stored"]));
}

// Loops by the share of all IR operations in their own blocks, inner loops apart.
std::string loops_text(const Graph& graph, std::size_t rows) {
  struct Row {
    const Function* function;
    const Loop* loop;
    double work;
  };
  std::vector<Row> found;
  double total = 0;
  for (const auto& function : graph.functions) {
    std::vector<double> work(function.loops.size());
    for (const auto& block : function.blocks) {
      const double here = block.count.value * operations_of(block);
      total += here;
      if (block.loop) work[static_cast<std::size_t>(*block.loop)] += here;
    }
    for (std::size_t i = 0; i < work.size(); i++)
      if (work[i] > 0) found.push_back({&function, &function.loops[i], work[i]});
  }
  if (found.empty()) return {};
  std::ranges::sort(found, [](const Row& a, const Row& b) {
    return std::tuple(-a.work, a.function->name, a.loop->header) < std::tuple(-b.work, b.function->name, b.loop->header);
  });
  Table table({"loop", "line", "entries", "iterations", "of all IR operations"});
  for (std::size_t i = 0; i < std::min(rows, found.size()); i++) {
    const auto& [function, loop, work] = found[i];
    table.add({shown_name(*function), loop->at.known() ? loop->at.text() : "-", number_text(loop->entries.value, 10),
               number_text(loop->iterations.value, 10), percent_text(work / total)});
  }
  std::string text = "\n" + table.text();
  if (found.size() > rows) text += fmt::format("and {} more loops\n", found.size() - rows);
  return text;
}

std::string library_text(const Profile& profile, std::size_t rows) {
  if (profile.library_calls.empty()) return {};
  std::vector<std::pair<double, std::string>> calls;
  for (const auto& [name, times] : profile.library_calls) calls.emplace_back(times, name);
  std::ranges::sort(calls, std::greater{});
  std::string text = "\nlibrary routines called: ";
  for (std::size_t i = 0; i < std::min(rows, calls.size()); i++)
    text += (i ? ", " : "") + calls[i].second + " " + number_text(calls[i].first, 10);
  if (calls.size() > rows) text += fmt::format(" and {} more", calls.size() - rows);
  return text + "\n";
}

std::string gaps_text(const Profile& profile, std::size_t rows) {
  if (profile.gaps.empty()) return "\nno gaps\n";
  std::string text = fmt::format("\n{} gaps\n", profile.gaps.size());
  std::vector<const Gap*> gaps;
  for (const auto& gap : profile.gaps) gaps.push_back(&gap);
  std::ranges::sort(gaps, [](const Gap* a, const Gap* b) { return a->weight != b->weight ? a->weight > b->weight : a < b; });
  for (std::size_t i = 0; i < std::min(rows, gaps.size()); i++)
    text += fmt::format("  {}{}\n", gaps[i]->at.known() ? gaps[i]->at.text() + ": " : "", gaps[i]->what);
  if (gaps.size() > rows) text += fmt::format("  and {} more\n", gaps.size() - rows);
  return text;
}

}  // namespace

std::string profile_text(const Profile& profile, const ProfileView& view) {
  std::string text = run_text(profile);
  if (profile.source) text += level_text("source", *profile.source, "source operations");
  if (profile.ir) text += level_text("IR", *profile.ir, "IR operations");
  if (profile.machine) text += level_text("machine", *profile.machine, "machine instructions");
  if (profile.ir) text += totals_text(*profile.ir) + loops_text(*profile.ir, view.rows);
  return text + library_text(profile, view.rows) + gaps_text(profile, view.rows);
}

}  // namespace perfcast::report
