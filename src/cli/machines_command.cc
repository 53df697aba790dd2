#include <fmt/format.h>

#include <memory>

#include "base/text.h"
#include "cli/command.h"
#include "cli/common.h"
#include "record/comparison.h"
#include "report/machine_text.h"

namespace perfcast::cli {
namespace {

struct MachinesArguments {
  std::string show, reference;
  std::vector<std::string> compare;
  OutputOptions output;
};

Status list(const MachinesArguments& arguments) {
  Table table({"machine", "kind", "description"});
  Json json = {{"machines", Json::array()}};
  auto chosen = default_machine();
  for (const auto& named : list_machines()) {
    auto machine = find_machine(named.path);
    std::string kind = std::string(named.bundled ? "bundled" : "saved") + (chosen == named.name ? ", default" : "");
    std::string description = machine ? machine->description : "unreadable: " + machine.error().what;
    table.add({named.name, kind, description});
    json["machines"].push_back({{"name", named.name}, {"bundled", named.bundled}, {"default", chosen == named.name},
                                {"description", description}, {"file", named.path}});
  }
  return write_file(arguments.output.file, arguments.output.json() ? json.dump(1) + "\n" : table.text());
}

Status show(const MachinesArguments& arguments) {
  TRY(Machine machine, find_machine(arguments.show));
  return emit(machine, report::machine_text(machine), arguments.output);
}

Status compare(const MachinesArguments& arguments) {
  std::vector<std::string> names = arguments.compare;
  if (names.size() < 2 && arguments.reference.empty())
    return wrong_usage("comparing takes two machines or more", "perfcast machines compare vax-11-780 cray-x-mp-48");
  // The reference comes first and is itself compared.
  if (!arguments.reference.empty()) std::erase(names, arguments.reference), names.insert(names.begin(), arguments.reference);
  TRY(std::vector<Machine> machines, load_machines(names));
  auto comparison = compare_machines(machines, machines.front().name);
  return emit(comparison, report::comparison_text(comparison), arguments.output);
}

}  // namespace

void add_machines(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<MachinesArguments>();
  auto add = [&](const char* name, const char* summary, Status (*what)(const MachinesArguments&)) {
    CLI::App* command = app.add_subcommand(name, summary);
    add_output_options(*command, arguments->output);
    command->callback([&action, arguments, what] { action = [arguments, what] { return what(*arguments); }; });
    return command;
  };
  add("list", "The machines that can be named", list);
  add("show", "Every number of a machine, with its origin", show)
      ->add_option("machine", arguments->show, "A machine file, or the name of a saved or bundled machine")
      ->required();
  CLI::App* comparing = add("compare", "Machines side by side, normalised to the first", compare);
  comparing->add_option("machines", arguments->compare, "Machine files or names")->required();
  comparing->add_option("--to", arguments->reference, "Normalise to this machine instead");
  app.require_subcommand(0, 1);
  add_output_options(app, arguments->output);
  action = [arguments] { return list(*arguments); };
}

}  // namespace perfcast::cli
