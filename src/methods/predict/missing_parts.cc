#include "methods/predict/missing_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "engine/match.h"
#include "engine/pipeline.h"

namespace perfcast::predict {
namespace {

// How much of the executed code works on vectors of scalable length without any cost of such measured on the machine.
double unmeasured_scalable_share(const Profile& profile, const CoreModel& core) {
  static const std::regex scalable(R"(\b(z\d+(\.[bhsdq]|\b)|p\d+(\.[bhsd]|/[mz])))");
  std::vector<engine::CompiledMatch> rules;
  rules.reserve(core.instructions.size());
  for (const InstructionRule& rule : core.instructions) rules.emplace_back(rule.match, static_cast<int>(rules.size()));
  std::vector<std::vector<signed char>> remembered(profile.forms.size());
  double all = 0, without = 0;
  for (const Function& function : profile.machine->functions)
    for (const Block& block : function.blocks)
      for (const Instruction& instruction : block.code) {
        all += block.count.value;
        if (block.count.value <= 0 || !std::regex_search(instruction.text, scalable)) continue;
        const auto form = static_cast<std::size_t>(instruction.form);
        const engine::Candidate candidate{profile.forms[form], instruction, remembered[form]};
        if (std::ranges::none_of(rules, [&](const engine::CompiledMatch& rule) { return rule.holds(candidate); })) without += block.count.value;
      }
  return all > 0 ? without / all : 0;
}

// Outside the program's own code.
void add_system(const Profile& profile, const Machine& machine, std::vector<std::string>& missing) {
  const SystemCosts none, &system = machine.system ? *machine.system : none;
  if (!system.process_start_ns) missing.push_back(machine.name + " has no cost of starting a program: none is counted");
  if (!system.page_fault_ns && profile.run.page_faults > 0)
    missing.push_back(fmt::format("{} has no cost of a page fault: the {:.0f} of this program are taken to cost nothing", machine.name, profile.run.page_faults));
}

}  // namespace

std::vector<std::string> missing_parts(const Profile& profile, const Machine& machine, Model model) {
  std::vector<std::string> missing;
  if ((model != Model::icc && model != Model::intcc) || !machine.core) return missing;
  const bool icc = model == Model::icc;
  const std::string instructions = icc ? profile.run.isa : "x86_64";  // whose opcodes stand for the operations of the IR
  if (machine.isa.empty() && !instructions.empty()) missing.push_back(machine.name + " does not say its instruction set: it is taken to run " + instructions);
  if (!machine.core->branches.misprediction)
    missing.push_back(fmt::format("{} has no cost of a mispredicted branch: {:.0f} cycles are taken", machine.name, engine::assumed_misprediction));
  if (machine.core->instructions.empty() && machine.core->classes.empty())
    missing.push_back(machine.name + " has no measured instructions: " + (icc ? "the costs of LLVM's tables are taken" : "each is taken to need one cycle"));
  const bool no_levels = !machine.memory || machine.memory->levels.empty();
  if (no_levels && (!icc || machine.memory)) missing.push_back(machine.name + " has no memory levels: every load is taken to hit the first cache");
  add_system(profile, machine, missing);
  if (icc && profile.machine && profile.run.isa == "aarch64")
    if (const double share = unmeasured_scalable_share(profile, *machine.core); share > 0)
      missing.push_back(fmt::format("{} was characterized without SVE: {:.0f} % of the instructions have the costs of LLVM's tables", machine.name, std::max(1.0, 100 * share)));
  return missing;
}

}  // namespace perfcast::predict
