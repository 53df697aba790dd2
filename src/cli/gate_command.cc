// perfcast gate: compares two profiles by counted cost and exits 1 when the new one costs too much.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/models.h"
#include "methods/gate/gate.h"
#include "methods/predict/predict.h"
#include "report/gate_text.h"

namespace perfcast::cli {
namespace {

struct GateArguments {
  std::string base, candidate, limit = "3%", model;
  std::vector<std::string> machines;
  bool sampled = false;
  std::size_t rows = 20;
  OutputOptions output;
};

// "3%" or "3": percent.
Result<double> limit_of(const std::string& text) {
  char* end = nullptr;
  double percent = std::strtod(text.c_str(), &end);
  if (*end == '%') end++;
  if (end == text.c_str() || *end || !(percent >= 0) || !std::isfinite(percent)) return wrong_usage("\"" + text + "\" is not a limit", "--limit 3%");
  return percent / 100;
}

Result<ModelPrediction> cost_of(Profile profile, const Machine& machine, const GateArguments& arguments) {
  predict::PredictOptions options;
  options.alone = true;
  if (!arguments.model.empty()) {
    TRY(options.models, models_named({arguments.model}));
    if (options.models.size() != 1 || options.models[0] == Model::ct) return wrong_usage("a gate takes one model that counts", "--model icc");
  }
  TRY(Prediction prediction, predict::predict(arguments.sampled ? profile : gate::counted_part(std::move(profile)), {&machine, 1}, options));
  return arguments.sampled ? std::move(prediction.predictions.front()) : gate::without_start(std::move(prediction.predictions.front()));
}

// What the gate cannot see: a change of what the program is given.
void compare_runs(const Profile& base, const Profile& candidate, std::vector<std::string>& remarks) {
  auto given = [](const Profile& p) {
    std::string all;
    for (const auto& word : p.run.arguments) all += (all.empty() ? "" : " ") + word;
    return all.empty() ? std::string("none") : all;
  };
  if (base.program != candidate.program) remarks.push_back("two programs are compared, " + base.program + " and " + candidate.program);
  if (base.run.arguments != candidate.run.arguments)
    remarks.push_back("the profiles come from different arguments, " + given(base) + " and " + given(candidate) + ": what changed may be the input and not the program");
}

Status run(const GateArguments& arguments) {
  CHECK_OK(can_write(arguments.output.file));
  gate::GateOptions options;
  TRY(options.limit, limit_of(arguments.limit));
  options.sampled = arguments.sampled;
  TRY(Profile base, find_profile(arguments.base));
  TRY(Profile candidate, find_profile(arguments.candidate));
  TRY(std::vector<Machine> machines, load_machines(arguments.machines));
  if (machines.size() != 1) return wrong_usage("a gate takes one machine");
  std::vector<std::string> differences;
  compare_runs(base, candidate, differences);
  TRY(ModelPrediction before, cost_of(std::move(base), machines[0], arguments));
  TRY(ModelPrediction after, cost_of(std::move(candidate), machines[0], arguments));
  TRY(Gate gate, gate::compare(before, after, options));
  gate.base = arguments.base, gate.candidate = arguments.candidate, gate.made_by = made_here();
  gate.remarks.insert(gate.remarks.end(), differences.begin(), differences.end());
  for (const ModelPrediction* p : {&before, &after})
    for (const auto& remark : p->remarks)
      if (std::ranges::find(gate.remarks, remark) == gate.remarks.end()) gate.remarks.push_back(remark);
  std::string text = arguments.output.format == "markdown" ? report::gate_markdown(gate, arguments.rows) : report::gate_text(gate, arguments.rows);
  CHECK_OK(arguments.output.format == "markdown" ? write_file(arguments.output.file, text) : emit(gate, text, arguments.output));
  if (gate.passed) return {};
  return std::unexpected(Error{fmt::format("{:+.2f} % is over the limit of {:g} %", 100 * gate.change, 100 * gate.limit), arguments.candidate, {}, Trouble::no});
}

}  // namespace

void add_gate(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<GateArguments>();
  app.add_option("base", arguments->base, "Profile of the version before")->required();
  app.add_option("new", arguments->candidate, "Profile of the version after")->required();
  add_machine_option(app, arguments->machines);
  app.add_option("--limit", arguments->limit, "By how much the whole may grow, in percent")->capture_default_str();
  app.add_option("--model", arguments->model, "dbc, poc, hllc, intcc or icc; default: the best that can answer");
  app.add_flag("--sampled", arguments->sampled, "Memory, mispredictions and page faults too, which vary between analyses");
  app.add_option("--rows", arguments->rows, "Rows of the table of functions")->capture_default_str();
  app.add_option("--format", arguments->output.format, "How to show the result: text, json or markdown")
      ->check(CLI::IsMember({"text", "json", "markdown"}))
      ->capture_default_str();
  app.add_option("-o,--output", arguments->output.file, "Write the result to this file; - is standard output");
  action = [arguments] { return run(*arguments); };
}

}  // namespace perfcast::cli
