#include "report/validation_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace perfcast::report {
namespace {

// The models from the least to the most detailed, as the ladder has them.
std::vector<std::string> models_of(const Validation& validation) {
  std::vector<std::string> models;
  for (const char* name : {"dbc", "poc", "hllc", "intcc", "icc", "ct"})
    if (validation.models.contains(name)) models.push_back(name);
  return models;
}

std::string programs_table(const Validation& validation, const std::vector<std::string>& models) {
  std::vector<std::string> head = {"program", "measured", "runs"};
  for (const auto& model : models) head.push_back(model), head.push_back("error"), head.push_back("held");
  Table table(head);
  for (const auto& program : validation.programs) {
    if (!program.measured) continue;
    std::vector<std::string> row = {program.name, time_text(*program.measured),
                                    fmt::format("{}{}", program.runs, program.disturbed ? fmt::format(" ({})", program.disturbed) : "")};
    for (const auto& model : models) {
      auto it = program.models.find(model);
      bool known = it != program.models.end();
      row.push_back(known ? time_text(it->second.seconds) : "-");
      row.push_back(known ? percent_text(it->second.error, true) : "-");
      row.push_back(!known ? "-" : it->second.covered ? "yes" : "no");
    }
    table.add(row);
  }
  return table.text();
}

std::string accuracy_table(const Validation& validation, const std::vector<std::string>& models) {
  Table table({"model", "programs", "within 5 %", "10 %", "15 %", "20 %", "mean", "median", "bias", "tau", "interval held"});
  for (const auto& model : models) {
    const ModelSummary& s = validation.models.at(model);
    std::vector<std::string> row = {model, std::to_string(s.programs)};
    for (const char* band : {"5", "10", "15", "20"}) row.push_back(s.within.contains(band) ? percent_text(s.within.at(band)) : "?");
    for (double number : {s.mape, s.median}) row.push_back(percent_text(number));
    row.push_back(percent_text(s.bias, true));
    row.push_back(fmt::format("{:.2f}", s.tau));
    row.push_back(percent_text(s.coverage));
    table.add(row);
  }
  return table.text();
}

// Clocks wander with what others do on the processor; how much of the error is that.
std::string clock_text(const Validation& validation, const std::vector<std::string>& models) {
  std::vector<double> clocks;
  for (const auto& program : validation.programs)
    if (program.clock_ghz) clocks.push_back(*program.clock_ghz);
  if (!validation.machine_ghz || clocks.empty()) return "";
  std::string text = fmt::format("\nthe machine file is for {:.2f} GHz, the programs ran at {:.2f} to {:.2f}; predicted for the clock they had:\n", *validation.machine_ghz,
                                 std::ranges::min(clocks), std::ranges::max(clocks));
  for (const auto& model : models)
    if (const ModelSummary& s = validation.models.at(model); s.mape_at_clock && s.median_at_clock)
      text += fmt::format("  {}: mean {}, median {}\n", model, percent_text(*s.mape_at_clock), percent_text(*s.median_at_clock));
  return text;
}

}  // namespace

std::string validation_text(const Validation& validation) {
  auto models = models_of(validation);
  std::string text = "on " + validation.machine + ": " + validation.suite + "\n\n" + programs_table(validation, models);
  text += "(runs: how many, and of these disturbed; held: the measured time lies in the interval)\n\n";
  text += accuracy_table(validation, models) + clock_text(validation, models);
  std::string failures;
  for (const auto& program : validation.programs)
    if (!program.failed.empty()) failures += "failed: " + program.name + ": " + program.failed + "\n";
  return failures.empty() ? text : text + "\n" + failures;
}

}  // namespace perfcast::report
