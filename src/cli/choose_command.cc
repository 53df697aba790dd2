// perfcast choose: which machine is fastest, cheapest, or gives most for the money, for these programs.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/program_list.h"
#include "methods/choose/choose.h"
#include "record/comparison.h"
#include "report/choice_text.h"

namespace perfcast::cli {
namespace {

struct ChooseArguments {
  ProgramList programs;
  std::vector<std::string> machines, prices;
  std::optional<double> deadline;
  OutputOptions output;
};

// "NAME=0.85", or what the machine file says.
Result<std::map<std::string, double>> prices_of(const ChooseArguments& arguments, const std::vector<Machine>& machines) {
  std::map<std::string, double> prices;
  for (const Machine& machine : machines)
    if (machine.price.is_object() && machine.price.contains("per_hour") && machine.price["per_hour"].is_number())
      prices[machine.name] = machine.price["per_hour"].get<double>();
  for (const auto& [name, price] : prices)
    if (!(price >= 0)) return unfit("the price in the machine file is not one", name, "price.per_hour: 0 or more, or --price " + name + "=0.85");
  for (const std::string& text : arguments.prices) {
    auto equals = text.find('=');
    char* end = nullptr;
    double price = equals == std::string::npos || equals + 1 == text.size() ? -1 : std::strtod(text.c_str() + equals + 1, &end);
    if (!end || *end || !(price >= 0) || !std::isfinite(price)) return wrong_usage("\"" + text + "\" is not a price by the hour", "--price neoverse-v1=0.85");
    std::string name = text.substr(0, equals);
    // The machine's name, or the word that named it for --machine.
    for (std::size_t i = 0; i < arguments.machines.size(); i++)
      if (arguments.machines[i] == name) name = machines[i].name;
    bool known = std::ranges::any_of(machines, [&](const Machine& m) { return m.name == name; });
    if (!known) return wrong_usage("--price: no machine " + name + " is among those to choose from", "--machine " + name);
    prices[name] = price;
  }
  return prices;
}

Status run(const ChooseArguments& arguments) {
  if (arguments.programs.empty()) return wrong_usage("no program to choose a machine for", "PROFILE..., SOURCE..., or --suite FOLDER");
  TRY(std::vector<Machine> machines, load_machines(arguments.machines));
  tell_apart(machines);
  choose::ChooseOptions options;
  TRY(options.price_per_hour, prices_of(arguments, machines));
  options.deadline_seconds = arguments.deadline;
  TRY(std::vector<Prediction> predictions, predict_programs(arguments.programs, machines));
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
  app.add_option("programs", arguments->programs.words, "Profiles (files or bundled names) or sources, one program each; after -- what sources are given");
  add_program_list_options(app, arguments->programs);
  add_machine_option(app, arguments->machines);
  app.add_option("--price", arguments->prices, "NAME=PRICE by the hour; repeatable")->allow_extra_args(false);
  app.add_option("--deadline", arguments->deadline, "Seconds for all programs, one after the other; exit 1 when no machine is likely to meet it")->check(above_zero());
  add_output_options(app, arguments->output);
  action = [arguments] { return run(*arguments); };
}

}  // namespace perfcast::cli
