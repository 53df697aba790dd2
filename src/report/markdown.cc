#include "report/markdown.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace perfcast::report {
namespace {

Table summary_table(const Prediction& prediction) {
  std::vector<std::string> head = {"machine", "model", "predicted", "interval"};
  if (prediction.measured) head.push_back("against measured");
  Table table(head);
  for (const auto& p : prediction.predictions) {
    std::vector<std::string> row = {p.machine, word_of(p.model), time_text(p.seconds),
                                    fmt::format("{} – {}", time_text(p.interval[0]), time_text(p.interval[1]))};
    if (prediction.measured) row.push_back(percent_text(p.seconds / prediction.measured->seconds - 1, true));
    table.add(row);
  }
  return table;
}

std::string parts_text(const std::string& title, const std::vector<Part>& parts, double seconds, std::size_t rows) {
  Table table({title, "time", "share"});
  for (std::size_t i = 0; i < std::min(rows, parts.size()); i++)
    if (parts[i].seconds > 0) table.add({parts[i].name, time_text(parts[i].seconds), percent_text(seconds > 0 ? parts[i].seconds / seconds : 0)});
  return table.empty() ? "" : "\n" + table.markdown();
}

}  // namespace

std::string prediction_markdown(const Prediction& prediction, std::size_t rows) {
  std::string text = "### " + prediction.program + "\n\n" + summary_table(prediction).markdown();
  if (prediction.measured)
    text += fmt::format("\nMeasured: {} ({} runs).\n", time_text(prediction.measured->seconds), prediction.measured->runs);
  if (prediction.predictions.empty()) return text;
  const ModelPrediction& best = prediction.predictions.front();
  text += fmt::format("\nWhere the time goes, {} on {}:\n", word_of(best.model), best.machine);
  text += parts_text("resource", best.parts, best.seconds, rows);
  if (auto view = best.views.find("function"); view != best.views.end()) text += parts_text("function", view->second, best.seconds, rows);
  return text;
}

std::string validation_markdown(const Validation& validation) {
  Table table({"model", "programs", "mean error", "median", "within 10 %", "within 20 %", "interval held"});
  for (const auto& [name, s] : validation.models) {
    auto within = [&](const char* band) { auto it = s.within.find(band); return it == s.within.end() ? "-" : percent_text(it->second); };
    table.add({name, std::to_string(s.programs), percent_text(s.mape), percent_text(s.median), within("10"), within("20"), percent_text(s.coverage)});
  }
  return "### " + validation.machine + ", " + validation.suite + "\n\n" + table.markdown();
}

}  // namespace perfcast::report
