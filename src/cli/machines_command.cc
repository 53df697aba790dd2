#include <fmt/format.h>

#include <memory>
#include <optional>

#include "base/text.h"
#include "cli/against_llvm.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/program_list.h"
#include "methods/choose/gains.h"
#include "record/comparison.h"
#include "report/comparison_text.h"
#include "report/machine_text.h"
#include "report/parallel_text.h"

namespace perfcast::cli {
namespace {

struct MachinesArguments {
  std::string show, reference;
  std::vector<std::string> compare;
  bool against_llvm = false, same = false;
  ProgramList programs;
  std::optional<std::size_t> rows;
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
  return emit_json(json, table.text(), arguments.output);
}

// Where the machine's measured instructions and LLVM's scheduling tables disagree.
Status show_against_llvm(const Machine& machine, const OutputOptions& output) {
  if (!machine.core)
    return unfit("the machine has no instruction data to compare", machine.name, "perfcast characterize measures it");
  TRY(auto result, against_llvm(machine));
  Table table({"form", "opcode", "latency", "LLVM", "throughput", "LLVM"});
  auto text = [](const std::optional<double>& value) { return value ? number_text(*value, 3) : std::string(); };
  for (const auto& row : result.rows)
    table.add({row.form, row.opcode, text(row.latency), text(row.llvm_latency), text(row.throughput), text(row.llvm_throughput)});
  std::string summary = fmt::format("{}: {} of {} measured instruction forms disagree with LLVM's tables for {} (cycles)\n",
                                    machine.name, result.rows.size(), result.compared, result.llvm_cpu);
  if (!result.own_cpu.empty())
    summary += fmt::format("LLVM's tables for its own processor, {}, are not at hand: what differs may be the processors\n", result.own_cpu);
  if (result.compared == 0) summary += "perfcast characterize measures instructions\n";
  return emit_json(against_llvm_json(machine, result), summary + table.text(), output);
}

Status show(const MachinesArguments& arguments) {
  TRY(Machine machine, find_machine(arguments.show));
  if (arguments.against_llvm) return show_against_llvm(machine, arguments.output);
  return emit(machine, report::machine_text(machine) + report::parallel_costs_text(machine), arguments.output);
}

Status compare(const MachinesArguments& arguments) {
  std::vector<std::string> names = arguments.compare;
  if (names.size() < 2 && arguments.reference.empty())
    return wrong_usage("comparing takes two machines or more", "perfcast machines compare vax-11-780 cray-x-mp-48");
  // The reference comes first and is itself compared.
  if (!arguments.reference.empty()) std::erase(names, arguments.reference), names.insert(names.begin(), arguments.reference);
  TRY(std::vector<Machine> machines, load_machines(names));
  tell_apart(machines);
  auto comparison = compare_machines(machines, machines.front().name);
  if (arguments.same && comparison.repetitions.empty())
    for (std::size_t i = 1; i < machines.size(); i++) comparison.repetitions.push_back(repetition_of(machines[0], machines[i]));
  if (!arguments.programs.empty()) {
    TRY(std::vector<Prediction> predictions, predict_programs(arguments.programs, machines));
    comparison.programs = choose::compare_programs(predictions, comparison.machines);
  }
  report::ComparisonView view;
  if (arguments.rows) view.rows = view.quantities = *arguments.rows;
  return emit(comparison, report::comparison_text(comparison, view), arguments.output);
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
  CLI::App* showing = add("show", "Every number of a machine, with its origin", show);
  showing->add_option("machine", arguments->show, "A machine file, or the name of a saved or bundled machine")->required();
  showing->add_flag("--against-llvm", arguments->against_llvm, "Only where its instructions and LLVM's tables disagree");
  CLI::App* comparing = add("compare", "Machines side by side, normalised to the first", compare);
  comparing->add_option("machines", arguments->compare, "Machine files or names")->required();
  comparing->add_option("--to", arguments->reference, "Normalise to this machine instead");
  comparing->add_option("--profile", arguments->programs.words, "A program (profile or source) to say what it gains; repeatable")->allow_extra_args(false);
  add_program_list_options(*comparing, arguments->programs);
  comparing->add_flag("--same", arguments->same, "They are one machine, characterized twice, whatever their host is called");
  comparing->add_option("--rows", arguments->rows, "Rows of the tables of single numbers; 0: all, as usual but for those on which two characterizations disagree (20)");
  app.require_subcommand(0, 1);
  add_output_options(app, arguments->output);
  action = [arguments] { return list(*arguments); };
}

}  // namespace perfcast::cli
