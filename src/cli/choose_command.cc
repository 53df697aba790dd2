// perfcast choose: which machine is fastest, cheapest, or gives most for the money, for these programs.
#include <cstdlib>
#include <memory>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/models.h"
#include "cli/program.h"
#include "cli/progress.h"
#include "methods/choose/choose.h"
#include "methods/predict/predict.h"
#include "methods/validate/suite.h"
#include "report/choice_text.h"

namespace perfcast::cli {
namespace {

struct ChooseArguments {
  std::vector<std::string> profiles, machines, prices;
  std::string suite, model;
  double deadline = 0, timeout = 600;
  OutputOptions output;
};

// "NAME=0.85", or what the machine file says.
Result<std::map<std::string, double>> prices_of(const ChooseArguments& arguments, const std::vector<Machine>& machines) {
  std::map<std::string, double> prices;
  for (const Machine& machine : machines)
    if (machine.price.is_object() && machine.price.contains("per_hour") && machine.price["per_hour"].is_number())
      prices[machine.name] = machine.price["per_hour"].get<double>();
  for (const std::string& text : arguments.prices) {
    auto equals = text.find('=');
    char* end = nullptr;
    double price = equals == std::string::npos ? -1 : std::strtod(text.c_str() + equals + 1, &end);
    if (!end || *end || !(price >= 0)) return wrong_usage("\"" + text + "\" is not a price by the hour", "--price neoverse-v1=0.85");
    std::string name = text.substr(0, equals);
    bool known = std::ranges::any_of(machines, [&](const Machine& m) { return m.name == name; });
    if (!known) return wrong_usage("no machine " + name + " was offered", "--machine " + name);
    prices[name] = price;
  }
  return prices;
}

Result<std::vector<Profile>> profiles_of(const ChooseArguments& arguments, const std::vector<Model>& models, const std::vector<Machine>& machines) {
  std::vector<Profile> profiles;
  for (const std::string& name : arguments.profiles) {
    TRY(Profile profile, find_profile(name));
    profiles.push_back(std::move(profile));
  }
  if (arguments.suite.empty()) return profiles;
  TRY(validate::Suite suite, validate::read_suite(arguments.suite));
  ProgressBar bar;
  for (std::size_t i = 0; i < suite.programs.size(); i++) {
    const auto& program = suite.programs[i];
    bar.show(program.name, static_cast<double>(i) / static_cast<double>(suite.programs.size()));
    InFolder in_folder(suite.folder);
    ProgramWords words{program.sources, program.cflags, program.args, program.input, arguments.timeout};
    choose_levels(words, models, machines);
    auto profile = profile_of(words);
    if (!profile) {
      remark(program.name + " is left out: " + profile.error().message());
      continue;
    }
    profile->program = program.name;
    profiles.push_back(std::move(*profile));
  }
  bar.clear();
  return profiles;
}

Status run(const ChooseArguments& arguments) {
  if (arguments.profiles.empty() && arguments.suite.empty()) return wrong_usage("no program to choose a machine for", "PROFILE..., or --suite FOLDER");
  TRY(std::vector<Machine> machines, load_machines(arguments.machines));
  predict::PredictOptions how;
  if (!arguments.model.empty()) {
    TRY(how.models, models_named({arguments.model}));
  }
  choose::ChooseOptions options;
  TRY(options.price_per_hour, prices_of(arguments, machines));
  if (arguments.deadline > 0) options.deadline_seconds = arguments.deadline;
  TRY(std::vector<Profile> profiles, profiles_of(arguments, how.models, machines));
  std::vector<Prediction> predictions;
  for (const Profile& profile : profiles) {
    Prediction all;
    all.program = profile.program;
    for (const Machine& machine : machines) {  // one at a time: a machine that cannot answer spoils no other
      auto one = predict::predict(profile, {&machine, 1}, how);
      if (!one) remark(profile.program + " on " + machine.name + ": " + one.error().message());
      else all.predictions.insert(all.predictions.end(), one->predictions.begin(), one->predictions.end());
    }
    predictions.push_back(std::move(all));
  }
  std::vector<std::string> names;
  for (const Machine& machine : machines) names.push_back(machine.name);
  Choice choice = choose::choose(predictions, names, options);
  if (std::ranges::none_of(choice.offers, [](const MachineOffer& o) { return o.complete && o.seconds > 0; }))
    return unfit("no machine answers for every program", arguments.machines.empty() ? "" : arguments.machines[0],
                 "perfcast predict PROFILE --machine M --model all says which model lacks what");
  choice.made_by = made_here();
  CHECK_OK(emit(choice, report::choice_text(choice), arguments.output));
  if (options.deadline_seconds && choice.fastest.empty())
    return std::unexpected(Error{"no machine is likely to meet the deadline", "", {}, Trouble::no});
  return {};
}

}  // namespace

void add_choose(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ChooseArguments>();
  app.add_option("profiles", arguments->profiles, "Profiles: files or bundled names");
  app.add_option("--suite", arguments->suite, "A folder with suite.json: its programs are analysed first");
  add_machine_option(app, arguments->machines);
  app.add_option("--price", arguments->prices, "NAME=PRICE by the hour; repeatable")->allow_extra_args(false);
  app.add_option("--deadline", arguments->deadline, "Seconds for all programs, one after the other; exit 1 when no machine is likely to meet it");
  app.add_option("--model", arguments->model, "One resource model for all; default: the best that can answer");
  app.add_option("--timeout", arguments->timeout, "Seconds that one run of a program may take")->capture_default_str();
  add_output_options(app, arguments->output);
  action = [arguments] { return run(*arguments); };
}

}  // namespace perfcast::cli
