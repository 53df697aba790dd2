#include "report/study_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace perfcast::report {
namespace {

std::vector<std::string> models_of(const Study& study) {
  std::vector<std::string> models;
  for (const char* name : {"icc", "intcc", "hllc", "poc", "dbc"})
    if (study.models.contains(name)) models.push_back(name);
  return models;
}

std::string value_or_dash(const std::map<std::string, double>& values, const std::string& key, auto text) {
  auto it = values.find(key);
  return it == values.end() ? "-" : text(it->second);
}

std::string nodes_table(const Study& study, const std::vector<std::string>& models) {
  std::vector<std::string> head = {"case", "node", "ct"};
  for (const auto& model : models) head.push_back(model), head.push_back("error");
  Table table(head);
  for (const auto& c : study.cases) {
    for (const auto& node : c.nodes) {
      std::vector<std::string> row = {c.name, node.name, node.timed ? time_text(*node.timed) : "-"};
      for (const auto& model : models) {
        row.push_back(value_or_dash(node.models, model, time_text));
        row.push_back(node.timed && *node.timed > 0
                          ? value_or_dash(node.models, model, [&](double s) { return percent_text(s / *node.timed - 1, true); })
                          : "-");
      }
      table.add(row);
    }
    table.rule();
  }
  return table.text();
}

std::string cases_table(const Study& study, const std::vector<std::string>& models) {
  std::vector<std::string> head = {"case", "measured", "ct"};
  for (const auto& model : models) head.push_back(model), head.push_back("alone");
  Table table(head);
  auto signed_percent = [](double e) { return percent_text(e, true); };
  auto percent = [](double e) { return percent_text(e); };
  for (const auto& c : study.cases) {
    std::vector<std::string> row = {c.name, time_text(c.measured), value_or_dash(c.errors, "ct", signed_percent)};
    for (const auto& model : models) {
      row.push_back(value_or_dash(c.errors, model, signed_percent));
      row.push_back(value_or_dash(c.model_errors, model, percent));
    }
    table.add(row);
  }
  return table.text();
}

std::string statistics_table(const std::map<std::string, ErrorStatistics>& statistics, const std::vector<std::string>& models) {
  Table table({"model", "cases", "mean", "deviation", "least", "most", "90 % interval of the mean"});
  for (const auto& model : models) {
    auto it = statistics.find(model);
    if (it == statistics.end()) continue;
    const ErrorStatistics& s = it->second;
    const bool spread = s.cases > 1;  // one case says nothing of others
    table.add({model, std::to_string(s.cases), percent_text(s.mean), spread ? percent_text(s.sd) : "-", percent_text(s.least), percent_text(s.most),
               spread ? percent_text(s.mean_interval[0]) + " to " + percent_text(s.mean_interval[1]) : "-"});
  }
  return table.text();
}

// Figure 12: from the least to the most error a line, the mean a mark.
std::string bounds_drawing(const Study& study, const std::vector<std::string>& models) {
  constexpr int width = 60;
  double largest = 0;
  for (const auto& model : models) largest = std::max(largest, study.models.at(model).most);
  if (largest <= 0) return "";
  std::string text;
  for (const auto& model : models) {
    const ErrorStatistics& s = study.models.at(model);
    auto cell = [&](double e) { return std::clamp(static_cast<int>(e / largest * (width - 1) + 0.5), 0, width - 1); };
    std::string line;
    for (int i = 0; i < width; i++)
      line += i == cell(s.mean) ? "●" : i == cell(s.least) || i == cell(s.most) ? "|" : i > cell(s.least) && i < cell(s.most) ? "─" : " ";
    text += fmt::format("{:<6} {}\n", model, line);
  }
  return text + fmt::format("       0{:>{}}\n", percent_text(largest), width - 1);
}

}  // namespace

std::string study_text(const Study& study) {
  auto models = models_of(study);
  std::string text = "on " + study.machine + "\n\nNodes of the execution graph: seconds in the whole run (ct: timed)\n" + nodes_table(study, models);
  text += "\nErrors of the totals, and what the resource model alone adds (component timing subtracted)\n" + cases_table(study, models);
  text += "\nError due to the resource model alone\n" + statistics_table(study.models, models);
  if (!study.nodes.empty()) text += "\nError per node\n" + statistics_table(study.nodes, models);
  text += "\nBounds of the error due to the model (|: least and most, ●: mean)\n" + bounds_drawing(study, models);
  for (const auto& failure : study.failed) text += "failed: " + failure + "\n";
  return text;
}

}  // namespace perfcast::report
