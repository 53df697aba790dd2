#include "report/dilation_text.h"

#include <fmt/format.h>

#include "base/text.h"

namespace perfcast::report {
namespace {

std::string doubts_of(const std::vector<DilationPoint>& points, const std::string& where = "") {
  std::string text;
  for (const auto& p : points)
    for (const auto& doubt : p.doubts) text += fmt::format("{}D = {:g}: {}\n", where.empty() ? "" : where + ", ", p.d, doubt);
  return text;
}

// T/D by category: what the times would be with D times faster communication.
std::string message_table(const Dilation& dilation) {
  Table table({"D", "elapsed E", "E/D", "speed-up", "user", "system", "receive", "send", "collective", "other", "segments", "each", "valid"});
  for (const auto& p : dilation.points) {
    const DilatedTimes& t = p.normalized_times;
    table.add({number_text(p.d), time_text(p.elapsed), time_text(p.normalized), fmt::format("{:.3f}", p.speedup), time_text(t.user),
               time_text(t.system), time_text(t.wait_receive), time_text(t.send), time_text(t.collective), time_text(t.other),
               number_text(p.segments, 7), time_text(p.segment_seconds), p.valid ? "yes" : "no"});
  }
  return table.text();
}

std::string signature_table(const Dilation& dilation) {
  std::vector<std::string> head = {"signature"};
  for (const auto& p : dilation.points) head.push_back("D = " + number_text(p.d));
  Table table(head);
  const std::pair<const char*, double DilatedTimes::*> rows[] = {
      {"user", &DilatedTimes::user}, {"system", &DilatedTimes::system},         {"receive", &DilatedTimes::wait_receive},
      {"send", &DilatedTimes::send}, {"collective", &DilatedTimes::collective}, {"other calls", &DilatedTimes::other},
      {"residue", &DilatedTimes::residue}};
  for (const auto& [name, field] : rows) {
    std::vector<std::string> row = {name};
    for (const auto& p : dilation.points) row.push_back(p.elapsed > 0 ? fmt::format("{:.1f} %", 100 * (p.times.*field) / p.elapsed) : "-");
    table.add(row);
  }
  return table.text();
}

std::string region_table(const Dilation& dilation) {
  std::vector<std::string> head = {"region", "share"};
  if (!dilation.regions.empty())
    for (const auto& p : dilation.regions.front().points) head.push_back(number_text(p.d) + "x faster");
  Table table(head);
  for (const auto& region : dilation.regions) {
    std::vector<std::string> row = {region.region, percent_text(region.share)};
    for (const auto& p : region.points) row.push_back(fmt::format("{:.3f}{}", p.speedup, p.valid ? "" : " ?"));
    table.add(row);
  }
  return "speed-up of the program with one region faster (? cannot be trusted)\n\n" + table.text();
}

}  // namespace

std::string dilation_text(const Dilation& dilation) {
  bool threads = dilation.kind == "threads";
  std::string text = fmt::format("{}\n{} {} on {} cores; a reading of the clock takes {}\n\n", dilation.program, dilation.ranks,
                                 threads ? "threads" : "ranks", dilation.cores, time_text(dilation.clock_seconds));
  if (threads) {
    if (!dilation.points.empty()) text += "plain: " + time_text(dilation.points.front().elapsed) + "\n\n";
    text += region_table(dilation);
    if (dilation.demand) {
      Table table({"threads at work", "demand", ""});
      for (const auto& mode : dilation.demand->modes) table.add({std::to_string(mode.active), percent_text(mode.demand), bar_text(mode.demand)});
      text += "\nwork by level of parallelism; nobody works for " + time_text(dilation.demand->synchronisation) + "\n\n" + table.text();
    }
  } else {
    text += message_table(dilation) + "\n" + signature_table(dilation);
  }
  if (threads) text += "\n" + dilation.explanation + "\n";
  else text += fmt::format("\n{}: {}\n", word_of(dilation.verdict), dilation.explanation);
  if (!threads && dilation.ideal)
    text += fmt::format("computation is {} of the time; if all that its slowest rank waits were transport, the speed-up at D = {:g} would be {:.2f}\n",
                        percent_text(dilation.compute_share), dilation.points.back().d, *dilation.ideal);
  std::string doubts = doubts_of(dilation.points, threads ? "plain" : "");
  for (const auto& region : dilation.regions) doubts += doubts_of(region.points, region.region);
  if (!doubts.empty()) text += "\n" + doubts;
  for (const auto& remark : dilation.remarks) text += remark + "\n";
  return text;
}

}  // namespace perfcast::report
