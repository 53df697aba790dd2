#include "report/profile_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/brief_name.h"
#include "base/text.h"
#include "report/profile_digest.h"

namespace perfcast::report {
namespace {

std::string join_names(const std::vector<HiddenVariable>& hidden) {
  std::vector<std::string> names;
  for (const HiddenVariable& h : hidden) names.push_back(h.name);
  return join(names, ", ");
}

// How much of what was executed is known as a function of the parameters, and how surely.
std::string scaling_text(const Scaling& scaling) {
  auto share = [&](const char* name) { auto it = scaling.shares.find(name); return it == scaling.shares.end() ? 0 : it->second; };
  std::string text;
  if (!scaling.shares.empty()) {
    const double given = share("exact given hidden");
    text += fmt::format("\n  as forms   {} of the instructions exact ({} proved), ", percent_text(share("proved") + share("interpolated")), percent_text(share("proved")));
    if (given > 0) text += fmt::format("{} exact given {} that depend on the data, ", percent_text(given), join_names(scaling.hidden));
    text += fmt::format("{} by a law, {} unknown; {} sizes run", percent_text(std::max(0.0, share("ratio") - given)), percent_text(share("unknown")), scaling.runs.size());
  }
  for (const std::string& remark : scaling.remarks) text += "\n             " + remark;
  return text;
}

std::string run_text(const Profile& profile) {
  const ProgramRun& run = profile.run;
  std::string text = profile.program;
  if (!run.arguments.empty()) text += " " + join(run.arguments, " ");
  text += "\n  compiled   " + run.compiler + (run.cflags.empty() ? "" : "  " + run.cflags);
  if (!run.build_folder.empty()) text += "  flags of " + run.build_folder + "/compile_commands.json";
  if (!run.target.empty() || !run.cpu.empty()) text += fmt::format("  for {} {}", run.target, run.cpu);
  text += fmt::format("\n  counted    {} of processor time, {} page faults", time_text(run.seconds), number_text(run.page_faults));
  if (run.system) text += fmt::format(", {} system calls", number_text(run.system->calls));
  if (!run.ending.empty()) text += "; it " + run.ending;
  for (const std::string& line : split(run.complaint, '\n'))
    if (!line.empty()) text += "\n             " + line;
  for (const auto& [name, value] : run.parameters) {
    text += fmt::format("\n  parameter  {} = {}", name, number_text(value, 12));
    if (auto argument = run.parameter_arguments.find(name); argument != run.parameter_arguments.end()) text += fmt::format(" (argument {})", argument->second);
  }
  return text + (profile.scaling ? scaling_text(*profile.scaling) : "") + "\n";
}

std::string level_text(const char* name, const Graph& graph, const char* unit) {
  LevelDigest digest = digest_level(name, graph);
  return fmt::format("  {:<9}  {} of {} functions and {} of {} blocks executed, {} {}\n", name, digest.executed_functions,
                     digest.functions, digest.executed, digest.blocks, number_text(digest.work), unit);
}

std::string totals_text(const Graph& graph) {
  auto usage = dynamic_usage(graph);
  return fmt::format("  work       {} flops, {} loaded, {} stored\n", number_text(usage["flops"]),
                     size_text(usage["bytes_loaded"]), size_text(usage["bytes_stored"]));
}

std::string loops_text(const Graph& graph, std::size_t rows) {
  auto loops = loops_by_work(graph);
  if (loops.empty()) return {};
  Table table({"loop", "line", "entries", "iterations", "IR operations"});
  for (std::size_t i = 0; i < std::min(rows, loops.size()); i++) {
    const LoopDigest& loop = loops[i];
    table.add({brief_name(loop.function, 30), loop.line > 0 ? fmt::format("{}:{}", brief_path(loop.file, 20), loop.line) : "-", number_text(loop.entries, 10),
               number_text(loop.iterations, 10), percent_text(loop.share)});
  }
  std::string text = "\n" + table.text();
  if (loops.size() > rows) text += fmt::format("and {} more loop{}\n", loops.size() - rows, loops.size() - rows == 1 ? "" : "s");
  return text;
}

std::string library_text(const Profile& profile, std::size_t rows) {
  if (profile.library_calls.empty()) return {};
  std::vector<std::pair<double, std::string>> calls;
  for (const auto& [name, times] : profile.library_calls) calls.emplace_back(times, name);
  std::ranges::sort(calls, std::greater{});
  std::string text = "\nlibrary routines called: ";
  for (std::size_t i = 0; i < std::min(rows, calls.size()); i++)
    text += (i ? ", " : "") + brief_name(demangled(calls[i].second), 30) + " " + number_text(calls[i].first, 10);
  if (calls.size() > rows) text += fmt::format(" and {} more", calls.size() - rows);
  return text + "\n";
}

std::string gaps_text(const Profile& profile, std::size_t rows) {
  if (profile.gaps.empty()) return "\nno gaps\n";
  std::string text = fmt::format("\n{} gap{}\n", profile.gaps.size(), profile.gaps.size() == 1 ? "" : "s");
  std::vector<const Gap*> gaps;
  for (const auto& gap : profile.gaps) gaps.push_back(&gap);
  std::ranges::sort(gaps, [](const Gap* a, const Gap* b) { return a->weight != b->weight ? a->weight > b->weight : a < b; });
  for (std::size_t i = 0; i < std::min(rows, gaps.size()); i++)
    text += fmt::format("  {}{}\n", gaps[i]->at.known() ? brief_path(gaps[i]->at.text(), 60) + ": " : "", gaps[i]->what);
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
