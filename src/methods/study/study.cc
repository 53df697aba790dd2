#include "methods/study/study.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "base/statistics.h"

namespace perfcast::study {
namespace {

constexpr double normal_90 = 1.645;  // two-sided

// Nodes of the chosen view with what each model gives them.
std::map<std::string, std::map<std::string, double>> nodes_of(const Prediction& prediction, const std::string& view) {
  std::map<std::string, std::map<std::string, double>> nodes;
  for (const auto& p : prediction.predictions) {
    auto it = p.views.find(view);
    if (it == p.views.end()) continue;
    for (const auto& part : it->second) nodes[part.name][word_of(p.model)] += part.seconds;
  }
  return nodes;
}

}  // namespace

ErrorStatistics error_statistics(std::span<const double> errors) {
  ensure(!errors.empty(), "statistics of at least one error");
  ErrorStatistics s;
  s.cases = static_cast<int>(errors.size());
  s.mean = mean(errors), s.sd = standard_deviation(errors);
  s.least = *std::min_element(errors.begin(), errors.end());
  s.most = *std::max_element(errors.begin(), errors.end());
  double half = normal_90 * s.sd / std::sqrt(static_cast<double>(errors.size()));
  s.mean_interval = {s.mean - half, s.mean + half};
  return s;
}

StudyCase study_case(const StudyInput& input, const StudyOptions& options) {
  StudyCase result;
  result.name = input.name;
  result.measured = input.measured;
  result.refused = input.prediction.refused;
  if (!input.components.empty()) {
    result.components = 0;
    for (const auto& [name, seconds] : input.components) *result.components += seconds;
  }
  const double component_error = result.components ? *result.components / input.measured - 1 : 0;
  for (const auto& p : input.prediction.predictions) {
    if (p.model == Model::ct) continue;
    const std::string model = word_of(p.model);
    result.models[model] = p.seconds;
    result.errors[model] = p.seconds / input.measured - 1;
    result.model_errors[model] = std::abs(result.errors[model] - component_error);
  }
  if (result.components) result.models["ct"] = *result.components, result.errors["ct"] = component_error;

  auto nodes = nodes_of(input.prediction, input.view);
  for (const auto& [name, seconds] : input.components) nodes.try_emplace(name);
  for (auto& [name, models] : nodes) {
    StudyNode node;
    node.name = name, node.models = models;
    if (auto it = input.components.find(name); it != input.components.end()) node.timed = it->second;
    double largest = node.timed.value_or(0);
    for (const auto& [model, seconds] : models) largest = std::max(largest, seconds);
    if (largest >= options.least_share * input.measured) result.nodes.push_back(std::move(node));
  }
  std::ranges::sort(result.nodes, [](const auto& a, const auto& b) {
    return a.timed.value_or(0) != b.timed.value_or(0) ? a.timed.value_or(0) > b.timed.value_or(0) : a.name < b.name;
  });
  return result;
}

Study study(std::span<const StudyInput> inputs, const std::string& machine, const StudyOptions& options) {
  Study result;
  result.machine = machine;
  result.made_by = made_here();
  std::map<std::string, std::vector<double>> totals, nodes;
  for (const auto& input : inputs) {
    result.cases.push_back(study_case(input, options));
    const StudyCase& c = result.cases.back();
    for (const auto& [model, error] : c.model_errors) totals[model].push_back(error);
    for (const auto& node : c.nodes)
      if (node.timed && *node.timed >= options.least_share * c.measured)
        for (const auto& [model, seconds] : node.models) nodes[model].push_back(std::abs(seconds / *node.timed - 1));
  }
  for (const auto& [model, errors] : totals) result.models[model] = error_statistics(errors);
  for (const auto& [model, errors] : nodes) result.nodes[model] = error_statistics(errors);
  return result;
}

}  // namespace perfcast::study
