#include "report/bounds_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/brief_name.h"
#include "base/text.h"

namespace perfcast::report {
namespace {

std::string place(const LoopBounds& loop) {
  std::string text = fmt::format("{} {}:{}", brief_name(loop.function, 60), brief_path(loop.file, 60), loop.line);
  if (!loop.inlined_into.empty()) text += ", in " + loop.inlined_into;
  if (loop.outer) text += ", outside its inner loops";
  return text;
}

std::string cycles(double value) { return value >= 100 ? fmt::format("{:.0f}", value) : value >= 10 ? fmt::format("{:.1f}", value) : fmt::format("{:.3f}", value); }

std::string cycles(std::optional<double> value) { return value ? cycles(*value) : "unknown"; }

// One bar: M A C S W P side by side, as figures 11 to 17 of the paper, each a letter per cell.
std::string ladder_bar(const LoopBounds& loop, int width) {
  double whole = std::max(loop.window, loop.measured.value_or(0));
  if (whole <= 0) return "";
  std::string bar;
  double reached = 0;
  auto fill = [&](char letter, double amount) {
    reached += std::max(0.0, amount);
    auto cells = static_cast<std::size_t>(reached / whole * width + 0.5);
    if (cells > bar.size()) bar.append(cells - bar.size(), letter);
  };
  fill('M', loop.m);
  if (loop.ma) fill('A', *loop.gaps.a), fill('C', *loop.gaps.c);
  else fill('?', loop.mac - loop.m);
  fill('S', loop.gaps.s), fill('W', loop.gaps.w), fill('P', loop.gaps.p.value_or(0));
  return "[" + bar + std::string(static_cast<std::size_t>(std::max(0, width - static_cast<int>(bar.size()))), ' ') + "]";
}

std::string limits(const LoopBounds& loop, const char* key) {
  auto it = loop.limited_by.find(key);
  return it == loop.limited_by.end() ? "" : it->second;
}

std::string loop_text(const LoopBounds& loop, const BoundsView& view) {
  std::string text = fmt::format("\n{}   {} of the time, {} iterations", place(loop), percent_text(loop.share), number_text(loop.iterations, 6));
  if (loop.vector_bits > 64) text += fmt::format(", {}-bit vectors", loop.vector_bits);
  text += "\n  " + ladder_bar(loop, view.width) + "\n";
  Table table({"", "cycles/iteration", "cycles/flop", "gap", "", "limited by"});
  auto flop = [&](const char* key) { auto it = loop.per_flop.find(key); return it == loop.per_flop.end() ? std::string("-") : cycles(it->second); };
  table.add({"M    machine", cycles(loop.m), flop("m"), "", "", limits(loop, "m")});
  table.add({"MA   + application", cycles(loop.ma), flop("ma"), cycles(loop.gaps.a), "A", limits(loop, "ma")});
  table.add({"MAC  + compiler", cycles(loop.mac), flop("mac"), loop.ma ? cycles(loop.gaps.c) : cycles(loop.mac - loop.m), loop.ma ? "C" : "A+C", limits(loop, "mac")});
  table.add({"MACS + schedule", cycles(loop.macs), flop("macs"), cycles(loop.gaps.s), "S", ""});
  table.add({"W    + window (prediction)", cycles(loop.window), flop("window"), cycles(loop.gaps.w), "W", ""});
  if (loop.measured) {
    std::string parts;
    for (const NamedAmount& part : loop.p_parts)
      if (std::abs(part.amount) >= 0.01 * *loop.measured) parts += (parts.empty() ? "" : ", ") + part.name + " " + cycles(part.amount);
    table.add({"measured", cycles(*loop.measured), flop("measured"), cycles(*loop.gaps.p), "P", parts});
  }
  text += table.text();
  if (!loop.measured && !loop.p_parts.empty()) {
    text += "  expected beyond the window:";
    for (const NamedAmount& part : loop.p_parts) text += fmt::format(" {} {}", part.name, cycles(part.amount));
    text += "\n";
  }
  for (const Advice& advice : loop.advice) text += fmt::format("  {}: {} [{} cycles, {}]\n", advice.at.line, advice.text, cycles(advice.cycles), advice.cause);
  for (const std::string& remark : loop.remarks) text += "  (" + remark + ")\n";
  return text;
}

std::string region_name(const std::string& function, const Location& at) { return function + (at.line ? ":" + std::to_string(at.line) : ""); }

template <class Show>
std::string range_text(const std::vector<double>& values, Show show) {
  if (values.empty()) return "-";
  auto [least, largest] = std::ranges::minmax(values);
  return least == largest ? show(least) : show(least) + " to " + show(largest);
}

// Figures 18 and 19: speedup and utilisation of each region by the number of threads.
std::string by_number_text(const Bounds& bounds) {
  if (bounds.region_threads.empty()) return "";
  std::vector<std::string> head{"speedup (utilisation) by threads"};
  for (const ThreadsBound& at : bounds.threads) head.push_back(std::to_string(at.threads));
  head.insert(head.end(), {"fastest with", "machine used best with"});
  Table table(head);
  for (const RegionChoice& choice : bounds.region_threads) {
    std::vector<std::string> row{region_name(choice.function, choice.at)};
    for (const ThreadsBound& at : bounds.threads) {
      auto region = std::ranges::find_if(at.regions, [&](const ParallelRegionBound& r) { return r.function == choice.function && r.at.line == choice.at.line; });
      row.push_back(region != at.regions.end() && region->speedup && region->utilisation ? fmt::format("{} ({})", number_text(*region->speedup, 3), percent_text(*region->utilisation)) : "-");
    }
    row.push_back(std::to_string(choice.fastest_threads)), row.push_back(std::to_string(choice.best_used_threads));
    table.add(row);
  }
  return "\n" + table.text();
}

// Of the threads that took part.
std::vector<double> iterations_of(const ParallelRegionBound& region) {
  std::vector<double> iterations = region.iterations;
  std::ranges::sort(iterations, std::greater{});
  iterations.resize(std::min(iterations.size(), static_cast<std::size_t>(std::max(1, region.threads))));
  return iterations;
}

std::string threads_text(const Bounds& bounds) {
  if (bounds.threads.empty()) return "";
  Table table({"threads", "bound, balanced", "bound, actual", "measured", "speedup", "utilisation", "worst imbalance"});
  for (const ThreadsBound& at : bounds.threads) {
    double worst = 0;
    for (const ParallelRegionBound& region : at.regions) worst = std::max(worst, region.imbalance);
    table.add({std::to_string(at.threads), time_text(at.balanced_seconds), time_text(at.actual_seconds), at.measured_seconds ? time_text(*at.measured_seconds) : "-",
               at.speedup ? number_text(*at.speedup, 3) : "-", at.utilisation ? percent_text(*at.utilisation) : "-", percent_text(worst)});
  }
  std::string text = "\nthreads\n\n" + table.text();
  if (const ThreadsBound& most = bounds.threads.back(); !most.regions.empty()) {
    Table regions({fmt::format("regions with {} threads", most.threads), "threads", "iterations by thread", "balanced", "actual", "measured", "busy by thread", "imbalance", "measured"});
    for (const ParallelRegionBound& region : most.regions)
      regions.add({region_name(region.function, region.at), std::to_string(region.threads), range_text(iterations_of(region), [](double x) { return number_text(x, 5); }),
                   time_text(region.balanced_seconds), time_text(region.actual_seconds), region.measured_seconds ? time_text(*region.measured_seconds) : "-",
                   range_text(region.busy_seconds, [](double x) { return time_text(x); }), percent_text(region.imbalance),
                   region.measured_imbalance ? percent_text(*region.measured_imbalance) : "-"});
    text += "\n" + regions.text() + by_number_text(bounds);
  }
  if (bounds.fastest_threads) text += fmt::format("fastest with {} threads; the machine is used best with {}\n", *bounds.fastest_threads, bounds.best_used_threads.value_or(1));
  return text;
}

}  // namespace

std::string bounds_text(const Bounds& bounds, const BoundsView& view) {
  const RunTimeBound& t = bounds.run_time;
  std::string text = fmt::format("{} on {}: not faster than {} as compiled", bounds.program, bounds.machine, time_text(t.macs));
  if (t.ma) text += fmt::format(", {} as written", time_text(*t.ma));
  text += fmt::format("; expected {} in the core", time_text(t.window));
  text += t.measured ? fmt::format(", measured {}\n", time_text(*t.measured)) : "\n";
  if (!bounds.measured_how.empty()) text += (t.measured ? "measured: " : "not measured: ") + bounds.measured_how + "\n";
  text += fmt::format("{} loops make up {} of the time; per source iteration:\n", bounds.loops.size(), percent_text(bounds.loops_share));
  for (std::size_t i = 0; i < std::min(bounds.loops.size(), view.loops); i++) text += loop_text(bounds.loops[i], view);
  if (bounds.loops.size() > view.loops) {
    Table table({"more loops", "share", "M", "MA", "MAC", "MACS", "W", "measured"});
    for (std::size_t i = view.loops; i < bounds.loops.size(); i++) {
      const LoopBounds& loop = bounds.loops[i];
      table.add({place(loop), percent_text(loop.share), cycles(loop.m), cycles(loop.ma), cycles(loop.mac), cycles(loop.macs), cycles(loop.window),
                 loop.measured ? cycles(*loop.measured) : "-"});
    }
    text += "\n" + table.text();
  }
  text += threads_text(bounds);
  if (!bounds.advice.empty()) {
    text += "\nwhat would help most\n";
    for (std::size_t i = 0; i < std::min(bounds.advice.size(), view.advice); i++)
      text += fmt::format("{:3}. up to {}  {}  {}\n", i + 1, time_text(bounds.advice[i].seconds), bounds.advice[i].at.text(), bounds.advice[i].text);
  }
  for (const BrokenLaw& broken : bounds.broken_laws)
    text += fmt::format("\nlaw broken: {} by {} in {} ({})", broken.law, percent_text(broken.by), broken.function, broken.at.text());
  if (!bounds.broken_laws.empty()) text += "\n";
  for (const std::string& remark : bounds.remarks) text += "\n" + remark + "\n";
  for (const Gap& gap : bounds.unknown) text += "\nnot known: " + gap.what + "\n";
  return text;
}

}  // namespace perfcast::report
