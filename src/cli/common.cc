#include "cli/common.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/fold.h"
#include "base/text.h"
#include "base/timing.h"
#include "cli/progress.h"
#include "methods/characterize/characterize.h"

namespace perfcast::cli {
namespace {

// -1 for what is no finite number.
double number_of(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end != text.c_str() && !*end && std::isfinite(value) ? value : -1;
}

}  // namespace

CLI::Validator above_zero() {
  return CLI::Validator([](std::string& text) { return number_of(text) > 0 ? std::string() : "\"" + text + "\" is not a number above 0"; }, "POSITIVE");
}
CLI::Validator zero_or_above() {
  return CLI::Validator([](std::string& text) { return number_of(text) >= 0 ? std::string() : "\"" + text + "\" is not a number from 0 on"; }, "NONNEGATIVE");
}

void add_output_options(CLI::App& app, OutputOptions& options) {
  app.add_option("--format", options.format, "How to show the result: text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app.add_option("-o,--output", options.file, "Write the result to this file as JSON; - is standard output");
}

void add_machine_option(CLI::App& app, std::vector<std::string>& machines) {
  app.add_option("--machine", machines, "A machine file, or the name of a saved or bundled machine; repeatable")
      ->allow_extra_args(false);
}

namespace {

// A first answer needs no set-up: this machine is characterized quickly and becomes the default.
Result<std::string> quick_machine() {
  remark("no machine is saved yet: this one is characterized quickly first (perfcast characterize does it thoroughly)");
  ProgressBar bar;
  characterize::CharacterizeOptions options;
  options.quick = true;
  options.progress = [&](const characterize::Progress& p) { bar.show(p.doing, p.fraction, p.left.value); };
  TRY(Machine machine, characterize::characterize(options));
  bar.clear();
  CHECK_OK(save_machine(machine, true));
  remark("saved as \"" + machine.name + "\"; it is now the default machine");
  return machine.name;
}

// A machine file made here knows how an undisturbed core looks; those who time programs may never see one.
void remember_the_undisturbed_core(const Machine& machine) {
  const MadeBy here = made_here();
  if (machine.made_by.host == here.host && machine.made_by.system == here.system && machine.system && machine.system->canary_cycles)
    ThroughputCanary::remember(machine.system->canary_cycles->value);
}

}  // namespace

Result<std::vector<Machine>> load_machines(const std::vector<std::string>& names) {
  std::vector<std::string> wanted = names;
  if (wanted.empty()) {
    auto name = default_machine();
    if (!name) {
      TRY(name, quick_machine());
    }
    wanted.push_back(*name);
  }
  std::vector<Machine> machines;
  for (const auto& name : wanted) {
    TRY(Machine machine, find_machine(name));
    remember_the_undisturbed_core(machine);
    machines.push_back(std::move(machine));
  }
  return machines;
}

std::vector<std::string>& program_arguments() {
  static std::vector<std::string> arguments;
  return arguments;
}

Status write_text(const std::string& text) {
  const std::string lines = folded(text);
  return write_file("-", colour_wanted() ? coloured(lines) : lines);
}

Status emit_json(const Json& json, const std::string& text, const OutputOptions& options) {
  if (options.json()) return write_file(options.file, json.dump(1) + "\n");
  return options.file == "-" ? write_text(text) : write_file(options.file, folded(text));
}

void remark(const std::string& text) { std::fprintf(stderr, "perfcast: %s\n", text.c_str()); }

}  // namespace perfcast::cli
