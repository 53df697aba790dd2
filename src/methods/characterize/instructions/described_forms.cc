#include "methods/characterize/instructions/described_forms.h"

#include <algorithm>
#include <regex>

#include "base/paths.h"
#include "record/record_file.h"

namespace perfcast::instructions {
namespace {

// Of the instructions of one copy, the one the form is about: it has one of the form's opcodes, or is the only one
// that is not a helper.
const Instruction* main_instruction(const Form& form, const std::vector<InstructionForm>& forms, const std::vector<Instruction>& loop) {
  if (loop.empty()) return nullptr;
  const std::regex opcodes("(" + form.opcodes + ")$");
  const std::size_t copy = std::min<std::size_t>(loop.size() - 1, 4);
  for (std::size_t i = 0; i < copy && !form.opcodes.empty(); i++)
    if (std::regex_match(forms[static_cast<std::size_t>(loop[i].form)].opcode, opcodes)) return &loop[i];
  return form.opcodes.empty() ? &loop[0] : nullptr;
}

}  // namespace

Result<DescribedForms> bundled_described_forms(const std::string& isa) {
  return read_record<DescribedForms>((bundled_data() / "instructions" / (isa + ".forms.json")).string());
}

Selection one_of_each() {
  Selection only_forms;
  only_forms.pairs = only_forms.slots = only_forms.special = false;
  return only_forms;
}

DescribedForms describe_forms(const FormTable& table, const std::vector<Benchmark>& benchmarks, const std::vector<InstructionForm>& forms,
                              const std::map<std::string, std::vector<Instruction>>& loops, const std::string& cpu) {
  DescribedForms result{table.isa, cpu, {}};
  for (auto kind : {Kind::stream, Kind::chain, Kind::accumulate})
    for (std::size_t i = 0; i < benchmarks.size(); i++) {
      if (benchmarks[i].kind != kind || result.of.contains(benchmarks[i].form)) continue;
      const Form* form = table.find(benchmarks[i].form);
      const auto loop = loops.find(loop_symbol(i));
      if (!form || loop == loops.end()) continue;
      if (const Instruction* found = main_instruction(*form, forms, loop->second)) {
        DescribedForm& described = result.of[form->name] = {forms[static_cast<std::size_t>(found->form)], *found};
        described.instruction.form = 0, described.instruction.address = 0;
      }
    }
  return result;
}

}  // namespace perfcast::instructions
