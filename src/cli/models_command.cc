// perfcast models: the resource models explained, and the best one for what the user has.
#include <memory>

#include "base/process.h"
#include "base/source_is_there.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/parallel.h"
#include "cli/program.h"
#include "methods/models/models.h"
#include "engine/source_costs.h"
#include "report/models_text.h"

namespace perfcast::cli {
namespace {

struct ModelsArguments {
  std::vector<std::string> program;
  std::string machine, validation;
  OutputOptions output;
};

// Sources and binaries are judged by what they are; a profile and a design by what they hold.
Status look_at(const std::vector<std::string>& words, models::Available& have, std::optional<Profile>& profile) {
  if (words.empty()) return {};
  have.any_program = true;
  if (is_source_file(words[0])) {
    for (const auto& word : words) CHECK_OK(source_is_there(word, word));
    have.source = true;
  } else if (words.size() > 1) {
    return wrong_usage("\"" + words[0] + "\" is not a source file; a profile stands alone");
  } else if (is_executable_file(words[0])) {
    have.binary = true;
  } else if (is_design_file(words[0])) {
    have.design = true;
    TRY(profile, code_of_design(design_path(words[0])));
    have.code_of_steps = profile.has_value();
    if (profile) have.profile = &*profile;
  } else {
    TRY(profile, find_profile(words[0]));
    have.design = engine::is_design(*profile);
    have.profile = &*profile;
  }
  return {};
}

Status run(ModelsArguments& arguments) {
  models::ModelsOptions options;
  std::optional<Profile> profile;
  std::optional<Machine> machine;
  CHECK_OK(look_at(arguments.program, options.have, profile));
  if (!arguments.machine.empty()) {
    TRY(machine, find_machine(arguments.machine));
  } else if (auto name = default_machine(); name && options.have.any_program) {
    TRY(machine, find_machine(*name));
  }
  if (machine) options.have.machine = &*machine;
#ifdef PERFCAST_LLVM
  options.have.compiler = find_program("clang-19").has_value();
#endif
  options.have.runs_here = !machine || (machine->isa == host_instruction_set() && machine->made_by.host == made_here().host);
  if (!arguments.validation.empty()) {
    TRY(options.seen, read_record<Validation>(arguments.validation));
  }
  ModelOverview result = models::overview(options);
  if ((result.program.empty() || options.have.code_of_steps) && !arguments.program.empty()) result.program = arguments.program[0];
  return emit(result, report::models_text(result), arguments.output);
}

}  // namespace

void add_models(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ModelsArguments>();
  app.add_option("program", arguments->program, "What you have: sources, an executable, a profile or a design");
  app.add_option("--machine", arguments->machine, "The machine to predict for; default: the default machine");
  app.add_option("--validation", arguments->validation, "A file of perfcast validate: the errors seen here");
  add_output_options(app, arguments->output);
  action = [arguments] { return run(*arguments); };
}

}  // namespace perfcast::cli
