#include "report/prediction_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/brief_name.h"
#include "base/text.h"
#include "record/operations.h"

namespace perfcast::report {
namespace {

std::string interval_text(const std::array<double, 2>& interval) {
  return time_text(interval[0]) + " .. " + time_text(interval[1]);
}

std::size_t machines_in(const Prediction& prediction) {
  std::set<std::string> names;
  for (const auto& p : prediction.predictions)
    if (p.model != Model::ct) names.insert(p.machine);
  return names.size();
}

// Saavedra table 7.1: time relative to the first machine that the same model answered for.
std::string relative_text(const Prediction& prediction, const ModelPrediction& one) {
  for (const auto& p : prediction.predictions)
    if (p.model == one.model) return p.seconds > 0 ? number_text(one.seconds / p.seconds) : "-";
  return "-";
}

std::string summary(const Prediction& prediction, const PredictionView& view) {
  bool several = machines_in(prediction) > 1, measured = prediction.measured.has_value();
  std::vector<std::string> head = {"machine", "model", "predicted", "interval", "confidence"};
  if (several) head.push_back("relative");
  if (measured) head.push_back("error");
  Table table(head);
  for (const auto& p : prediction.predictions) {
    std::vector<std::string> row = {p.machine, word_of(p.model), time_text(p.seconds), interval_text(p.interval),
                                    fmt::format("{:g} %", 100 * p.confidence)};
    if (several) row.push_back(relative_text(prediction, p));
    if (measured)
      row.push_back(view.elsewhere.contains(p.machine) ? "-" : percent_text(p.seconds / prediction.measured->seconds - 1, true));
    table.add(row);
  }
  std::string text = prediction.program + "\n\n" + table.text();
  if (measured) {
    const auto& m = *prediction.measured;
    text += fmt::format("\nmeasured here: {} ({}), {} runs, {} disturbed; {}\n", time_text(m.seconds),
                        interval_text(m.interval), m.runs, m.disturbed, m.how);
  }
  for (const auto& reason : prediction.refused) text += "\nno answer from " + reason;
  return prediction.refused.empty() ? text : text + "\n";
}

const std::vector<Part>* parts_for(const ModelPrediction& p, const std::string& breakdown) {
  if (breakdown == "operation") return &p.parts;
  auto it = p.views.find(breakdown);
  return it == p.views.end() ? nullptr : &it->second;
}

std::string executions_text(double count) { return count < 1e10 ? fmt::format("{:.0f}", count) : number_text(count, 10); }

std::string part_name(const std::string& name, const std::string& breakdown) {
  if (breakdown == "function") return brief_name(name, 60);
  return breakdown == "line" ? brief_path(name, 60) : name;
}

// Time that belongs to no function, line or region: start-up, page faults, other threads on the core, libraries by name.
std::string rest_name(const std::string& breakdown) {
  if (breakdown == "function") return "(outside functions: start-up, page faults, ...)";
  return breakdown == "line" ? "(no line: libraries, start-up, page faults, ...)" : "(outside the named regions)";
}

std::string no_breakdown(const PredictionView& view) {
  if (view.breakdown != "region") return "";
  return "\nno region is named in the source; a pair of comments names one: perfcast: region NAME, perfcast: end\n";
}

// Figure 6.1: executions, their fraction, time, its fraction, standard deviation.
std::string breakdown_of(const ModelPrediction& p, const PredictionView& view) {
  const auto* parts = parts_for(p, view.breakdown);
  if (p.model == Model::ct) return "";
  if (!parts || parts->empty()) return no_breakdown(view);
  bool operations = view.breakdown == "operation";
  double executed = 0, rest_seconds = 0, outside = p.seconds;
  for (const auto& part : *parts) executed += part.count.value_or(0), outside -= part.seconds;
  std::vector<std::string> head = {view.breakdown, "executed", "fraction", "time", "share", "sd", ""};
  if (!operations) head = {view.breakdown, "time", "share", ""};
  Table table(head);
  auto share = [&](double seconds) { return p.seconds > 0 ? seconds / p.seconds : 0; };
  std::size_t shown = 0;
  for (const auto& part : *parts) {
    if (shown == view.rows) {
      rest_seconds += part.seconds;
      continue;
    }
    shown++;
    if (!operations) {
      table.add({part_name(part.name, view.breakdown), time_text(part.seconds), percent_text(share(part.seconds)), bar_text(share(part.seconds))});
      continue;
    }
    const auto* kind = find_operation(part.name);
    table.add({part.name, part.count ? executions_text(*part.count) : "-",
               part.count && executed > 0 ? fmt::format("{:.4f}", *part.count / executed) : "-", time_text(part.seconds),
               percent_text(share(part.seconds)), part.sd && *part.sd > 0 ? time_text(*part.sd) : "-",
               kind ? kind->meaning : ""});
  }
  if (!operations && outside > 5e-4 * p.seconds)
    table.add({rest_name(view.breakdown), time_text(outside), percent_text(share(outside)), bar_text(share(outside))});
  std::string text = fmt::format("\n{} on {}, by {}\n\n", word_of(p.model), p.machine, view.breakdown) + table.text();
  if (shown < parts->size())
    text += fmt::format("and {} more: {}, {}\n", parts->size() - shown, time_text(rest_seconds), percent_text(share(rest_seconds)));
  if (operations && p.sd && *p.sd > 0)
    text += fmt::format("standard deviation from the costs alone: {}\n", time_text(*p.sd));
  return text;
}

// What is doubtful in a prediction, most telling first.
std::vector<std::string> doubts_of(const ModelPrediction& p) {
  std::vector<std::string> doubts = p.remarks;
  if (p.estimated_share >= 0.005)
    doubts.push_back(percent_text(p.estimated_share) + " of the time rests on derived or assumed costs");
  constexpr std::size_t enough = 8;
  for (std::size_t i = 0; i < std::min(p.gaps.size(), enough); i++)
    doubts.push_back(p.gaps[i].what + (p.gaps[i].at.known() ? " (" + p.gaps[i].at.text() + ")" : ""));
  if (p.gaps.size() > enough) doubts.push_back(fmt::format("and {} more gaps", p.gaps.size() - enough));
  return doubts;
}

// The same doubt about several predictions is said once.
std::string all_doubts(const Prediction& prediction) {
  std::vector<std::string> order;
  std::map<std::string, std::string> about;
  for (const auto& p : prediction.predictions)
    for (const auto& doubt : doubts_of(p)) {
      auto [it, is_new] = about.try_emplace(doubt);
      if (is_new) order.push_back(doubt);
      it->second += (is_new ? "" : ", ") + fmt::format("{} on {}", word_of(p.model), p.machine);
    }
  std::string text;
  for (const auto& doubt : order) text += about[doubt] + ": " + doubt + "\n";
  return text;
}

double share_of(const ModelPrediction& p, const std::string& part_name) {
  for (const auto& part : p.parts)
    if (part.name == part_name) return p.seconds > 0 ? part.seconds / p.seconds : 0;
  return 0;
}

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  int n = 0;
  for (double v : values)
    if (v > 0) sum += std::log(v), n++;
  return n ? std::exp(sum / n) : 0;
}

// Table 7.3: how the time divides among operations on each machine; a share half again above the geometric mean of
// its row is marked.
std::string distribution_of(const Prediction& prediction, const PredictionView& view) {
  constexpr double outlying = 1.5, visible = 5e-5;
  std::vector<const ModelPrediction*> columns;
  for (const auto& p : prediction.predictions)
    if (p.model == Model::hllc) columns.push_back(&p);
  if (columns.empty()) return "";
  std::map<std::string, double> counts;
  double total = 0;
  for (const auto& part : columns[0]->parts) counts[part.name] = part.count.value_or(0), total += part.count.value_or(0);
  std::vector<std::pair<std::string, double>> rows(counts.begin(), counts.end());
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::vector<std::string> head = {"operation", "executed"};
  for (const auto* p : columns) head.push_back(p->machine);
  Table table(head);
  for (std::size_t i = 0; i < std::min(rows.size(), view.rows); i++) {
    std::vector<double> shares;
    for (const auto* p : columns) shares.push_back(share_of(*p, rows[i].first));
    double middle = geometric_mean(shares);
    std::vector<std::string> row = {rows[i].first, fmt::format("{:.4f}", rows[i].second / total)};
    for (double s : shares)
      row.push_back(fmt::format("{:.4f}{}", s, shares.size() > 1 && s >= visible && s > outlying * middle ? "*" : " "));
    table.add(row);
  }
  return "\ndistribution of the time (* half again above the geometric mean of the machines)\n\n" + table.text();
}

}  // namespace

std::string prediction_text(const Prediction& prediction, const PredictionView& view) {
  std::string text = summary(prediction, view);
  if (view.distribution) text += distribution_of(prediction, view);
  else if (machines_in(prediction) == 1 || view.breakdown != "operation")
    for (const auto& p : prediction.predictions) text += breakdown_of(p, view);
  std::string doubts = all_doubts(prediction);
  return doubts.empty() ? text : text + "\n" + doubts;
}

}  // namespace perfcast::report
