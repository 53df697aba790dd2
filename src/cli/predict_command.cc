#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/common.h"
#include "methods/predict/predict.h"
#include "report/prediction_text.h"

namespace perfcast::cli {
namespace {

struct PredictArguments {
  std::string program;
  std::vector<std::string> machines, models, settings;
  predict::PredictOptions options;
  report::PredictionView view;
  OutputOptions output;
};

Result<std::vector<Model>> models_named(const std::vector<std::string>& names) {
  std::vector<Model> models;
  for (const auto& name : names) {
    if (name == "all") {
      models.clear();
      for (auto& [model, word] : EnumWords<Model>::words) models.push_back(model);
      return models;
    }
    auto model = from_word<Model>(name);
    if (!model) return wrong_usage("there is no model \"" + name + "\"", "--model dbc|poc|hllc|intcc|icc|ct|all");
    models.push_back(*model);
  }
  return models;
}

Result<std::map<std::string, double>> settings_of(const std::vector<std::string>& words) {
  std::map<std::string, double> set;
  for (const auto& word : words) {
    auto at = word.find('=');
    char* end = nullptr;
    double value = at == word.npos ? 0 : std::strtod(word.c_str() + at + 1, &end);
    if (at == word.npos || at == 0 || end == word.c_str() + at + 1 || *end)
      return wrong_usage("\"" + word + "\" is not NAME=VALUE", "--set N=1000");
    set[word.substr(0, at)] = value;
  }
  return set;
}

Status run(PredictArguments& arguments) {
  TRY(arguments.options.models, models_named(arguments.models));
  TRY(arguments.options.set, settings_of(arguments.settings));
  TRY(Profile profile, find_profile(arguments.program));
  TRY(std::vector<Machine> machines, load_machines(arguments.machines));
  TRY(Prediction prediction, predict::predict(profile, machines, arguments.options));
  return emit(prediction, report::prediction_text(prediction, arguments.view), arguments.output);
}

}  // namespace

void add_predict(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<PredictArguments>();
  app.add_option("program", arguments->program, "A profile: a file, or the name of a bundled one")->required();
  add_machine_option(app, arguments->machines);
  app.add_option("--model", arguments->models, "dbc, poc, hllc, intcc, icc, ct or all; default: the best that can answer")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--set", arguments->settings, "A parameter other than in the recorded run, NAME=VALUE; repeatable")
      ->allow_extra_args(false);
  app.add_option("--confidence", arguments->options.confidence, "Of the intervals")
      ->check(CLI::Range(0.01, 0.999))
      ->capture_default_str();
  app.add_option("--by", arguments->view.breakdown, "What the time is broken down by")
      ->check(CLI::IsMember({"operation", "function", "line", "region", "none"}))
      ->capture_default_str();
  app.add_option("--rows", arguments->view.rows, "Rows of a breakdown")->capture_default_str();
  app.add_flag("--distribution", arguments->view.distribution, "Shares of the time, machines side by side");
  add_output_options(app, arguments->output);
  action = [arguments] { return run(*arguments); };
}

}  // namespace perfcast::cli
